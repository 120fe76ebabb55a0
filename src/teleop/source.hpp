#pragma once
// Where references come from: a person, a plan, a recording, vision, a policy.
// A source asks for a motion; the arbiter decides who is heard, and the reference that the
// controller gets keeps its limits whatever is asked. A new skill is a new source.
#include <Eigen/Core>
#include <array>
#include <memory>
#include <string>

#include "control/frame_task.hpp"
#include "core/channel.hpp"
#include "core/registry.hpp"
#include "core/state_archive.hpp"
#include "plant/plant.hpp"
#include "teleop/input.hpp"

namespace handspan {

/// The tick that a source is asked in.
struct Moment {
  std::int64_t tick = 0;
  Nanoseconds now = 0;  // of the tick [ns]
  double dt = 0.001;    // since the last tick [s]
  const Observation* observation = nullptr;
};

/// What a reference is of, and a source asks for.
enum class MotionKind : std::uint8_t { kPose, kJoints, kWrench };
/// "a pose", "joints", "a wrench".
const char* name_of(MotionKind kind);

/// What a source asks for, or what a reference is. Which part counts depends on its kind.
struct Motion {
  PoseReference pose;       // of a frame E in W
  Eigen::VectorXd q, v, a;  // of joints [rad, rad/s, rad/s^2]
  Vector6d wrench =
      Vector6d::Zero();  // of a loop closure, on its b at b's origin, in b's axes [N, N m]
  void state(StateArchive& archive) { archive(pose, q, v, a, wrench); }
};

/// The axes of W (a wrench: of b) along and about which a source has a say; joints: the first
/// counts for all.
using Axes = std::array<bool, 6>;
inline constexpr Axes kAllAxes = {true, true, true, true, true, true};

enum class SourceStatus : std::uint8_t {
  kActive,  // asks for what it wrote
  kDone,    // asks for what it wrote, and that is its end
  kSilent,  // asks for nothing now: the reference brakes to rest
  kLost,    // something failed (stale, not finite): the reference brakes to rest and stays there
            // until the source is started anew
};

struct SourceAnswer {
  SourceStatus status = SourceStatus::kActive;
  const char* reason = "";  // kSilent, kLost: why, as a person reads it; lives for ever
  Axes axes = kAllAxes;     // that it has a say in
};

class Source {
 public:
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  Source() = default;

  /// It gets authority, or goes on after a hold: from this reference. Allocates and throws nothing,
  /// as all that follows.
  virtual void start(const Moment& moment, const Motion& reference) = 0;
  /// It goes on after a hold, from this reference: a plan with what is left of it. By itself: as
  /// start().
  virtual void resume(const Moment& moment, const Motion& reference) { start(moment, reference); }
  /// Whether it comes to an end by itself, so that what it asks for on the way is not a goal.
  virtual bool ends() const { return false; }
  /// What it asks for.
  virtual MotionKind asks_for() const { return MotionKind::kPose; }
  /// While it has authority, once a tick. `wanted` has what it wrote in the tick before.
  virtual SourceAnswer update(const Moment& moment, const Motion& reference, Motion& wanted) = 0;
  /// What it asks for is farther ahead of the arm than the leash is long: it is moved by p and
  /// turned by R about its own origin, in W, for good, as by a clutch. Whether it is: a plan, or
  /// poses that mean places in W, stay what they are.
  virtual bool shift(const Eigen::Vector3d& /*p*/, const Eigen::Matrix3d& /*R*/) { return false; }
  /// An input for it, at the tick that it is latched; also without authority.
  virtual void receive(const Moment&, const Input&) {}
  /// Whether a button is down, for transitions; by the source's own names. False: unknown.
  virtual bool button(std::string_view) const { return false; }
  virtual bool has_button(std::string_view) const { return false; }

  virtual void declare(ChannelTable&, Rate) {}
  virtual void publish(ChannelTable&, Nanoseconds) const {}
  /// Everything that a run changes.
  virtual void state(StateArchive&) {}
};

class Devices;
class WholeArm;
struct Scene;

/// What a source is made for; what it points to outlives it. Null where a test has none.
struct SourceContext {
  std::string name;
  std::uint64_t seed = 0;
  const Devices* devices = nullptr;
  const Scene* scene = nullptr;
  WholeArm* arms = nullptr;
};

using SourceRegistry = Registry<Source, const SourceContext&>;

/// The sources of this process: the built-in ones, and those that a program added.
SourceRegistry& sources();

}  // namespace handspan
