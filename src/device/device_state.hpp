#pragma once
// What a device's samples say, checked: where its poses are and how fast they move, which of its
// axes and buttons can be believed. Whoever follows a pose remembers its count of `breaks`: when it
// has risen, what comes now is not a continuation of what was followed (not tracked for a while,
// another thing than before, a jump, another clock, another operator, silence), whatever the reason
// says; following on takes a fresh clutch-in.
//
// Frames: V the device's own tracking frame, C what is tracked.
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/schema.hpp"
#include "core/state_archive.hpp"
#include "device/device.hpp"
#include "math/pose.hpp"
#include "reference/source.hpp"

namespace handspan {

/// What a device's samples may be like.
struct DeviceLimits {
  double timeout = 0.1;      // no sample for longer [s]: it is silent
  double speed = 8.0;        // a pose that is faster leaps [m/s]
  double turn_rate = 40.0;   // [rad/s]
  double smoothing = 0.015;  // time constant of the velocities' filter [s]
  // what a hand can do: one that is elsewhere than its motion leads by more than these explain
  // leaps
  double acceleration = 100.0;           // [m/s^2]
  double angular_acceleration = 1000.0;  // [rad/s^2]
};

Schema<DeviceLimits> device_limits_schema();

/// Why a pose is not followed on.
enum class Break : std::uint8_t {
  kNothingYet,
  kNotTracked,
  kTrackedAsOther,
  kNotFinite,
  kNoRotation,
  kLeap,
  kRecentred,
  kClockBack,
  kClockJump,
  kSilent,
  kTwoOperators,
  kMalformed,
};
inline constexpr std::size_t kBreaks = 12;
/// In words: "tracking lost".
const char* text_of(Break why);

/// Where a tracked pose is thought to be, and how it moves.
struct PoseEstimate {
  Eigen::Vector3d p_VC = Eigen::Vector3d::Zero();            // [m]
  Eigen::Quaterniond q_VC = Eigen::Quaterniond::Identity();  // unit
  Vector6d V_VC = Vector6d::Zero();                          // [m/s, rad/s], in V
};

/// One pose of a device, followed from sample to sample. Frames that repeat the pose before are no
/// news for a while (headsets report half of their frames twice), and then mean that it rests.
///
/// After a time dt a hand is where its motion leads, but for 0.03 m + 1/2 a dt^2 and
/// 10 deg + 1/2 alpha dt^2. A frame that is elsewhere moves nothing: when the one after it is back
/// where the motion before leads, it was bad and is left out; else the hand leapt: a break.
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
  /// Why it is not steady now; when it is, why it was not lately.
  Break why() const { return why_; }
  /// Bad frames that were left out.
  std::uint64_t left_out() const { return left_out_; }
  /// The last sample as it came, but for frames that may be bad.
  const Eigen::Vector3d& p_VC() const { return p_; }
  const Eigen::Quaterniond& q_VC() const { return q_; }
  /// At a time since the last sample: it goes on for 25 ms as it did, then comes to rest.
  PoseEstimate estimate(Nanoseconds now) const;
  void state(StateArchive& archive) {
    archive(as_, good_, why_, breaks_, left_out_, p_, q_.coeffs(), filtered_.p_VC,
            filtered_.q_VC.coeffs(), filtered_.V_VC, stamp_, at_, moved_, last_, before_, odd_,
            doubted_, p_doubted_, q_doubted_.coeffs(), doubted_stamp_, doubt_.residual, doubt_.way,
            doubt_.turn, doubt_.fast);
  }

 private:
  static constexpr std::uint8_t kSteady = 3;

  /// A place, and the motion that led there: what the next frame is judged by.
  struct Course {
    Eigen::Vector3d p = Eigen::Vector3d::Zero();
    Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
    Vector6d V = Vector6d::Zero();  // in V [m/s, rad/s]
    Nanoseconds stamp = 0;
    bool moves = false;  // V is known
    void state(StateArchive& archive) { archive(p, q.coeffs(), V, stamp, moves); }
  };

  void measure(const Eigen::Vector3d& p, const Eigen::Quaterniond& q, double dt, double smoothing);
  /// How a frame is off a course.
  struct Off {
    Vector6d residual = Vector6d::Zero();  // from where it led, in V [m, rad]
    double way = 0.0, turn = 0.0;          // of what is allowed
    bool fast = false;                     // faster than a pose may be
    bool leaps() const { return way > 1.0 || turn > 1.0 || fast; }
  };
  static Off off(const Course& course, const Eigen::Vector3d& p, const Eigen::Quaterniond& q,
                 Nanoseconds stamp, const DeviceLimits& limits);
  bool stays_away(const Off& now) const;
  void go_on(const Eigen::Vector3d& p, const Eigen::Quaterniond& q, Nanoseconds stamp, bool odd);

  TrackedAs as_ = TrackedAs::kNone;
  std::uint8_t good_ = 0;  // samples since the last break, up to kSteady
  Break why_ = Break::kNothingYet;
  std::uint32_t breaks_ = 0;
  std::uint64_t left_out_ = 0;
  Eigen::Vector3d p_ = Eigen::Vector3d::Zero();
  Eigen::Quaterniond q_ = Eigen::Quaterniond::Identity();
  PoseEstimate filtered_;  // at the time of the last news
  Nanoseconds stamp_ = 0;  // of the last news, by the device [ns]
  Nanoseconds at_ = 0;     // of the tick that took it [ns]
  Nanoseconds moved_ = 0;  // when the pose last differed from that before, by the device [ns]
  Course last_, before_;   // of the last news, and of that before
  bool odd_ = false;       // last_ is not where before_ led: it may be a bad frame itself
  bool doubted_ = false;   // the frame below may be bad
  Eigen::Vector3d p_doubted_ = Eigen::Vector3d::Zero();
  Eigen::Quaterniond q_doubted_ = Eigen::Quaterniond::Identity();
  Nanoseconds doubted_stamp_ = 0;
  Off doubt_;  // how it is off
};

/// A button, or an axis used as one.
struct Control {
  bool is_axis = false;
  std::size_t index = 0;
};

/// Where an axis rests that does not rest at 0, as a throttle or a pedal that reports -1: from
/// there it counts 0 to 1 when it is an end of its range, else -1 to 1 as usual.
struct AxisCentre {
  std::string axis;
  std::optional<double> at;  // -1 to 1; none: where it is when it is first seen
};

class DeviceState {
 public:
  /// @throws InputError when it has too many numbers, or a centre is of an axis that it has not
  DeviceState(std::string name, const DeviceLayout& layout, const DeviceLimits& limits,
              const std::vector<AxisCentre>& centres = {});

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
  /// Down, after it was seen up; an axis above 0.6, until it is below 0.4 again. One that is
  /// negative, as a trigger that rests at -1, is up.
  bool pressed(const Control& control) const {
    return control.is_axis ? axes_[control.index].down : buttons_[control.index].down;
  }
  /// Whether what pressed() says is of a sample that can be believed.
  bool believed(const Control& control) const {
    return control.is_axis ? axes_[control.index].seen_up : buttons_[control.index].seen_up;
  }
  /// Whether the last sample has a number for it, and the device is not silent.
  bool valid(const Control& control) const {
    return control.is_axis ? axes_[control.index].valid : buttons_[control.index].valid;
  }
  /// Down, also when it was never seen up: what a stop goes by.
  bool held(const Control& control) const {
    return control.is_axis ? axes_[control.index].held : buttons_[control.index].held;
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
  /// Numbers that were brought into their range: an axis beyond -1 to 1, a quaternion whose length
  /// is not 1 within 1 %.
  std::uint64_t out_of_range() const { return out_of_range_; }
  /// Bad frames of all poses that were left out.
  std::uint64_t left_out() const;

  void state(StateArchive& archive);

 private:
  struct Axis {
    double value = 0.0;
    bool valid = false, believed = false, seen_up = false, down = false, held = false;
    void state(StateArchive& archive) { archive(value, valid, believed, seen_up, down, held); }
  };
  struct Button {
    bool valid = false, seen_up = false, down = false, held = false;
    void state(StateArchive& archive) { archive(valid, seen_up, down, held); }
  };
  struct Centre {
    double at = 0.0;
    bool known = true;  // else it is where the axis is first seen
    void state(StateArchive& archive) { archive(at, known); }
  };

  void receive_axis(std::size_t index, double number);
  void receive_button(Button& button, double number);
  void interrupt(Break why);
  void forget_controls();

  std::string name_;
  DeviceLayout layout_;
  DeviceLimits limits_;
  std::vector<PoseTrack> poses_;
  std::vector<Axis> axes_;
  std::vector<Centre> centres_;  // of axes_; kept through a silence
  std::vector<Button> buttons_;
  bool present_ = false;
  Break why_ = Break::kNothingYet;
  Nanoseconds stamp_ = 0, arrived_ = 0;  // of the last sample
  FixedText<62> operator_;
  std::uint64_t samples_ = 0, malformed_ = 0, out_of_range_ = 0;
};

}  // namespace handspan
