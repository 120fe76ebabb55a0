#include "study/walls_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "core/config.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "scene/load_scene.hpp"
#include "study/push_case.hpp"
#include "study/wall_case.hpp"

namespace handspan {
namespace {

enum class Against { kAny, kWall, kTable, kArm, kPushedTool, kPushedElbow, kTurnedTool };

struct WallsTrialConfig {
  std::filesystem::path robot, tool;
  std::string frame = "tcp", pose = "ready", elbow = "link4", pitch = "joint6";
  std::optional<Drive> drive;  // none: its own
  Feedback feedback = Feedback::kMeasured;
  double stiffness = 100.0;
  StiffnessUnit unit = StiffnessUnit::kPerSecondSquared;
  std::optional<double> acceleration;  // that control may ask of joints [rad/s^2]
  Against against = Against::kAny;
  double leash = 0.15;
  double shallowest = 0.05, deepest = 0.3;  // [m]
  double slowest = 0.05, fastest = 0.5;     // hand [m/s]
  double weakest = 10.0, strongest = 60.0;  // push [N]
  double min_turn = 0.035,
         max_turn = 0.1;  // of the tool, by the torque that is to turn it [rad]
};

// of joints at the start, from the pose: of all, pushed; of the first three, before a wall [rad]
constexpr double kScatter = 0.3, kScatterBeforeWall = 0.15;
// of the tip from a wall or a table at the start; of the middle of another arm's elbow [m]
constexpr double kNear = 0.03, kFar = 0.08, kArmIsAway = 0.25;
constexpr double kWidth = 0.25, kThickness = 0.1;  // of wall and table [m]
constexpr double kMostForce = 150.0;               // of an app that says nothing [N]

std::string list_of(const Eigen::VectorXd& x) { return fmt::format("[{}]", fmt::join(x, ", ")); }

class WallsTrial : public Trial {
 public:
  WallsTrial(const WallsTrialConfig& config, const Parts& parts)
      : config_(config),
        parts_(parts),
        bare_(parse_scene("name: walls\nground: none\nrobots:\n  " +
                              robot_text("arm", config.robot, config.tool, "pose: " + config.pose) +
                              "\n",
                          config.robot / "walls.yaml")),
        model_(bare_.robots[0].description, bare_.physics.gravity),
        data_(model_) {
    if (config_.drive) bare_.robots[0].groups[0].drive = *config_.drive;
    const auto& joints = bare_.robots[0].groups[0].joints;
    pitch_ = std::ranges::find(joints, "arm." + config_.pitch) - joints.begin();
    if (pitch_ == static_cast<std::ptrdiff_t>(joints.size()))
      throw InputError("its robot has no joint '" + config_.pitch + "'");
    for (const std::string& frame : {config_.frame, config_.elbow}) {
      try {
        model_.frame("arm." + frame);
      } catch (const std::out_of_range& error) {
        throw InputError(error.what());
      }
    }
    if (pushes() && !torque_driven())
      throw InputError("an arm gives way to a push where torques drive it; take another robot");
  }

  std::vector<Column> columns() const override {
    return {
        {"against", "", "1 a wall, 2 a table, 3 the other arm, 4 to 6 it is pushed"},
        {"depth", "m", "of the hand"},
        {"force", "N", "largest mean over 50 ms, of the contacts"},
        {"press", "N",
         "likewise, but for 0.3 s after a stop for that force; torque-driven: but for the impact"},
        {"says", "N", "what leash and stiffness say"},
        {"share", "", "press of that"},
        {"slip", "m", "of the tool, across its way, on what it touches"},
        {"distance", "m", "largest, of the reference from the plant's tool"},
        {"beyond", "m", "of that, beyond the leash"},
        {"dropped", "m", "of what the hand was ahead of the leash"},
        {"named", "", "of presses beyond max_force: 1: a hold names the force"},
        {"missed", "", "events that should have come and did not"},
        {"watched", "", "stops by the watch"},
        {"pushed", "N", "or N m"},
        {"off_model", "rad", "of the tool's largest displacement from J M^-1 J^T F / k"},
        {"off_push", "rad", "from the push"},
        {"moved", "m", "the pushed tool, at most"},
        {"foreseen", "m", "by J M^-1 J^T F / k"},
        {"turned", "rad", "the turned tool, at most"},
        {"elbow", "m", "moved while the tool was turned, at most"},
        {"back", "m", "from where the pushed tool was, at the end"}};
  }

  TrialOutcome run(const TrialCase& which) override {
    RandomStream random(which.seed, "walls");
    const auto drawn = static_cast<Against>(1 + random.integer(3));
    const Against against = config_.against == Against::kAny ? drawn : config_.against;
    std::vector<double> values(columns().size(), NAN);
    values[0] = static_cast<double>(against);
    if (pushes())
      push(random, against, values);
    else
      press(random, against, values);
    return {std::move(values), {}};
  }

 private:
  bool pushes() const { return config_.against >= Against::kPushedTool; }
  bool torque_driven() const { return bare_.robots[0].groups[0].drive == Drive::kTorque; }

  // a posture near the pose, whose tool faces down as there or ahead
  Eigen::VectorXd posture(RandomStream& random, bool ahead) {
    Eigen::VectorXd q = bare_.robots[0].q_start;
    for (Eigen::Index j = 0; j < (pushes() ? q.size() : 3); ++j)
      q[j] += pushes() ? random.uniform(-kScatter, kScatter)
                       : random.uniform(-kScatterBeforeWall, kScatterBeforeWall);
    if (!ahead) return q;
    double best = -1.0;
    Eigen::VectorXd q_best = q;
    for (const double turn : {-0.5 * M_PI, 0.5 * M_PI}) {
      Eigen::VectorXd q_turned = q;
      q_turned[pitch_] += turn;
      const Pose X = place(q_turned, config_.frame);
      Eigen::Vector3d out(X.p.x(), X.p.y(), 0.0);
      const double faces = X.R.col(2).dot(out.normalized());
      if (faces <= best) continue;
      best = faces;
      q_best = q_turned;
    }
    return q_best;
  }

  // of a frame, with the first group's joints at q
  Pose place(const Eigen::VectorXd& q, const std::string& frame) {
    Eigen::VectorXd q_all = model_.neutral();
    const auto& joints = bare_.robots[0].groups[0].joints;
    for (std::size_t j = 0; j < joints.size(); ++j)
      q_all[model_.joint(joints[j]).q] = q[static_cast<Eigen::Index>(j)];
    update_kinematics(model_, data_, q_all, Eigen::VectorXd::Zero(model_.nv()));
    return frame_pose(model_, data_, model_.frame("arm." + frame));
  }

  std::string whole_arm_text(const std::string& name, const std::string& task) const {
    const RobotInstance& robot = bare_.robots[0];
    std::string text = fmt::format(
        "    {}: {{type: pose, frame: {}.{}, stiffness: {}{}, orientation_weight: 0.1}}\n", task,
        name, config_.frame, config_.stiffness,
        config_.unit == StiffnessUnit::kNewtonPerMetre ? ", stiffness_unit: N/m" : "");
    if (robot.groups[0].joints.size() > 6)
      text += fmt::format(
          "    {}_posture: {{type: posture, robot: {}, stiffness: 10, weight: 1.0e-4}}\n", task,
          name);
    return text;
  }

  std::string keys(bool two) const {
    const RobotInstance& robot = bare_.robots[0];
    const std::vector<double> acceleration(robot.groups[0].joints.size(),
                                           config_.acceleration.value_or(0.0));
    const std::string arm = fmt::format(
        "{{feedback: {}{}{}}}", config_.feedback == Feedback::kMeasured ? "measured" : "commanded",
        arm_text(robot),
        config_.acceleration ? fmt::format(", acceleration: [{}]", fmt::join(acceleration, ", "))
                             : "");
    return fmt::format(
        R"(whole_arm:
  arms: {{arm.arm: {}{}}}
  tasks:
{}{}  constraints: [{{type: torque_limits}}]
{}sources: {{person: {{type: pose_stream, relative: true}}}}
references: {{hand: {{leash: {}}}}}
machines:
  m:
    start: s
    states: {{s: {{do: [{{type: follow, task: hand, sources: [{{source: person}}]}}]}}}}
)",
        arm, two ? ", other.arm: " + arm : "", whole_arm_text("arm", "hand"),
        two ? whole_arm_text("other", "others") : "",
        two ? "  between_arms: {ignored_pairs: [[arm.*, other.*]]}\n" : "", config_.leash);
  }

  App app(const std::string& scene, bool two) const {
    Scene parsed = parse_scene(scene, bare_.file);
    for (RobotInstance& robot : parsed.robots)
      robot.groups[0].drive = bare_.robots[0].groups[0].drive;
    return made_app(std::move(parsed), keys(two), parts_);
  }

  void press(RandomStream& random, Against against, std::vector<double>& values) {
    const Eigen::VectorXd q = posture(random, against != Against::kTable);
    const Pose X = place(q, config_.frame);
    WallCaseConfig wall;
    wall.frame = "arm." + config_.frame;
    wall.along = X.R.col(2);
    wall.depth = random.uniform(config_.shallowest, config_.deepest);
    wall.speed = config_.slowest * std::pow(config_.fastest / config_.slowest, random.uniform());
    wall.leash = config_.leash;
    if (!torque_driven()) wall.max_force = kMostForce;
    // commanded: the commanded state is at the reference, and the arm is pulled to that
    wall.stiffness = config_.feedback == Feedback::kMeasured ? config_.stiffness
                                                             : ArmConfig().tracking_stiffness;
    std::string scene = "name: walls\nground: none\nrobots:\n  " +
                        robot_text("arm", config_.robot, config_.tool, "q: " + list_of(q)) + "\n";
    const double away = random.uniform(kNear, kFar);
    if (against == Against::kArm) {
      wall.obstacle = "other.";
      const Eigen::Vector3d p =
          X.p + kArmIsAway * wall.along - place(bare_.robots[0].q_start, config_.elbow).p;
      scene += "  " +
               robot_text("other", config_.robot, config_.tool,
                          "pose: " + config_.pose + ", base: {position: " + list_of(p) + "}") +
               "\n";
    } else {
      wall.obstacle = "obstacle";
      const Eigen::Quaterniond turn = X.quaternion();
      scene += fmt::format(
          "fixtures:\n  obstacle: {{pose: {{position: {}, quaternion: {}}}, shapes: "
          "[{{type: box, size: [{}, {}, {}]}}]}}\n",
          list_of(X.p + (away + 0.5 * kThickness) * wall.along), list_of(turn.coeffs()), kWidth,
          kWidth, kThickness);
    }
    const App made = app(scene, against == Against::kArm);
    Session session(made);
    const WallFigures f = press_wall(session, wall);
    values[1] = wall.depth;
    values[2] = f.force;
    values[3] = f.press;
    if (torque_driven()) {
      values[4] = f.says;
      values[5] = f.press / f.says;
    }
    values[6] = f.slip;
    values[7] = f.distance;
    values[8] = std::max(0.0, f.distance - config_.leash);
    values[9] = f.dropped;
    values[10] = f.named;
    values[11] = f.missed;
    values[12] = f.watched;
  }

  void push(RandomStream& random, Against against, std::vector<double>& values) {
    const Eigen::VectorXd q = posture(random, false);
    const App made =
        app("name: walls\nrobots:\n  " +
                robot_text("arm", config_.robot, config_.tool, "q: " + list_of(q)) + "\n",
            false);
    Session session(made);
    PushCaseConfig pushed;
    pushed.frame = "arm." + config_.frame;
    pushed.elbow = "arm." + config_.elbow;
    pushed.at = against == Against::kPushedElbow ? pushed.elbow : pushed.frame;
    pushed.stiffness = config_.stiffness;
    pushed.body = against == Against::kPushedElbow ? pushed.elbow : body_of_tip();
    const Eigen::Vector3d way = random.direction();
    const double strength = random.uniform(config_.weakest, config_.strongest);
    const double turn = random.uniform(config_.min_turn, config_.max_turn);
    if (against == Against::kTurnedTool) {
      // the torque that turns it so far by its gains
      pushed.F_W.tail<3>() = way;
      PlantArm arm(session, "arm", pushed.frame);
      const double turns =
          arm.acceleration_by(pushed.F_W, pushed.frame).tail<3>().norm() / config_.stiffness;
      pushed.F_W *= turn / turns;
    } else {
      pushed.F_W.head<3>() = strength * way;
    }
    const PushFigures f = push_arm(session, pushed);
    values[13] = pushed.F_W.norm();
    values[14] = f.off_model;
    values[15] = f.off_push;
    values[16] = f.moved;
    values[17] = f.foreseen;
    values[18] = f.turned;
    if (against == Against::kTurnedTool) values[19] = f.elbow;
    values[20] = f.back;
  }

  std::string body_of_tip() const {
    const ModelDescription& d = model_.description();
    const auto frame = std::ranges::find(d.frames, "arm." + config_.frame, &FrameDescription::name);
    return frame == d.frames.end() ? "arm." + config_.frame
                                   : d.bodies[static_cast<std::size_t>(frame->body)].name;
  }

  WallsTrialConfig config_;
  const Parts& parts_;
  Scene bare_;  // of the arm alone
  RobotModel model_;
  RobotData data_;
  std::ptrdiff_t pitch_ = 0;
};

}  // namespace

void register_walls_trial(TrialRegistry& registry) {
  using C = WallsTrialConfig;
  const auto schema =
      object<C>("Walls")
          .required("robot", &C::robot, folder(), "of the arm, and of the other arm")
          .optional("tool", &C::tool, folder(), "on its mount; left out: none")
          .optional("frame", &C::frame, text(), "of the tool's tip, z out of the tool")
          .optional("pose", &C::pose, text(),
                    "of its robot.yaml, near which it starts; its tool faces down")
          .optional("elbow", &C::elbow, text(), "the body whose origin is the elbow")
          .optional("pitch", &C::pitch, text(), "the joint that turns the tool ahead")
          .optional("drive", &C::drive,
                    choice<Drive>({{"torque", Drive::kTorque},
                                   {"velocity", Drive::kVelocity},
                                   {"position", Drive::kPosition}}),
                    "of its joints; left out: as its robot.yaml says")
          .optional("feedback", &C::feedback,
                    choice<Feedback>(
                        {{"measured", Feedback::kMeasured}, {"commanded", Feedback::kCommanded}}))
          .optional("stiffness", &C::stiffness, number().above(0), "of the hand's task")
          .optional("stiffness_unit", &C::unit,
                    choice<StiffnessUnit>({{"1/s^2", StiffnessUnit::kPerSecondSquared},
                                           {"N/m", StiffnessUnit::kNewtonPerMetre}}))
          .optional("acceleration", &C::acceleration, number("rad/s^2").above(0),
                    "that control may ask of each joint, as the key of an arm; left out: as its "
                    "limits.yaml says")
          .optional("against", &C::against,
                    choice<Against>({{"any", Against::kAny},
                                     {"wall", Against::kWall},
                                     {"table", Against::kTable},
                                     {"arm", Against::kArm},
                                     {"pushed_tool", Against::kPushedTool},
                                     {"pushed_elbow", Against::kPushedElbow},
                                     {"turned_tool", Against::kTurnedTool}}),
                    "what it presses on, any of wall, table and arm by chance; or where it is "
                    "pushed")
          .optional("leash", &C::leash, number("m").above(0))
          .optional("shallowest", &C::shallowest, number("m").above(0), "of the hand beyond")
          .optional("deepest", &C::deepest, number("m").above(0), "where the tool touches")
          .optional("slowest", &C::slowest, number("m/s").above(0), "hand")
          .optional("fastest", &C::fastest, number("m/s").above(0), "hand")
          .optional("weakest", &C::weakest, number("N").above(0), "push")
          .optional("strongest", &C::strongest, number("N").above(0), "push")
          .optional("min_turn", &C::min_turn, number("rad").above(0),
                    "of the tool by a torque, by its gains")
          .optional("max_turn", &C::max_turn, number("rad").above(0));
  registry.add(
      "walls", schema,
      "hands that go into a wall, a table or another arm, and arms that are pushed: forces, "
      "slip, what is said; which way an arm gives way",
      [](const C& config, const TrialContext& context) {
        return std::make_unique<WallsTrial>(config, context.parts);
      });
}

}  // namespace handspan
