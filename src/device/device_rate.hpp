#pragma once
// A rate that a person gives with a device: an axis or two buttons, bent by a response, scaled by a
// speed that buttons step, and heard only while a dead man's button is held. What jogs are made of.
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/schema.hpp"
#include "core/state_archive.hpp"
#include "device/device_state.hpp"

namespace handspan {

/// What gives a rate: an axis, or a button for each direction.
struct RateBinding {
  std::string axis;
  double sign = 1.0;        // of the axis: 1 or -1
  std::string plus, minus;  // controls; either may be empty
};

/// "right.stick_y", "-right.stick_y", {axis, sign} or {plus, minus}.
Schema<RateBinding> rate_binding_schema();

/// A binding to a device.
class RateInput {
 public:
  /// @throws InputError, with the names there are, when the device has no such axis or control
  RateInput(const RateBinding& binding, const DeviceState& device);

  /// -1 to 1; 0 when what it is bound to is not valid.
  double value(const DeviceState& device) const;

 private:
  std::optional<std::size_t> axis_;
  double sign_;
  std::optional<Control> plus_, minus_;
};

struct ResponseConfig {
  double dead_zone = 0.1;  // less is nothing
  double exponent = 1.0;   // above 1: finer near the dead zone
};

Schema<ResponseConfig> response_schema();

/// sign(x) ((|x| - d) / (1 - d))^n beyond the dead zone d, else 0: it begins at 0 and ends at 1.
double respond(double x, const ResponseConfig& response);

/// Of a jog's full speed; buttons make it larger and smaller.
struct SpeedScaleConfig {
  std::optional<std::string> faster, slower;
  double step = 1.5;  // factor a press
  double min = 0.05, max = 1.0, start = 1.0;
};

Schema<SpeedScaleConfig> speed_scale_schema();

class SpeedScale {
 public:
  /// @throws InputError when the device has no such control
  SpeedScale(const SpeedScaleConfig& config, const DeviceState& device);

  /// What is pressed now counts when it is pressed anew.
  void begin(const DeviceState& device);
  /// Once or more a tick.
  void update(const DeviceState& device);
  double value() const { return value_; }
  void state(StateArchive& archive) { archive(value_, was_); }

 private:
  SpeedScaleConfig config_;
  std::array<std::optional<Control>, 2> controls_;  // faster, slower
  std::array<bool, 2> was_{};
  double value_;
};

/// A button or axis that must be held, and pressed anew after whatever interrupted it. Without one,
/// the rates must have been at rest once since then.
class DeadMan {
 public:
  /// @throws InputError when the device has no such control
  DeadMan(const std::optional<std::string>& control, const DeviceState& device);

  void open();
  /// @param at_rest no rate is asked for  @return whether rates are heard
  bool update(const DeviceState& device, bool at_rest);
  /// Whether rates are heard.
  bool closed() const { return closed_; }
  /// Why they are not; lives for ever.
  const char* reason() const;
  void state(StateArchive& archive) { archive(closed_, may_close_, why_, break_); }

 private:
  enum class Why : std::uint8_t { kOpen, kHeldBefore, kNotAtRest, kNoValue, kBroken };

  std::optional<Control> control_;
  bool closed_ = false, may_close_ = false;
  Why why_ = Why::kOpen;
  Break break_ = Break::kNothingYet;
};

/// Whether the device has a control of that name.
bool has_control(const DeviceState& device, std::string_view name);

}  // namespace handspan
