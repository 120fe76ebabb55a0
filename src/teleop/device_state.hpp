#pragma once
// What a device's samples say, checked: where its poses are and how fast they move, which of its
// axes and buttons can be believed. Whoever follows a pose remembers its count of `breaks`: when it
// has risen, what comes now is no continuation of what was followed (not tracked for a while,
// another thing than before, a jump, another clock, another operator, silence), whatever the reason
// says; following on takes a fresh clutch-in.
//
// Frames: V the device's own tracking frame, C what is tracked.
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>
#include <string>
#include <vector>

#include "core/schema.hpp"
#include "core/state_archive.hpp"
#include "math/pose.hpp"
#include "teleop/device.hpp"
#include "teleop/source.hpp"

namespace handspan {

/// What a device's samples may be like.
struct DeviceLimits {
  double timeout = 0.1;      // no sample for longer [s]: it is silent
  double speed = 8.0;        // a pose that is faster has jumped [m/s]
  double turn_rate = 40.0;   // [rad/s]
  double smoothing = 0.015;  // time constant of the velocities' filter [s]
};

Schema<DeviceLimits> device_limits_schema();

/// Why a pose is not followed on.
enum class Break : std::uint8_t {
  kNothingYet,
  kNotTracked,
  kTrackedAsOther,
  kNotFinite,
  kNoRotation,
  kJump,
  kClockBack,
  kClockJump,
  kSilent,
  kTwoOperators,
  kMalformed,
};
/// In words: "tracking is lost".
const char* text_of(Break why);

/// Where a tracked pose is thought to be, and how it moves.
struct PoseEstimate {
  Eigen::Vector3d p_VC = Eigen::Vector3d::Zero();            // [m]
  Eigen::Quaterniond q_VC = Eigen::Quaterniond::Identity();  // unit
  Vector6d V_VC = Vector6d::Zero();                          // [m/s, rad/s], in V
};

/// One pose of a device, followed from sample to sample. Frames that repeat the pose before are no
/// news for a while (headsets report half of their frames twice), and then mean that it rests.
class PoseTrack {
 public:
  /// A sample's numbers of it. @param now of the tick that takes it [ns]; stamp by the device [ns]
  void receive(std::span<const double, kPoseNumbers> numbers, Nanoseconds stamp, Nanoseconds now,
               const DeviceLimits& limits);
  void interrupt(Break why);

  TrackedAs tracked_as() const { return as_; }
  /// Whether a few samples in a row were good: it may be clutched in.
  bool steady() const { return good_ >= kSteady; }
  std::uint32_t breaks() const { return breaks_; }
  /// Why it is not steady, or was not lately.
  Break why() const { return why_; }
  /// The last sample as it came.
  const Eigen::Vector3d& p_VC() const { return p_; }
  const Eigen::Quaterniond& q_VC() const { return q_; }
  /// At a time since the last sample: it goes on for 25 ms as it did, then comes to rest.
  PoseEstimate estimate(Nanoseconds now) const;
  void state(StateArchive& archive) {
    archive(as_, good_, why_, breaks_, p_, q_.coeffs(), filtered_.p_VC, filtered_.q_VC.coeffs(),
            filtered_.V_VC, stamp_, at_, sampled_, moved_);
  }

 private:
  static constexpr std::uint8_t kSteady = 3;

  void measure(const Eigen::Vector3d& p, const Eigen::Quaterniond& q, double dt, double smoothing);

  TrackedAs as_ = TrackedAs::kNone;
  std::uint8_t good_ = 0;  // samples since the last break, up to kSteady
  Break why_ = Break::kNothingYet;
  std::uint32_t breaks_ = 0;
  Eigen::Vector3d p_ = Eigen::Vector3d::Zero();
  Eigen::Quaterniond q_ = Eigen::Quaterniond::Identity();
  PoseEstimate filtered_;    // at the time of the last news
  Nanoseconds stamp_ = 0;    // of the last news, by the device [ns]
  Nanoseconds at_ = 0;       // of the tick that took it [ns]
  Nanoseconds sampled_ = 0;  // the last sample, by the device [ns]
  Nanoseconds moved_ = 0;    // when the pose last differed from that before, by the device [ns]
};

/// A button, or an axis used as one.
struct Control {
  bool is_axis = false;
  std::size_t index = 0;
};

class DeviceState {
 public:
  DeviceState(std::string name, const DeviceLayout& layout, const DeviceLimits& limits);

  // at set-up

  const std::string& name() const { return name_; }
  const DeviceLayout& layout() const { return layout_; }
  /// By name. @throws InputError with the names there are
  std::size_t pose_index(std::string_view name) const;
  std::size_t axis_index(std::string_view name) const;
  Control control(std::string_view name) const;

  // in a tick; nothing allocates or throws

  void receive(const Moment& moment, const Input& input);
  /// After all of a tick's samples: notices silence.
  void update(const Moment& moment);

  const PoseTrack& pose(std::size_t index) const { return poses_[index]; }
  /// 0 until it was seen near its rest (devices report full scale until an axis is first touched),
  /// when it is not valid, and when the device is silent.
  double axis(std::size_t index) const { return axes_[index].believed ? axes_[index].value : 0.0; }
  bool axis_valid(std::size_t index) const { return axes_[index].believed; }
  /// Down, after it was seen up; an axis beyond 0.6, until it is below 0.4 again.
  bool pressed(const Control& control) const {
    return control.is_axis ? axes_[control.index].down : buttons_[control.index].down;
  }
  /// Whether what pressed() says is of a sample that can be believed.
  bool believed(const Control& control) const {
    return control.is_axis ? axes_[control.index].believed : buttons_[control.index].seen_up;
  }
  /// By name; false when it has no such control.
  bool pressed(std::string_view name) const;
  /// Whether samples come.
  bool present() const { return present_; }
  /// Since the last sample [s]; infinite before the first.
  double age(Nanoseconds now) const;
  /// Why it is silent or was last interrupted as a whole.
  Break why() const { return why_; }
  std::string_view operator_name() const { return operator_; }
  std::uint64_t samples() const { return samples_; }
  std::uint64_t malformed() const { return malformed_; }

  void state(StateArchive& archive);

 private:
  struct Axis {
    double value = 0.0;
    bool believed = false, down = false;
    void state(StateArchive& archive) { archive(value, believed, down); }
  };
  struct Button {
    bool seen_up = false, down = false;
    void state(StateArchive& archive) { archive(seen_up, down); }
  };

  void interrupt(Break why);
  void forget_controls();

  std::string name_;
  DeviceLayout layout_;
  DeviceLimits limits_;
  std::vector<PoseTrack> poses_;
  std::vector<Axis> axes_;
  std::vector<Button> buttons_;
  bool present_ = false;
  Break why_ = Break::kNothingYet;
  Nanoseconds stamp_ = 0, arrived_ = 0;  // of the last sample
  FixedText<62> operator_;
  std::uint64_t samples_ = 0, malformed_ = 0;
};

}  // namespace handspan
