#pragma once
// The clutch between a hand and an end effector. It closes when the hand is tracked steadily and
// both of its controls are held: a safety control, that also frees the gripper's, and a motion
// control; each may be left out. After an interruption (device_state.hpp) the controls must be
// released and pressed anew, unless the app allows it to close again by itself.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/schema.hpp"
#include "device/device_state.hpp"

namespace handspan {

struct ClutchConfig {
  std::optional<std::string> safety, motion;  // controls of the device; neither: held by
                                              // configuration
  bool recloses = false;                      // by itself after an interruption
};

Schema<ClutchConfig> clutch_schema();

class Clutch {
 public:
  /// @param pose of the device, that is followed
  /// @param accepts what it may be tracked as; empty: anything
  /// @throws InputError when the device has no such control
  Clutch(const ClutchConfig& config, const DeviceState& device, std::size_t pose,
         std::vector<TrackedAs> accepts);

  /// Opens; controls that are held now must be released first, unless it recloses.
  void open();
  /// Once or more a tick, from what the device says. @return whether it is closed
  bool update(const DeviceState& device);
  bool closed() const { return closed_; }
  /// Why it is open now, and what to do: "left hand: tracking lost – release grip and trigger,
  /// press again". Lives as long as this.
  const char* reason() const;
  void state(StateArchive& archive);

 private:
  enum class Why : std::uint8_t {
    kOpen,
    kSafetyOpen,
    kNotAccepted,
    kHeldBefore,
    kNoValue,
    kUnknown,
    kBroken,      // its controls are held
    kBrokenOpen,  // they are not
  };
  static constexpr std::size_t kWhys = 8;

  void write_reasons(const ClutchConfig& config, const std::string& pose);
  Why why_open(const DeviceState& device, bool safe, bool held);

  std::optional<Control> safety_, motion_;
  bool recloses_;
  std::size_t pose_;
  std::vector<TrackedAs> accepts_;
  bool closed_ = false;
  bool may_close_ = false;  // its controls were seen released since it opened
  Why waits_ = Why::kOpen;
  std::uint32_t breaks_ = 0;        // of the pose, when it closed
  Break why_ = Break::kNothingYet;  // of kBroken
  bool broke_ = false;              // since its controls were last seen released
  Break broke_by_ = Break::kNothingYet;
  std::array<std::string, kWhys> reasons_;
  std::array<std::array<std::string, 2>, kBreaks> broken_;  // controls held; not
};

}  // namespace handspan
