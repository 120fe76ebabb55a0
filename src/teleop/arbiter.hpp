#pragma once
// Who is heard. An outlet is one reference that the controller follows:
// a frame's pose, a robot's joints or the wrench of a loop closure. The modes of an app grant
// sources authority over it, per axis, one or several that share. The outlet follows what they ask
// within its limits and within its leash from the measured arm: what a hand is ahead of that is
// dropped for good, as by a clutch, and a plan waits.
//
// Whenever nobody asks for anything, for whatever reason, the arm stops: the one mechanism of all
// holds. When nobody drives any reference of an arm, it brakes with all of its joints in the least
// time (control/joint_stop.hpp); the references go with the arm and stay where it comes to rest. An
// arm that is at rest already, at its reference or kept from it by a force, keeps its references;
// one that presses in a motion keeps, along the force that it feels, how far its reference is
// ahead, so that what is squeezed stays squeezed. When others drive the arm in other references, a
// reference goes on from where the arm is and brakes to rest by its own limits. A source begins
// from the reference as it is then, so nothing jumps.
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/posture_task.hpp"
#include "control/wrench_task.hpp"
#include "teleop/event.hpp"
#include "teleop/reference.hpp"
#include "teleop/source.hpp"
#include "teleop/way_watch.hpp"
#include "teleop/wrench_reference.hpp"

namespace handspan {

/// Authority of one source over an outlet.
struct Grant {
  int source = 0;
  Axes axes = kAllAxes;
  double share = 1.0;      // against the others on the same axes; more than 0
  bool reengages = false;  // goes on by itself when a source that was lost is good again; else
                           // only after resume(), or granted anew
};

inline constexpr std::size_t kMostGrants = 4;

/// Why an outlet holds that no mode has given to anybody.
inline constexpr std::string_view kNobody = "nobody has authority";

/// How far a pose reference was from the measured arm while it followed, at most; and what a hand
/// was ahead of its leash, all in all.
struct LeashFigures {
  double distance = 0.0, angle = 0.0;         // [m], [rad]
  double dropped = 0.0, dropped_angle = 0.0;  // [m], [rad]
  void state(StateArchive& archive) { archive(distance, angle, dropped, dropped_angle); }
};

class Arbiter {
 public:
  /// @param arms whose tasks it drives; outlives this. None: where frames are is what the tasks
  /// say, and references brake to rest by their own limits
  explicit Arbiter(EventList& events, WholeArm* arms = nullptr) : events_(events), arms_(arms) {}

  /// Who has authority over what now, as the events say that told of it.
  void tell_authorities(EventList& events) const;

  // at set-up; names of outlets are the tasks'

  /// The task keeps its direction from now on, unless its configuration says otherwise.
  /// @return the outlet's index. The task outlives this
  int add_pose(FrameTask& task, const PoseReferenceLimits& limits);
  /// @param limits one a row of the task
  int add_joints(PostureTask& task, std::span<const JointLimits> limits);
  /// The reference of an open loop closure stays zero. @param state of the task's system; outlives
  /// this
  int add_wrench(WrenchTask& task, const ControlState& state, const WrenchReferenceLimits& limits);
  /// @return its index. @throws InputError when the name is taken
  int add_source(std::string name, std::unique_ptr<Source> source);

  /// These hold one thing between them: once all of them have been followed at the same time, all
  /// brake to a hold in the tick in which one is no longer heard, and go on when all are heard
  /// again, each from where its reference is then. One may be followed alone before that, and again
  /// after nobody was heard for any of them for a second.
  /// @throws InputError when one is in such a group already
  void hold_together(std::vector<int> outlets);

  /// @throws InputError naming those there are
  int outlet(std::string_view name) const;
  int source(std::string_view name) const;
  MotionKind kind(int outlet) const { return at(outlet).kind(); }
  bool is_pose(int outlet) const { return kind(outlet) == MotionKind::kPose; }
  /// Of an outlet of a wrench.
  const WrenchTask& wrench_task(int outlet) const { return *at(outlet).wrench_task; }
  const WrenchReferenceLimits& wrench_limits(int outlet) const {
    return at(outlet).wrench->limits();
  }
  int outlets() const { return static_cast<int>(outlets_.size()); }
  const std::string& outlet_name(int outlet) const { return at(outlet).name; }
  const std::string& source_name(int s) const { return sources_[static_cast<std::size_t>(s)].name; }
  Source& source(int s) { return *sources_[static_cast<std::size_t>(s)].source; }
  int source_count() const { return static_cast<int>(sources_.size()); }
  /// How many joints an outlet of joints has.
  Eigen::Index joints(int outlet) const { return at(outlet).wanted.q.size(); }

  // in a tick; nothing allocates or throws

  /// References become the tasks', at rest.
  void start();
  /// These have authority over the outlet from now on; none: it holds. A source that had authority
  /// elsewhere loses it there. At most kMostGrants.
  void grant(int outlet, std::span<const Grant> grants, const Moment& moment);
  /// The reference becomes where the frame or the joints are now, at rest: for tasks that had no
  /// weight and get it back.
  void rebase(int outlet);
  /// All outlets brake to rest and stay until resume(). The first reason stands.
  void stop(std::string_view reason);
  /// Sources that have authority start anew from the references.
  void resume(const Moment& moment);
  bool stopped() const { return stopped_; }
  /// Hands an input to the source it is for. @return false when there is no such source
  bool receive(const Moment& moment, const Input& input);
  /// Asks the sources, moves the references and gives them to the tasks.
  void update(const Moment& moment);

  /// The task follows this in this tick instead of what update() found, which goes on from its own.
  void impose(int outlet, const Motion& reference);

  /// The reference of an outlet.
  const Motion& reference(int outlet) const { return at(outlet).reference; }
  /// What was wanted in the last tick, before the limits; equal to the reference while it holds.
  const Motion& wanted(int outlet) const { return at(outlet).wanted; }
  /// Whether all sources with authority over it have come to their end, and the reference is where
  /// they wanted it.
  bool done(int outlet) const { return at(outlet).done; }
  bool holding(int outlet) const { return at(outlet).holding; }
  /// Whether a plan has authority over it that is not at its end, or nobody was asked yet.
  bool under_way(int outlet) const;
  bool at_rest(int outlet) const;
  /// How often and how long joints' limits or singular poses slowed its frame down.
  const WayWatch& way(int outlet) const { return at(outlet).way; }
  /// Where the arm was measured in this tick: of an outlet of a pose.
  ArmFrame arm(int outlet) const;
  /// Whether the measured arm is where a pose or joints are wanted, in the axes that count, to
  /// these distances [m, rad], and rests there.
  bool arm_is_there(int outlet, double distance, double angle) const;
  /// Of an outlet of a pose.
  const LeashFigures& leash_figures(int outlet) const { return at(outlet).figures; }
  /// Why it holds, in words.
  std::string_view reason(int outlet) const { return at(outlet).reason; }

  void declare(ChannelTable& channels, Rate rate);
  void publish(ChannelTable& channels, Nanoseconds stamp) const;
  void state(StateArchive& archive);

 private:
  struct Heard {
    Grant grant;
    bool begun = false;    // start() was called since it was granted
    bool started = false;  // follows the reference it was started from
    bool lost = false;     // until it is started anew
    bool done = false;
    Axes axes{};  // heard in this tick
    void state(StateArchive& archive) {
      archive(grant.source, grant.axes, grant.share, grant.reengages, begun, started, lost, done,
              axes);
    }
  };
  struct Outlet {
    std::string name;
    FrameTask* pose_task = nullptr;
    PostureTask* posture_task = nullptr;
    std::optional<PoseFollower> pose;
    std::optional<JointFollower> joints;
    WrenchTask* wrench_task = nullptr;
    const ControlState* control = nullptr;  // of the wrench task
    std::optional<WrenchFollower> wrench;
    std::array<Heard, kMostGrants> heard;
    std::uint32_t grants = 0;
    std::array<Motion, kMostGrants> asked;  // by each
    Motion reference, wanted;
    bool holding = true, done = false;
    bool pending = false;  // granted, and not updated since
    bool any = false;      // somebody is heard in this tick
    int mechanism = -1;    // whose; -1: of none that stops
    // a hold began, and the arm does not stop yet
    bool begins = false;
    // goes with the arm's stop, so far from where that takes it
    bool stops = false;
    Eigen::Vector3d p_kept = Eigen::Vector3d::Zero();
    Eigen::Matrix3d R_kept = Eigen::Matrix3d::Identity();
    // joints that nobody drove: where they go back to after a stop, while they are not there
    Eigen::VectorXd home;
    bool away = false, driven = false;
    double pace = 1.0;    // at which plans go on: less while the arm is behind, 0 at the leash
    double waited = 0.0;  // that a plan stands still [s]
    Vector6d ahead = Vector6d::Zero();  // of the leash, what is dropped since it began [m, rad]
    double ahead_for = 0.0;             // since something was dropped last [s]
    LeashFigures figures;
    WayWatch way;  // of a frame that keeps its direction
    FixedText<126> reason = kNobody;
    FixedText<126> held_for;  // the reason of the tick before
    PoseChannel pose_channel, measured_channel;
    VectorChannel velocity_channel, joints_channel, wrench_channel;
    BooleanChannel holding_channel;
    NumberChannel distance_channel, ahead_channel;

    MotionKind kind() const {
      return pose ? MotionKind::kPose : joints ? MotionKind::kJoints : MotionKind::kWrench;
    }
  };
  struct Named {
    std::string name;
    std::unique_ptr<Source> source;
  };
  struct Together {
    std::vector<int> outlets;
    bool engaged = false;  // all were followed at the same time
    double unheard = 0.0;  // since all of them were not [s]
    void state(StateArchive& archive) { archive(engaged, unheard); }
  };

  const Outlet& at(int outlet) const { return outlets_[static_cast<std::size_t>(outlet)]; }
  Outlet& add(std::string name, Eigen::Index joints);
  bool ask(Outlet& outlet, std::uint32_t index, const Moment& moment);
  void keep_together(Together& together, const Moment& moment);
  void merge_pose(Outlet& outlet, Axes& axes) const;
  void merge_joints(Outlet& outlet) const;
  void merge_wrench(Outlet& outlet, Axes& axes) const;
  void hear(Outlet& outlet, const Moment& moment);
  void settle(Outlet& outlet);
  void hold(Outlet& outlet, std::string_view reason);
  Eigen::Vector3d felt_force(const Outlet& outlet) const;
  void find_stops();
  bool joints_are_near(const Outlet& outlet) const;
  void begin_stop(int mechanism);
  void move(Outlet& outlet, const Moment& moment);
  void follow_pose(Outlet& outlet, const Moment& moment);
  void brake_pose(Outlet& outlet, double dt);
  void move_joints(Outlet& outlet, double dt);
  void drop(Outlet& outlet, const Axes& axes, const ArmFrame& arm, double dt);
  void wait(Outlet& outlet, const ArmFrame& arm, double dt);
  void write(Outlet& outlet);
  void give(const Outlet& outlet);
  void tell_way(Outlet& outlet, bool follows, double dt);
  bool arrived(const Outlet& outlet) const;
  void revoke(int source, const Outlet& keeps);
  void tell_authority(const Outlet& outlet, EventList& events) const;
  void go_on(Heard& heard, const Outlet& outlet, const Moment& moment);

  EventList& events_;
  WholeArm* arms_;
  std::vector<Outlet> outlets_;
  std::vector<Named> sources_;
  std::vector<Together> together_;
  bool stopped_ = false;
};

}  // namespace handspan
