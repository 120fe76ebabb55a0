#pragma once
// A person who does everything wrong, and a tracking system that does too: for tests. Two clutched
// hands wander about; on top of that each kind of trouble comes at random times, so often on
// average as the configuration says. Deterministic from its seed. Registered as the device
// `wild_hand`; its layout is the headset's.
#include <array>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "device/device.hpp"
#include "device/device_state.hpp"
#include "person/sub_movement.hpp"

namespace handspan {

enum class Trouble : std::uint8_t {
  kOutOfReach,      // a hand goes 1 to 3 m away, at up to 3 m/s
  kFlick,           // a hand goes 0.4 m in its way at 6 m/s, and back
  kDropOut,         // a hand is not tracked for 50 to 500 ms
  kBecomesHand,     // it is tracked as a bare hand for 50 to 500 ms
  kClutchChatter,   // its clutch opens and closes every sample for 100 to 500 ms
  kNotFinite,       // one number of a pose is NaN or infinite, in one sample
  kZeroQuaternion,  // in one sample
  kSignFlip,        // the quaternion goes on with the other sign
  kStampBack,       // one stamp is up to 500 ms too early
  kOtherClock,      // stamps go on by a clock that is up to 10^5 s away
  kSilence,         // no samples for 0.11 to 1 s
  kSwapped,         // left and right change places for 50 to 500 ms
  kTeleport,        // a hand is 1 m elsewhere from now on
  kNoControls,      // its axes are not valid for 50 to 500 ms
  kTwoOperators,    // one sample is of somebody else
  kMalformed,       // one sample lacks a number
};
inline constexpr std::size_t kTroubles = 16;
/// "out_of_reach", "flick" ... as they are keys of the configuration.
const char* name_of(Trouble trouble);

struct WildHandConfig {
  double rate = 90.0;                                                   // of samples [Hz]
  std::array<double, kTroubles> troubles{};                             // how often each comes [Hz]
  std::vector<std::string> clutch = {"left.squeeze", "right.squeeze"};  // held most of the time
  double wander = 0.25;                                                 // about its rest [m]
};

Schema<WildHandConfig> wild_hand_schema();

class WildHand : public Device {
 public:
  /// @throws InputError for a control that a headset does not have
  WildHand(const WildHandConfig& config, const DeviceContext& context);

  const DeviceLayout& layout() const override;
  bool sample(Nanoseconds now, Input& input) override;

  /// How often each kind came.
  std::uint64_t count(Trouble trouble) const { return counts_[static_cast<std::size_t>(trouble)]; }
  /// "flick 12, drop_out 3 ...", of those that came.
  std::string report() const;

 private:
  struct Hand {
    SubMovement movement;
    Eigen::Vector3d p_VRest = Eigen::Vector3d::Zero();  // about which it wanders [m]
    Eigen::Vector3d d_VBack = Eigen::Vector3d::Zero();  // of a flick, still to go [m]
    bool flicks = false;
    double sign = 1.0;  // of its quaternion
    Nanoseconds lost_until = 0, bare_until = 0, chatters_until = 0, blind_until = 0;
  };

  bool comes(Trouble trouble);
  Nanoseconds for_a_while(Nanoseconds now, double least, double most);
  void trouble_hand(Hand& hand, Nanoseconds now);
  void go_on(Hand& hand, Nanoseconds now);
  void work_clutch(Nanoseconds now);
  void write(Nanoseconds now);
  void spoil(Input& input);

  WildHandConfig config_;
  std::vector<Control> clutch_;
  RandomStream random_;
  DeviceSample sample_;
  std::array<Hand, 2> hands_;
  Nanoseconds next_ = 0, silent_until_ = 0, swapped_until_ = 0, clutch_until_ = 0;
  Nanoseconds clock_ = 0;  // what stamps are ahead of the loop's time [ns]
  bool clutched_ = false, chatter_ = false;
  std::array<std::uint64_t, kTroubles> counts_{};
};

/// wild_hand.
void register_wild_hand(DeviceRegistry& registry);

}  // namespace handspan
