#include "study/throws_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "control/joint_stop.hpp"
#include "core/config.hpp"
#include "core/random.hpp"
#include "person/thrown_hand.hpp"
#include "scene/load_scene.hpp"
#include "study/made_app.hpp"

namespace handspan {
namespace {

// besides the hand's own throws: one there and back, in which the stop button is pressed
constexpr std::size_t kStopped = kThrows, kKinds = kThrows + 1;

struct ThrowsTrialConfig {
  std::filesystem::path robot;
  std::string pose = "ready";
  std::optional<Drive> drive;  // none: its own
  Feedback feedback = Feedback::kCommanded;
  double stiffness = 100.0;                 // [1/s^2]
  double leash = 0.15;                      // [m]
  double leash_angle = 0.5235987755982988;  // [rad]
  double slowest = 2.0, fastest = 7.0;      // of the hand [m/s]
  std::vector<std::vector<std::string>> apart;
  std::optional<std::size_t> only;  // of kKinds
};

// of each joint at the start, from the pose [rad]
constexpr double kThrowScatter = 0.3;
// of the hand, as ThrownHandConfig has them
constexpr double kBegins = 0.4;                             // of its throw [s]
constexpr double kHandAcceleration = 80.0, kCruise = 0.04;  // [m/s^2], [s]
// the next throw closes the clutch 0.15 s after it began [s]
constexpr double kNextCloses = 0.14;
constexpr double kLongest = 15.0;  // no throw takes so long [s]
// slower than these, an arm has nothing to stop, a tool nothing to brake [rad/s], [m/s]
constexpr double kHandMoves = 0.2, kToolMoves = 0.1;
// of its fastest joint since the hold began, what is left when an arm is at rest; and as much it
// has always [rad/s]
constexpr double kLeft = 0.05, kRests = 0.02;
// a first-order lag takes so many of its time constants until kLeft is left
constexpr double kLags = 3.0;
// over which an acceleration is taken [s]
constexpr double kWindow = 0.008;

std::string scene_text(const ThrowsTrialConfig& c) {
  return "name: throws\nground: none\nrobots:\n  " +
         robot_text("arm", c.robot, {}, "pose: " + c.pose) + "\n";
}

std::string app_text(const ThrowsTrialConfig& c, const RobotInstance& robot, double speed,
                     double scale, std::size_t kind) {
  std::string pairs;
  for (const auto& pair : c.apart)
    pairs += fmt::format("{}[arm.{}, arm.{}]", pairs.empty() ? "" : ", ", pair[0], pair[1]);
  return fmt::format(
      R"(whole_arm:
  arms: {{arm.arm: {{feedback: {}{}}}}}
  tasks:
    hand: {{type: pose, frame: arm.flange, stiffness: {}, orientation_weight: 0.1}}
{}  constraints: [{{type: torque_limits}}{}]
devices:
  headset: {{driver: {{type: thrown_hand, speed: {}, acceleration: {}, cruise: {}, throws: [{}]}}}}
sources:
  person:
    type: hand
    device: headset
    pose: right
    scale: [{}, {}, {}]
    clutch: {{safety: right.squeeze, motion: right.trigger}}
references:
  hand:
    {{speed: 3 m/s, acceleration: 30 m/s^2, jerk: 1000 m/s^3, angular_speed: 6 rad/s,
     angular_acceleration: 60 rad/s^2, angular_jerk: 3000 rad/s^3, leash: {}, leash_angle: {}}}
machines:
  m:
    start: s
    states: {{s: {{do: [{{type: follow, task: hand, sources: [{{source: person}}]}}]}}}}
)",
      c.feedback == Feedback::kMeasured ? "measured" : "commanded", arm_text(robot), c.stiffness,
      robot.groups.front().joints.size() > 6
          ? "    posture: {type: posture, robot: arm, stiffness: 10, weight: 1.0e-4}\n"
          : "",
      pairs.empty() ? "" : fmt::format(", {{type: collision, pairs: [{}]}}", pairs), speed,
      kHandAcceleration, kCruise,
      name_of(kind == kStopped ? Throw::kBack : static_cast<Throw>(kind)), scale, scale, scale,
      c.leash, c.leash_angle);
}

/// A throw from its beginning to where the next one begins.
class ThrowRun {
 public:
  /// @param stop when the stop button is pressed; none: it is not [s]
  ThrowRun(Session& session, std::size_t kind, std::optional<double> stop)
      : session_(session),
        hand_(dynamic_cast<const ThrownHand&>(session.devices().driver(0))),
        kind_(kind),
        stop_(stop),
        reference_(session.arbiter().find_reference("hand")),
        lag_(lag_of(session.app().scene.robots[0])),
        arm_(session, "arm", "arm.flange"),
        leash_(reference_) {}

  void run() {
    while (now() < kLongest && !over()) tick();
  }

  double felt = NAN;        // braked so long after the hand turned, less the drive's lag [s]
  double least = NAN;       // time to rest from where the hold began [s]
  double fastest = 0.0;     // the tool [m/s]
  double held_after = NAN;  // the trouble [s]
  bool false_hold = false;
  int watched = 0;

  /// Time to rest, less the drive's lag, of the least; NaN: nothing held it while it moved.
  double rest() const {
    if (!(least > 0.0) || start_speed_ < kHandMoves) return NAN;
    return std::max(0.0, moved_at_ - held_at_ - lag_.delay - kLags * lag_.lag) / least;
  }
  bool held() const { return held_at_ >= 0.0; }
  const LeashWatch& leash() const { return leash_; }
  double dropped() const {
    return session_.arbiter().reference(reference_).leash_figures().dropped;
  }
  /// Of the reference, from where the arm rests [m].
  double apart() {
    arm_.look();
    return (session_.arbiter().reference(reference_).motion().pose.X_WE.p - arm_.X_WE().p).norm();
  }

 private:
  double now() const { return seconds(session_.now()); }
  bool must_hold() const {
    return kind_ == kStopped ? stopped_ : opens(static_cast<Throw>(kind_)) && hand_.troubled();
  }
  std::uint64_t begun() const {
    std::uint64_t all = 0;
    for (std::size_t k = 0; k < kThrows; ++k) all += hand_.begun(static_cast<Throw>(k));
    return all;
  }
  bool over() const { return next_at_ >= 0.0 && now() >= next_at_ + kNextCloses; }

  void tick() {
    arm_.look();
    const Pose X = arm_.X_WE();
    const MechanismState& state = session_.whole_arm()->state().mechanisms[0];
    q_ = state.q;
    v_ = state.v;
    a_ = state.qdd;
    if (stop_ && !stopped_ && now() >= *stop_) {
      Input input;
      input.kind = InputKind::kStop;
      session_.mailbox("operator").post(input);
      stopped_ = true;
    }
    session_.tick();
    arm_.look();
    leash_.after_tick(session_, X);
    for (const Event& event : session_.events().events()) watched += event.kind == "watch";
    if (next_at_ < 0.0 && begun() > 1) next_at_ = now();
    if (next_at_ >= 0.0) return;
    if (trouble_at_ < 0.0 && must_hold()) trouble_at_ = now();
    watch_hold();
    watch_turn();
    fastest = std::max(fastest, arm_.V_WE().head<3>().norm());
  }

  void watch_hold() {
    const bool holds = session_.arbiter().holding(reference_);
    if (!holds) follows_ = true;
    if (follows_ && holds && held_at_ < 0.0) {
      held_at_ = moved_at_ = now();
      const Mechanism& mechanism = session_.whole_arm()->system().mechanisms()[0];
      least = least_stop_time(mechanism, q_, v_, a_);
      start_speed_ = v_.lpNorm<Eigen::Infinity>();
      if (trouble_at_ >= 0.0)
        held_after = held_at_ - trouble_at_;
      else
        false_hold = true;
    }
    if (held_at_ < 0.0) return;
    const double speed = arm_.v().lpNorm<Eigen::Infinity>();
    fastest_joint_ = std::max(fastest_joint_, speed);
    if (speed > std::max(kRests, kLeft * fastest_joint_)) moved_at_ = now();
  }

  // the tool's acceleration against its velocity, over a window
  void watch_turn() {
    const Eigen::Vector3d v_hand = hand_.v_VC(session_.now());
    if (way_.isZero() && !v_hand.isZero()) way_ = v_hand;
    const Eigen::Vector3d v = arm_.V_WE().head<3>();
    Eigen::Vector3d& then = before_[next_ % kRing];
    const auto back =
        static_cast<std::size_t>(std::llround(kWindow * 1e9) / session_.base_period());
    const Eigen::Vector3d v_then = before_[(next_ + kRing - back) % kRing];
    then = v;
    ++next_;
    if (turned_at_ < 0.0 && v_hand.dot(way_) < 0.0) {
      turned_at_ = now();
      looks_ = follows_ && held_at_ < 0.0 && v.norm() > kToolMoves;
    }
    // what holds brakes by itself
    looks_ = looks_ && held_at_ < 0.0;
    if (!looks_ || !((v - v_then).dot(v) < 0.0)) return;
    felt = std::max(0.0, now() - turned_at_ - lag_.delay - lag_.lag);
    looks_ = false;
  }

  Session& session_;
  const ThrownHand& hand_;
  std::size_t kind_;
  std::optional<double> stop_;
  ReferenceIndex reference_;
  DriveLag lag_;
  PlantArm arm_;
  LeashWatch leash_;
  Eigen::VectorXd q_, v_, a_;  // of control, before the tick
  bool stopped_ = false, follows_ = false, looks_ = false;
  // -1: it did not come yet [s]
  double next_at_ = -1.0, trouble_at_ = -1.0, held_at_ = -1.0, moved_at_ = -1.0, turned_at_ = -1.0;
  // of joints, where the hold began and since then [rad/s]
  double start_speed_ = 0.0, fastest_joint_ = 0.0;
  Eigen::Vector3d way_ = Eigen::Vector3d::Zero();
  static constexpr std::size_t kRing = 64;
  std::array<Eigen::Vector3d, kRing> before_{};  // velocities of the tool, tick by tick
  std::size_t next_ = kRing;
};

class ThrowsTrial : public Trial {
 public:
  ThrowsTrial(const ThrowsTrialConfig& config, const Parts& parts)
      : config_(config), parts_(parts) {
    // what cannot be made says so before anything runs
    RandomStream random(0, "throws");
    const App app = make(random, 4.0, 1.0, 0);
    const Session session(app);
  }

  std::vector<Column> columns() const override {
    return {
        {"kind", "",
         "of the throw: back, stop, out_of_reach, bad_frame, gap, leap, gap_leap, recentre, "
         "said_recentre, release, and stopped by its button, from 0"},
        {"speed", "m/s", "of the hand at its fastest"},
        {"scale", "", "of the hand's motion"},
        {"tool", "m/s", "the tool at its fastest"},
        {"least", "s", "least time to rest, from where the arm was when a hold began"},
        {"rest", "", "time until the plant's joints rested, less the drive's lag, of the least"},
        {"felt", "s", "from the hand's turning back until the plant's tool braked, less the lag"},
        {"false_hold", "", "1: it held although nothing was wrong, as by a single frame"},
        {"opened", "", "of leaps, recentres, releases: 1: the clutch opened"},
        {"opened_after", "s", "the first frame of it"},
        {"distance", "m", "largest, of the reference from the plant's tool"},
        {"beyond", "m", "of that, beyond the leash"},
        {"beyond_angle", "rad", "likewise, of turns"},
        {"dropped", "m", "of what the hand was ahead of the leash"},
        {"apart", "m", "of the reference and the tool that a hold stopped, at the end"},
        {"watched", "", "stops by the watch: nobody asked for what was measured"}};
  }

  TrialOutcome run(const TrialCase& which) override {
    RandomStream random(which.seed, "throws");
    const double speed = random.uniform(config_.slowest, config_.fastest);
    const double scale = random.uniform() < 0.5 ? 1.0 : 2.0;
    const std::size_t drawn = random.integer(kKinds);
    const std::size_t kind = config_.only.value_or(drawn);
    const double way_out = 2.0 * speed / kHandAcceleration + kCruise;
    const double stop = kBegins + random.uniform(0.0, way_out);
    App app = make(random, speed, scale, kind);
    app.seed = which.seed;
    SessionOptions options;
    options.live_devices = true;
    Session session(app, std::move(options));
    ThrowRun run(session, kind, kind == kStopped ? std::optional(stop) : std::nullopt);
    run.run();
    const bool must_open = kind == kStopped || opens(static_cast<Throw>(kind));
    const auto number = [](bool b) { return b ? 1.0 : 0.0; };
    return {{static_cast<double>(kind), speed, scale, run.fastest, run.least, run.rest(), run.felt,
             number(run.false_hold), must_open ? number(run.held() && !run.false_hold) : NAN,
             run.held_after, run.leash().distance(),
             std::max(0.0, run.leash().distance() - config_.leash),
             std::max(0.0, run.leash().angle() - config_.leash_angle), run.dropped(),
             run.held() ? run.apart() : NAN, static_cast<double>(run.watched)},
            {}};
  }

 private:
  App make(RandomStream& random, double speed, double scale, std::size_t kind) const {
    Scene scene = parse_scene(scene_text(config_), config_.robot / "throws.yaml");
    RobotInstance& robot = scene.robots[0];
    if (config_.drive) robot.groups[0].drive = *config_.drive;
    for (double& q : robot.q_start) q += random.uniform(-kThrowScatter, kThrowScatter);
    const std::string keys = app_text(config_, robot, speed, scale, kind);
    App app = made_app(std::move(scene), keys, parts_);
    return app;
  }

  ThrowsTrialConfig config_;
  const Parts& parts_;
};

}  // namespace

void register_throws_trial(TrialRegistry& registry) {
  using C = ThrowsTrialConfig;
  const auto schema =
      object<C>("Throws")
          .required("robot", &C::robot, folder(), "of the arm; its flange follows the hand")
          .optional("pose", &C::pose, text(), "of its robot.yaml, near which it starts")
          .optional("drive", &C::drive,
                    choice<Drive>({{"torque", Drive::kTorque},
                                   {"velocity", Drive::kVelocity},
                                   {"position", Drive::kPosition}}),
                    "of its joints; left out: as its robot.yaml says")
          .optional("feedback", &C::feedback,
                    choice<Feedback>(
                        {{"measured", Feedback::kMeasured}, {"commanded", Feedback::kCommanded}}))
          .optional("stiffness", &C::stiffness, number("1/s^2").above(0))
          .optional("leash", &C::leash, number("m").above(0))
          .optional("leash_angle", &C::leash_angle, number("rad").above(0))
          .optional("slowest", &C::slowest, number("m/s").above(0).max(7.5), "hand")
          .optional("fastest", &C::fastest, number("m/s").above(0).max(7.5), "hand")
          .optional("apart", &C::apart, list(list(text()).size(2)),
                    "pairs of its bodies that are kept apart")
          .optional("only", &C::only, integer().min(0).max(kKinds - 1).map([](std::int64_t k) {
            return static_cast<std::size_t>(k);
          }),
                    "one kind of throw, by its number in the column kind; left out: by chance");
  registry.add(
      "throws", schema,
      "throws of a clutched hand, whose tracking may fail, judged by the plant's arm: rest "
      "in the least time, braking when the hand turns, holds",
      [](const C& config, const TrialContext& context) {
        return std::make_unique<ThrowsTrial>(config, context.parts);
      });
}

}  // namespace handspan
