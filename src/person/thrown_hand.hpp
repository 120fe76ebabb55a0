#pragma once
// A clutched hand that throws, over and over, and a tracking system that now and then fails while
// it does: for tests and studies of what a fast hand may do to an arm. Each throw is of one kind,
// whose truth is known: whether the clutch must open. Deterministic from its seed. Registered as
// the device `thrown_hand`; its layout is the headset's.
#include <array>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "device/device.hpp"
#include "device/device_state.hpp"

namespace handspan {

enum class Throw : std::uint8_t {
  kBack,          // there and back at once
  kStop,          // there, where it stops for a while
  kOutOfReach,    // 1.5 m farther, where it stops
  kBadFrame,      // one frame is 0.05 to 0.5 m elsewhere, or turned by 15 to 60 degrees
  kGap,           // 20 to 60 ms without samples, in which it goes on as it did
  kLeap,          // from a frame on it is 0.2 to 0.6 m elsewhere
  kGapLeap,       // after a gap of 20 to 60 ms it is 0.6 to 0.9 m elsewhere than it went
  kRecentre,      // V turns by 20 to 45 degrees about the head, and nobody says so
  kSaidRecentre,  // the same, and a sample says so
  kRelease,       // it lets go of its clutch, and goes on as it did
};
inline constexpr std::size_t kThrows = 10;
/// "back", "stop" ... as `throws` of the configuration has them.
const char* name_of(Throw kind);
/// Whether the clutch must open, since no hand moves like that or it let go.
bool opens(Throw kind);

struct ThrownHandConfig {
  double rate = 90.0;          // of samples [Hz]
  std::string hand = "right";  // pose that throws; the other is not tracked
  std::vector<std::string> clutch = {"right.squeeze", "right.trigger"};
  double speed = 4.0;          // at its fastest [m/s]
  double acceleration = 80.0;  // of starting, stopping and turning round [m/s^2]
  double cruise = 0.04;        // for how long it is fastest [s]
  std::vector<Throw> throws;   // kinds, by chance; none: all
};

Schema<ThrownHandConfig> thrown_hand_schema();

class ThrownHand : public Device {
 public:
  /// @throws InputError for a control or pose that a headset does not have
  ThrownHand(const ThrownHandConfig& config, const DeviceContext& context);

  const DeviceLayout& layout() const override;
  bool sample(Nanoseconds now, Input& input) override;

  /// Throws that were begun, of a kind; and those in which the trouble came already.
  std::uint64_t begun(Throw kind) const { return begun_[static_cast<std::size_t>(kind)]; }
  std::uint64_t came(Throw kind) const { return came_[static_cast<std::size_t>(kind)]; }
  /// The one that is under way, and whether its trouble came.
  Throw kind() const { return kind_; }
  bool troubled() const { return troubled_; }
  /// Where the hand is in truth, and how fast, in V [m, m/s].
  Eigen::Vector3d p_VC(Nanoseconds now) const;
  Eigen::Vector3d v_VC(Nanoseconds now) const;

 private:
  void begin(Nanoseconds now);
  std::pair<double, double> along(double t) const;  // way and speed at a time since its start
  void spoil(Nanoseconds now, Eigen::Vector3d& p, Eigen::Quaterniond& q);

  ThrownHandConfig config_;
  std::size_t pose_ = 0;
  std::vector<Control> clutch_;
  RandomStream random_;
  DeviceSample sample_;
  Throw kind_ = Throw::kBack;
  Eigen::Vector3d way_ = Eigen::Vector3d::UnitX(), leap_ = Eigen::Vector3d::Zero();
  Eigen::Quaterniond turn_ = Eigen::Quaterniond::Identity();  // of the trouble
  double cruise_ = 0.0;                                       // of this throw [s]
  Nanoseconds start_ = 0, trouble_ = 0, gap_ = 0, end_ = 0, next_ = 0;
  bool troubled_ = false;
  std::array<std::uint64_t, kThrows> begun_{}, came_{};
};

/// thrown_hand.
void register_thrown_hand(DeviceRegistry& registry);

}  // namespace handspan
