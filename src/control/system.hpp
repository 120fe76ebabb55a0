#pragma once
// Everything that one QP controls at once: the mechanisms of an app (arms,
// held objects, floating bases), what joins them rigidly, known payloads, and where each unknown
// stands in x = [q'' of each mechanism; forces of loop closures; multipliers of mimic joints and
// rolling bases]. Torques are no unknowns: M q'' + h - J^T F - C^T lambda gives them. ControlSystem
// is immutable, ControlState one loop's workspace. Letters: W world, E end-effector frame, C centre
// of mass.
#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/ramp.hpp"
#include "robot/limits.hpp"
#include "robot/model.hpp"

namespace handspan {

/// What add_mechanism() needs.
struct MechanismDescription {
  std::string name;  // "left"
  ModelDescription description;
  std::vector<std::string> actuated;  // joints whose torques are ours; each needs limits
  std::vector<std::string> held;      // joints that others drive: q'' = 0 here, observed
  RobotLimits limits;
  bool torque_rate = true;  // the rate of its torques is limited: it takes torques
};

struct Mechanism {
  std::string name;
  std::unique_ptr<const RobotModel> model;
  int offset = 0;                        // of q'' in x
  int multipliers = 0;                   // offset of the multipliers of its constraint rows
  std::vector<int> actuated;             // indices into v
  std::vector<int> actuated_q;           // of the same joints, into q
  std::vector<int> passive;              // indices into v whose equation of motion has no torque
  std::vector<int> held;                 // indices into v
  std::vector<JointLimits> limits;       // one an actuated joint, in the order of `actuated`
  std::vector<std::string> joint_names;  // one an actuated joint
  std::optional<CartesianLimits> cartesian;
  Rate rate;  // at which it takes commands
  bool torque_rate = true;
};

/// With which what must not drift apart is stabilised, critically damped: 20 rad/s [1/s^2].
inline constexpr double kHoldStiffness = 400.0;

/// Two frames that do not move against one another; its six unknowns are the force and torque on
/// b's mechanism at b's origin, in W [N, N m].
struct LoopClosure {
  std::string name;
  int a = 0, b = 0;  // mechanisms
  FrameId frame_a, frame_b;
  std::string name_b;                 // of frame b
  int offset = 0;                     // in x
  double stiffness = kHoldStiffness;  // with which they go back to where they were closed [1/s^2];
                                      // damping is critical
};

/// A known body that a mechanism may carry.
struct Payload {
  std::string name;
  int mechanism = 0;
  FrameId frame;      // E, to which it is fixed
  Inertial inertial;  // in E
};

class ControlSystem {
 public:
  explicit ControlSystem(const Eigen::Vector3d& gravity = Eigen::Vector3d(0.0, 0.0, -9.81))
      : gravity_(gravity) {}

  // at set-up; each throws InputError with cause and hint

  /// @return its index. Throws when the name is taken, a joint does not exist, or an actuated one
  /// has no limits
  int add_mechanism(MechanismDescription description);
  /// Frames by their full names ("left.tcp"). @param stiffness see LoopClosure @return index of the
  /// loop closure
  int add_loop_closure(std::string name, std::string_view frame_a, std::string_view frame_b,
                       double stiffness = kHoldStiffness);
  int add_payload(std::string name, std::string_view frame, const Inertial& inertial);
  /// Ends set-up: the places of all unknowns are fixed.
  void seal();

  const std::vector<Mechanism>& mechanisms() const { return mechanisms_; }
  const std::vector<LoopClosure>& loop_closures() const { return loop_closures_; }
  const std::vector<Payload>& payloads() const { return payloads_; }
  const Eigen::Vector3d& gravity() const { return gravity_; }
  int unknowns() const { return unknowns_; }

  struct FrameOf {
    int mechanism = -1;
    FrameId frame;
  };
  /// The mechanism that has a frame or body of that name. @throws InputError naming the frames
  FrameOf frame(std::string_view name) const;
  /// @throws InputError naming the mechanisms there are
  int mechanism(std::string_view name) const;
  /// The actuated joint's mechanism and index among `actuated`. @throws InputError
  std::pair<int, int> actuated_joint(std::string_view name) const;
  int loop_closure(std::string_view name) const;
  int payload(std::string_view name) const;

 private:
  Eigen::Vector3d gravity_;
  std::vector<Mechanism> mechanisms_;
  std::vector<LoopClosure> loop_closures_;
  std::vector<Payload> payloads_;
  int unknowns_ = 0;
};

struct MechanismState {
  explicit MechanismState(const Mechanism& mechanism);

  Eigen::VectorXd q, v;        // what the controller works on
  RobotData data;              // kinematics at q, v
  Eigen::MatrixXd M;           // with payloads
  Eigen::VectorXd h;           // with payloads
  Eigen::VectorXd qdd;         // of the tick before
  Eigen::VectorXd tau;         // that realise q'' on the model, one an actuated joint [N m]
  Eigen::VectorXd tau_before;  // tau + extra_torque of the tick before [N m]
  // torque that the low-level law adds to what the QP asks for, within the same limits [N m]
  Eigen::VectorXd extra_torque;
  // rows of mimic joints and rolling bases: C v' = c, after stabilisation
  Eigen::MatrixXd C;
  Eigen::VectorXd c;
  // over which each actuated joint's acceleration can swing from one limit to the other, by its
  // jerk and its torque's rate, at least dt; and the longest of them [s]. Limits on speeds look so
  // far ahead, since nearer they would ask for what jerk and torque rate do not allow.
  Eigen::VectorXd horizons;
  double horizon = 0.001;
  double dt = 0.001;  // until its next command [s]
  bool due = true;    // takes a command in this tick; else q'' stays what it was
  // a collision row kept it from something in the tick before: tasks slide along what is there
  bool obstructed = false;
  // the largest force that its sensors feel, smoothed, in W; zero without one [N]
  Eigen::Vector3d felt_force = Eigen::Vector3d::Zero();
  // q and v are what is measured of an arm that torques drive: not every q'' comes about
  bool measured = false;
};

struct LoopClosureState {
  bool closed = false;               // forces act and the frames are held together
  bool closing = false;              // closes at the next update_state()
  Pose X_ab;                         // at which they were closed
  Matrix6Xd J_a, J_b;                // of the point of a's and of b's mechanism at b's origin, in W
  Vector6d rate = Vector6d::Zero();  // acceleration of b against a that the loop closure asks for,
                                     // without the part of q'': J_b q''_b - J_a q''_a = rate
};

struct ControlState {
  explicit ControlState(const ControlSystem& system);

  std::vector<MechanismState> mechanisms;
  std::vector<LoopClosureState> loop_closures;
  std::vector<Ramp> payload;  // 0 ... 1: how much of each payload is carried
  double dt = 0.001;          // since the last tick [s]

  /// What a run changes and the next tick needs before update_state().
  void state(StateArchive& archive);
};

/// Closes a loop closure where its frames will be at the next update_state(), or opens it now: for
/// who acts between two of them.
void ask_loop_closure(ControlState& state, int loop_closure, bool closed);

/// Closes a loop closure where its frames are now, or opens it. Needs update_state.
void set_loop_closure(const ControlSystem& system, ControlState& state, int loop_closure,
                      bool closed);

/// One row of the equations of motion on x: A x + h_v = torque on coordinate v of a mechanism. What
/// the row does not touch must be zero already. Needs update_state.
void equation_of_motion_row(const ControlSystem& system, const ControlState& state, int mechanism,
                            int v, Eigen::Ref<Eigen::RowVectorXd> row);

/// No horizon is longer than this [s].
inline constexpr double kLongestHorizon = 0.1;

/// Kinematics, mass matrices and nonlinear effects (payloads included) at the q and v in `state`.
void update_state(const ControlSystem& system, ControlState& state);

}  // namespace handspan
