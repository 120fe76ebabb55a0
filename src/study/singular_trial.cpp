// One file, since it is the cases of one trial, which share the arm that they are tried on.
#include "study/singular_trial.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <memory>

#include "control/frame_task.hpp"
#include "control/joint_rows.hpp"
#include "control/problem.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "core/values.hpp"
#include "scene/load_scene.hpp"
#include "scene/scene.hpp"

namespace handspan {
namespace {

enum class Law { kKeep, kBefore, kDampedLeastSquares };
enum class Near { kElbow, kShoulder, kWrist, kReach, kAny };

struct SingularTrialConfig {
  std::filesystem::path robot;
  Law law = Law::kKeep;
  Near near = Near::kAny;
  double stiffness = 100.0;
  double slowest = 0.1, fastest = 1.0;   // of ways [m/s]
  double shortest = 0.2, longest = 0.5;  // ways [m]
  std::int64_t holds = 0;                // postures in which it is held, besides its way
  double hold = 20.0;                    // of each [s]
};

// of the reference on its way, and how far it may lead the arm
constexpr double kWayAcceleration = 1.0, kWayLeash = 0.15;  // [m/s^2], [m]
// at the way's end, and after its end again at its start [s]
constexpr double kPause = 1.0, kAfter = 3.0;
// a spring of 45 /s^2 has taken a push of 0.1 m/s back to some micrometres [s]
constexpr double kSettles = 1.5;
// slower than this, a direction cannot be told from noise [m/s]
constexpr double kToolIsMoving = 0.01;
constexpr double kDamping = 0.05;  // of damped least squares
constexpr double kTurning = 0.1;   // orientation against translation [m^2/rad^2]

Scene scene_of(const std::filesystem::path& folder) {
  // a scene would look for it from its own place
  const std::filesystem::path robot = std::filesystem::absolute(folder);
  return parse_scene(
      "name: singular\nground: none\nrobots: {arm: {robot: " + robot.string() + "}}\n",
      robot / "singular.yaml");
}

/// One arm under a pose task of its flange; q'' is exact.
class ModelArm {
 public:
  ModelArm(const Scene& scene, const SingularTrialConfig& config) : law_(config.law) {
    const RobotInstance& robot = scene.robots[0];
    MechanismDescription m{robot.name, robot.description, {}, {}, robot.limits, false};
    m.actuated = robot.groups.front().joints;
    system_.add_mechanism(std::move(m));
    system_.seal();
    state_ = std::make_unique<ControlState>(system_);
    FrameTaskConfig hand;
    hand.frame = robot.name + ".flange";
    hand.axes.assign(6, true);
    hand.stiffness = config.stiffness;
    hand.orientation_weight = kTurning;
    hand.keep_direction = config.law == Law::kKeep;
    auto task = std::make_unique<FrameTask>(hand, TaskContext{system_, "hand"});
    task_ = task.get();
    std::vector<std::unique_ptr<Task>> tasks;
    tasks.push_back(std::move(task));
    std::vector<std::unique_ptr<Constraint>> constraints;
    constraints.push_back(std::make_unique<JerkLimits>(system_));
    problem_ = std::make_unique<ControlProblem>(system_, ProblemConfig{}, std::move(tasks),
                                                std::move(constraints));
    state_->dt = arm().dt = 1.0 / robot.limits.rate.hz();
    for (const JointLimits& limits : mechanism().limits) joints_.emplace_back(limits);
    J_ = Matrix6Xd::Zero(6, mechanism().model->nv());
  }

  const Mechanism& mechanism() const { return system_.mechanisms()[0]; }
  MechanismState& arm() { return state_->mechanisms[0]; }
  FrameTask& task() { return *task_; }
  double dt() const { return state_->dt; }

  /// At rest at q, one an actuated joint.
  void start(const Eigen::VectorXd& q) {
    for (std::size_t j = 0; j < mechanism().actuated.size(); ++j)
      arm().q[mechanism().actuated_q[j]] = q[static_cast<Eigen::Index>(j)];
    arm().v.setZero();
    arm().qdd.setZero();
    problem_->start(*state_);
    look();
  }
  void look() {
    update_kinematics(*mechanism().model, arm().data, arm().q, arm().v);
    X_ = frame_pose(*mechanism().model, arm().data, task_->frame().frame);
    V_ = frame_velocity(*mechanism().model, arm().data, task_->frame().frame);
  }
  const Pose& X() const { return X_; }
  const Vector6d& V() const { return V_; }
  const Matrix6Xd& J() {
    frame_jacobian(*mechanism().model, arm().data, task_->frame().frame, J_);
    return J_;
  }

  void tick(const PoseReference& reference) {
    task_->set_reference(reference);
    if (law_ == Law::kDampedLeastSquares)
      damped(reference);
    else
      problem_->solve(*state_);
    arm().q += dt() * arm().v + 0.5 * dt() * dt() * arm().qdd;
    arm().v += dt() * arm().qdd;
    look();
  }

 private:
  // q' = J^T (J J^T + lambda^2)^-1 V (Nakamura, Hanafusa 1986; Wampler 1986), as MoveIt Servo's and
  // others' velocity control has it, within the joints' limits
  void damped(const PoseReference& reference) {
    Vector6d V = reference.V_WE;
    const double gain = 0.5 * std::sqrt(task_->gains().stiffness);
    V.head<3>() += gain * (reference.X_WE.p - X_.p);
    V.tail<3>() += gain * orientation_error(X_.R, reference.X_WE.R);
    const Matrix6Xd& jacobian = J();
    Eigen::Matrix<double, 6, 6> S = jacobian * jacobian.transpose();
    S.diagonal().array() += kDamping * kDamping;
    const Eigen::VectorXd v = jacobian.transpose() * S.llt().solve(V);
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const int i = mechanism().actuated[j];
      const AccelerationBox box =
          joints_[j].box(arm().q[mechanism().actuated_q[j]], arm().v[i], dt());
      arm().qdd[i] = std::clamp((v[i] - arm().v[i]) / dt(), box.lower, box.upper);
    }
  }

  Law law_;
  ControlSystem system_;
  std::unique_ptr<ControlState> state_;
  FrameTask* task_ = nullptr;
  std::unique_ptr<ControlProblem> problem_;
  std::vector<JointViability> joints_;
  Pose X_;
  Vector6d V_ = Vector6d::Zero();
  Matrix6Xd J_;
};

/// Least singular value of J, turning counted by its weight.
double least_singular_value(Matrix6Xd J) {
  J.bottomRows<3>() *= std::sqrt(kTurning);
  return Eigen::JacobiSVD<Eigen::MatrixXd>(J).singularValues()[5];
}

class SingularTrial : public Trial {
 public:
  explicit SingularTrial(const SingularTrialConfig& config)
      : config_(config), scene_(scene_of(config.robot)), arm_(scene_, config) {
    if (scene_.robots[0].groups.front().joints.size() < 6)
      throw InputError("its robot has fewer than six joints, so that every pose of it is singular");
  }

  std::vector<Column> columns() const override {
    return {{"speed", "m/s", "that is asked for"},
            {"turn", "rad", "most that the tool turned off its way while faster than 1 cm/s"},
            {"fast", "", "most of the tool's speed, of what is asked for"},
            {"off", "m", "farthest from the way"},
            {"out", "m", "farthest along it"},
            {"left", "m", "from where it began, at the end"},
            {"slow", "s", "slower than half of what is asked for by joints or a singular pose"},
            {"named", "", "1: whenever it was slow what binds was told"},
            {"moved", "m", "of its holds: most, from 1.5 s after each on"}};
  }

  TrialOutcome run(const TrialCase& which) override {
    RandomStream random(which.seed, "singular");
    arm_.start(posture(random, near_of(random), 1.0));
    std::vector<double> values = way(random);
    double moved = config_.holds > 0 ? 0.0 : NAN;
    for (std::int64_t i = 0; i < config_.holds; ++i) {
      arm_.start(posture(random, near_of(random), 0.0));
      moved = std::max(moved, hold(random));
    }
    values.push_back(moved);
    return {values, {}};
  }

 private:
  // joints by their place in the chain: of a UR the elbow is 2 and the wrist that aligns 4, of an
  // FR3 3 and 5
  //
  // `far`: 0 in a singular pose, 1 at some distance from it
  Eigen::VectorXd posture(RandomStream& random, Near near, double far) {
    const Mechanism& m = arm_.mechanism();
    const auto n = static_cast<Eigen::Index>(m.limits.size());
    const Eigen::Index elbow = n == 6 ? 2 : 3, wrist = n == 6 ? 4 : 5;
    Eigen::VectorXd best(n);
    double least = HUGE_VAL;
    // holds begin in the most singular of some postures, ways at some distance
    const int tries = far > 0.0 ? 1 : 8;
    for (int i = 0; i < tries; ++i) {
      Eigen::VectorXd q(n);
      for (Eigen::Index j = 0; j < n; ++j) {
        const JointLimits& l = m.limits[static_cast<std::size_t>(j)];
        const double lower = std::max(l.lower, -M_PI), upper = std::min(l.upper, M_PI);
        q[j] = random.uniform(lower + 0.2, upper - 0.2);
      }
      const auto within = [&](Eigen::Index j, double value) {
        const JointLimits& l = m.limits[static_cast<std::size_t>(j)];
        q[j] = std::clamp(value, l.lower + 0.02, l.upper - 0.02);
      };
      const double side = random.uniform() < 0.5 ? -1.0 : 1.0;
      if (near == Near::kElbow) within(elbow, side * far * random.uniform(0.1, 0.7));
      if (near == Near::kWrist)
        within(wrist, n == 6 ? side * far * random.uniform(0.05, 0.5) : random.uniform(0.6, 1.1));
      if (near != Near::kElbow && near != Near::kWrist)
        within(elbow, n == 6 ? side * random.uniform(0.9, 2.2) : -random.uniform(0.9, 2.2));
      const double weakest = weakest_of(q);
      if (weakest < least) {
        least = weakest;
        best = q;
      }
    }
    return best;
  }

  Near near_of(RandomStream& random) {
    near_ = config_.near == Near::kAny ? static_cast<Near>(random.integer(4)) : config_.near;
    return near_;
  }

  double weakest_of(const Eigen::VectorXd& q) {
    arm_.start(q);
    return least_singular_value(arm_.J());
  }

  // the one of some directions in which the pose becomes singular most quickly; out of reach: away
  // from the shoulder
  Eigen::Vector3d direction(RandomStream& random) {
    const auto some = [&] { return random.direction(); };
    if (near_ == Near::kReach) {
      const Eigen::Vector3d shoulder(0.0, 0.0, 0.2);
      return ((arm_.X().p - shoulder).normalized() + 0.5 * some()).normalized();
    }
    const Eigen::VectorXd q = arm_.arm().q;
    const Matrix6Xd J = arm_.J();
    const double here = least_singular_value(J);
    Eigen::Vector3d best = some();
    double fastest = HUGE_VAL;
    for (int i = 0; i < 12; ++i) {
      const Eigen::Vector3d d = some();
      Vector6d V = Vector6d::Zero();
      V.head<3>() = d;
      const Eigen::VectorXd v = J.completeOrthogonalDecomposition().solve(V);
      const double step = 1e-3;
      arm_.arm().q = q + step * v;
      arm_.look();
      const double change = (least_singular_value(arm_.J()) - here) / step;
      if (change < fastest) {
        fastest = change;
        best = d;
      }
    }
    arm_.arm().q = q;
    arm_.look();
    return best;
  }

  // a reference along a line that goes to `goal` no faster than `speed`, and waits for the arm
  struct Line {
    double r = 0.0, v = 0.0, a = 0.0;
    void go(double goal, double at, double lead, double speed, double dt) {
      const double to = std::clamp(goal, std::min(r, at - lead), std::max(r, at + lead));
      const double e = to - r;
      const double wanted = std::copysign(std::min({std::sqrt(2.0 * kWayAcceleration * std::abs(e)),
                                                    std::abs(e) / (4.0 * dt), speed}),
                                          e);
      a = std::clamp((wanted - v) / dt, -2.0 * kWayAcceleration, 2.0 * kWayAcceleration);
      if (v * wanted >= 0.0 && std::abs(wanted) > std::abs(v))
        a = std::clamp(a, -kWayAcceleration, kWayAcceleration);
      v += a * dt;
      r += v * dt;
    }
  };

  double lead() {
    if (config_.law != Law::kKeep) return kWayLeash;
    return std::min(kWayLeash, std::max(kShortestLead, kLeadTime * arm_.task().way().allowed()));
  }

  std::vector<double> way(RandomStream& random) {
    const Eigen::Vector3d along = direction(random);
    const double speed =
        config_.slowest * std::pow(config_.fastest / config_.slowest, random.uniform());
    const double length = random.uniform(config_.shortest, config_.longest);
    arm_.start(actuated());
    const PoseReference start = arm_.task().reference();
    Line line;
    double turn = 0.0, fast = 0.0, off = 0.0, out = 0.0, slow = 0.0, unnamed = 0.0;
    const double there = length / speed + kPause, end = 2.0 * there + kAfter;
    for (double t = 0.0; t < end; t += arm_.dt()) {
      const Eigen::Vector3d moved = arm_.X().p - start.X_WE.p;
      const double at = moved.dot(along);
      line.go(t < there ? length : 0.0, at, lead(), speed, arm_.dt());
      PoseReference reference = start;
      reference.X_WE.p += line.r * along;
      reference.V_WE.head<3>() = line.v * along;
      reference.A_WE.head<3>() = line.a * along;
      arm_.tick(reference);
      const Eigen::Vector3d v = arm_.V().head<3>();
      const double moves = v.norm();
      if (moves > kToolIsMoving)
        turn = std::max(turn, std::acos(std::min(1.0, std::abs(v.dot(along)) / moves)));
      fast = std::max(fast, moves / speed);
      off = std::max(off, (moved - at * along).norm());
      out = std::max(out, at);
      const double goal = t < there ? length : 0.0;
      const bool under_way = std::abs(goal - at) > 0.02;
      const bool bound = arm_.task().way().bound() != WayBound::kNone;
      if (under_way && moves < 0.5 * speed && std::abs(line.v) < 0.5 * speed && t > 0.5) {
        slow += arm_.dt();
        unnamed = bound ? 0.0 : unnamed + arm_.dt();
        worst_unnamed_ = std::max(worst_unnamed_, unnamed);
      } else {
        unnamed = 0.0;
      }
    }
    const double named = worst_unnamed_ < 0.5 ? 1.0 : 0.0;
    worst_unnamed_ = 0.0;
    return {speed, turn, fast, off, out, (arm_.X().p - start.X_WE.p).norm(), slow, named};
  }

  Eigen::VectorXd actuated() {
    const Mechanism& m = arm_.mechanism();
    Eigen::VectorXd q(static_cast<Eigen::Index>(m.actuated.size()));
    for (std::size_t j = 0; j < m.actuated.size(); ++j)
      q[static_cast<Eigen::Index>(j)] = arm_.arm().q[m.actuated_q[j]];
    return q;
  }

  // half a second of a push some way, let go, and what moves after the hold
  double hold(RandomStream& random) {
    const Eigen::Vector3d along = random.direction();
    arm_.start(actuated());
    PoseReference reference = arm_.task().reference();
    const PoseReference start = reference;
    Line line;
    for (double t = 0.0; t < 0.5; t += arm_.dt()) {
      const double at = (arm_.X().p - start.X_WE.p).dot(along);
      line.go(1.0, at, lead(), 0.1, arm_.dt());
      reference.X_WE.p = start.X_WE.p + line.r * along;
      reference.V_WE.head<3>() = line.v * along;
      reference.A_WE.head<3>() = line.a * along;
      arm_.tick(reference);
    }
    // as a hold does: the reference comes to rest at the arm
    reference = {arm_.X(), Vector6d::Zero(), Vector6d::Zero()};
    Pose held = arm_.X();
    double moved = 0.0;
    for (double t = 0.0; t < config_.hold; t += arm_.dt()) {
      if (t < kSettles) held = arm_.X();
      arm_.tick(reference);
      if (t >= kSettles) moved = std::max(moved, (arm_.X().p - held.p).norm());
    }
    return moved;
  }

  SingularTrialConfig config_;
  Scene scene_;
  ModelArm arm_;
  Near near_ = Near::kElbow;
  double worst_unnamed_ = 0.0;
};

}  // namespace

void register_singular_trial(TrialRegistry& registry) {
  using C = SingularTrialConfig;
  const auto schema =
      object<C>("SingularWays")
          .required("robot", &C::robot, folder(), "of the arm: six joints or seven")
          .optional("law", &C::law,
                    choice<Law>({{"keep_direction", Law::kKeep},
                                 {"before", Law::kBefore},
                                 {"damped_least_squares", Law::kDampedLeastSquares}}),
                    "how it is controlled; before: the same QP without keep_direction")
          .optional("near", &C::near,
                    choice<Near>({{"elbow", Near::kElbow},
                                  {"shoulder", Near::kShoulder},
                                  {"wrist", Near::kWrist},
                                  {"reach", Near::kReach},
                                  {"any", Near::kAny}}),
                    "near which singular poses ways begin; reach: they lead out of it")
          .optional("holds", &C::holds, integer().min(0).max(1000),
                    "singular postures besides, in each of which it is pushed some way for 0.5 s "
                    "and then held")
          .optional("stiffness", &C::stiffness, number("1/s^2").above(0))
          .optional("slowest", &C::slowest, number("m/s").above(0))
          .optional("fastest", &C::fastest, number("m/s").above(0))
          .optional("shortest", &C::shortest, number("m").above(0))
          .optional("longest", &C::longest, number("m").above(0))
          .optional("hold", &C::hold, number("s").above(0), "each of holds");
  registry.add(
      "singular_ways", schema,
      "straight ways of an arm through and past singular poses and out of reach, and holds "
      "in them",
      [](const C& config, const TrialContext&) { return std::make_unique<SingularTrial>(config); });
}

}  // namespace handspan
