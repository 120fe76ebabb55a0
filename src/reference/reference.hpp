#pragma once
// Where a task should be now. A reference moves to where its sources want it, within its limits and
// within its leash from the measured arm, and comes to rest when nobody moves it. The arbiter says
// who moves it (arbiter.hpp); everything that depends on what it is of - a frame's pose, joints,
// the wrench of a loop closure - is here, behind one interface.
//
// Kinds of references register by name. A task says which kind it follows
// (Task::reference_kind()), and the session makes one for each task that does.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/contact_axes.hpp"
#include "control/task.hpp"
#include "core/channel.hpp"
#include "core/registry.hpp"
#include "core/schema.hpp"
#include "reference/event.hpp"
#include "reference/motion.hpp"
#include "reference/source.hpp"

namespace handspan {

class FeedbackTask;
class WholeArm;

/// From which the force on an arm in motion is one: beyond what moving a tool takes [N].
inline constexpr double kPressesMoving = 10.0;

/// Sources that may share a reference.
inline constexpr std::size_t kMaxSharing = 4;

/// What one source with authority over a reference wants in a tick.
struct Wanted {
  Source* source = nullptr;
  const Motion* motion = nullptr;
  Axes axes{};         // in which it has a say in this tick; none: it asks for nothing now
  double share = 1.0;  // against the others on the same axes
  bool done = false;   // it is at its end
  bool jump = false;   // its velocity and acceleration are to be taken at once
  const FeedbackShares* feedback = nullptr;  // that it gives; null: none

  bool active() const;
};

/// A tick in which somebody moves a reference.
struct FollowMoment {
  const Moment& moment;
  std::span<const Wanted> wanted;  // of all that have authority
  EventList& events;
  // the frame A in whose axes authority is given, in W; null: W itself
  const Eigen::Matrix3d* R_WA = nullptr;
};

/// An arm begins to brake with all of its joints.
struct ArmStop {
  bool rests = false;                           // it is at rest already
  bool presses = false;                         // something pushes it with a force
  bool kept = false;                            // at rest, and something keeps it from moving on
  Eigen::Vector3d F = Eigen::Vector3d::Zero();  // the force that it feels, in W [N]
};

/// What a reference is measured in, for people: 1 [unit] is `shown` [shown_unit], and its angle is
/// shown in `shown_angle`.
struct ReferenceUnits {
  const char* unit = "";
  double shown = 1.0;
  const char* shown_unit = "";
  const char* shown_angle = "deg";
};

/// How far the arm is from a reference in this tick, and from what was wanted before the limits
/// [the reference's unit, rad].
struct ReferenceError {
  double error = 0.0, angle = 0.0, lag = 0.0, lag_angle = 0.0;
};

/// How far a reference was from the measured arm while it followed, at most; and what a hand was
/// ahead of its leash, all in all.
struct LeashFigures {
  double distance = 0.0, angle = 0.0;         // [m], [rad]
  double dropped = 0.0, dropped_angle = 0.0;  // [m], [rad]
  void state(StateArchive& archive) { archive(distance, angle, dropped, dropped_angle); }
};

class Reference {
 public:
  static constexpr char kKind[] = "reference";  // what a registered one is called in messages

  /// @param kind its name in the registry  @param task that follows it; outlives it
  /// @param mechanism whose joints stop when a hold begins, of ControlSystem::mechanisms(); -1: of
  /// none, it brakes by its own limits
  Reference(std::string_view kind, Task& task, int mechanism);
  virtual ~Reference() = default;
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  /// The task's.
  const std::string& name() const { return task_.name(); }
  const std::string& kind() const { return kind_; }
  const Task& task() const { return task_; }
  int mechanism() const { return mechanism_; }

  /// Its task, where that has feedback to share out; else null.
  FeedbackTask* feedback_task() const { return feedback_task_; }
  /// At set-up, when all channels are declared: finds those that it reads. @throws InputError for
  /// one that is not there
  virtual void connect(const ChannelTable&) {}

  // in a tick; nothing allocates, locks or throws

  /// Once a tick, before sources are asked: looks at what it is relative to.
  /// @return whether it can be moved now (kActive), as a source says it. kLost: whoever moves it
  /// is lost
  virtual SourceAnswer look(const Moment&) { return {}; }
  /// What the task follows in this tick.
  const Motion& motion() const { return imposed_ ? imposed_motion_ : own(); }
  /// What was wanted in the last tick, before the limits; equal to the motion while it holds.
  const Motion& wanted() const { return wanted_; }
  /// How fast plans may go on: less than 1 while the arm is behind, 0 at the leash.
  virtual double pace() const { return 1.0; }
  /// Of what a plan asks for that goes on at that pace.
  virtual void slow(Motion& /*asked*/, double /*pace*/) const {}
  /// Finite, and what else the kind needs.
  virtual bool is_sane(const Motion& asked) const;
  /// Whether a source with a say in these axes has one at all.
  virtual bool has_say(const Axes& axes) const;
  /// Whether it takes jumps of velocity that a source announces. One that does not goes to the new
  /// velocity within its limits.
  virtual bool takes_jumps() const { return false; }

  /// Becomes where the task is, at rest.
  void start();
  /// Becomes where the frame or the joints are now, at rest, for the task too: for one that had no
  /// weight and gets it back.
  void rebase();
  /// One tick towards what is wanted.
  void follow(const FollowMoment& at);
  /// One tick towards rest, or on the way of an arm that stops.
  void brake(double dt, EventList& events);
  /// The task follows this in this tick; the reference goes on from its own in the next.
  void impose(const Motion& motion);

  /// The arm brakes with all of its joints, and the reference goes along from now on.
  virtual void begin_stop(const ArmStop& /*stop*/) {}
  void end_stop() { stops_ = false; }
  bool stops() const { return stops_; }
  /// Somebody drives the arm in another reference, and this one begins to hold: it goes on from
  /// where the arm is. @return whether it does
  virtual bool hold_from_arm() { return false; }

  /// Whether it is where it was wanted.
  virtual bool arrived() const = 0;
  virtual bool at_rest() const = 0;
  /// Whether the measured arm is where it is wanted, in the axes that count, to these distances
  /// [m, rad], and rests there.
  virtual bool arm_is_there(double /*distance*/, double /*angle*/) const { return true; }
  /// The force on its arm, as a sensor feels it, in W [N]; zero without one.
  virtual Eigen::Vector3d felt_force() const { return Eigen::Vector3d::Zero(); }

  // for who looks on

  virtual ReferenceUnits units() const = 0;
  /// @param measured where its frame was measured; null for kinds that have none
  virtual ReferenceError error(const Pose* measured) const = 0;
  virtual const LeashFigures& leash_figures() const;
  /// Where to draw it; null: nowhere.
  virtual const Pose* pose() const { return nullptr; }
  /// "left.tcp"; empty: it is of no frame.
  virtual std::string frame_name() const { return {}; }

  virtual void declare(ChannelTable& channels, Rate rate) = 0;
  virtual void publish(ChannelTable& channels, Nanoseconds stamp) const = 0;
  /// Everything that a run changes. A kind adds its own.
  virtual void state(StateArchive& archive);

 protected:
  /// The reference itself. It stays one object.
  virtual const Motion& own() const = 0;
  virtual void start_own() = 0;
  virtual void rebase_own() = 0;
  /// Writes `wanted`, and moves own() towards it.
  virtual void follow_own(const FollowMoment& at, Motion& wanted) = 0;
  virtual void brake_own(double dt, EventList& events, Motion& scratch) = 0;
  /// The task follows motion().
  virtual void give() = 0;

  bool stops_ = false;

 private:
  void share_feedback(std::span<const Wanted> wanted);

  std::string kind_;
  Task& task_;
  FeedbackTask* feedback_task_;
  int mechanism_;
  Motion wanted_, imposed_motion_;
  bool imposed_ = false;
};

/// What a reference is made for; what it points to outlives it.
struct ReferenceContext {
  Task& task;
  WholeArm* arms = nullptr;
};

/// The limits of a kind are its keys in `references.TASK` of an app.
using ReferenceRegistry = Registry<Reference, const ReferenceContext&>;

/// Each kind with the limits that it has by itself.
std::vector<ReferenceRegistry::Part> reference_kinds(const ReferenceRegistry& kinds);

/// `references.TASK`: limits of a reference; `type` says its kind, left out: "pose".
Schema<ReferenceRegistry::Part> reference_schema(const ReferenceRegistry& kinds);

}  // namespace handspan
