// handspan with parts of one's own: the controller `sag`, the source `circle`, the mode `greet`,
// the plant `ideal`, and for studies the metric `steps` and the trial `dice`.
#include <cli/main.hpp>
#include <control/controller.hpp>
#include <core/random.hpp>
#include <core/values.hpp>
#include <numbers>
#include <plant/plants.hpp>
#include <plant/scene_layout.hpp>
#include <session/mode.hpp>
#include <study/metric.hpp>
#include <study/trial.hpp>
#include <teleop/source.hpp>

using namespace handspan;

// gravity compensation that is off by a factor
struct SagConfig {
  double factor = 0.95;
};

class Sag : public GroupController {
 public:
  Sag(const SagConfig& config, const GroupContext& context)
      : context_(context),
        factor_(config.factor),
        data_(context.model),
        q_(context.model.neutral()) {}

  void start(const GroupState&) override {}

  void update(const GroupState& state, Eigen::Ref<Eigen::VectorXd> command) override {
    const auto& joints = context_.group.joints;
    for (std::size_t i = 0; i < joints.size(); ++i)
      q_[static_cast<int>(i)] = state.q[static_cast<int>(i)];
    command = factor_ * gravity_forces(context_.model, data_, q_).head(command.size());
  }

 private:
  GroupContext context_;
  double factor_;
  RobotData data_;
  Eigen::VectorXd q_;
};

// a circle in the y-z plane, from wherever the reference is
struct CircleConfig {
  double radius = 0.05, period = 2.0;
};

class Circle : public Source {
 public:
  explicit Circle(const CircleConfig& config) : config_(config) {}

  void start(const Moment&, const Motion& reference) override {
    start_ = reference.pose.X_WE;
    t_ = 0.0;
  }
  SourceAnswer update(const Moment& moment, const Motion&, Motion& wanted) override {
    t_ += moment.dt;
    const double w = 2.0 * std::numbers::pi / config_.period, r = config_.radius;
    wanted.pose = {start_, Vector6d::Zero(), Vector6d::Zero()};
    wanted.pose.X_WE.p += r * Eigen::Vector3d(0.0, std::sin(w * t_), 1.0 - std::cos(w * t_));
    wanted.pose.V_WE.head<3>() = r * w * Eigen::Vector3d(0.0, std::cos(w * t_), std::sin(w * t_));
    return {t_ < config_.period ? SourceStatus::kActive : SourceStatus::kDone};
  }
  void state(StateArchive& archive) override { archive(start_.p, start_.R, t_); }

 private:
  CircleConfig config_;
  Pose start_;
  double t_ = 0.0;
};

// says something into the log
struct GreetConfig {
  std::string words;
};

class Greet : public Mode {
 public:
  explicit Greet(const GreetConfig& config) : config_(config) {}
  void enter(const ModeMoment& at) override { at.events.add("greeting", "example", config_.words); }
  bool update(const ModeMoment&) override { return true; }
  std::string text() const override { return "says '" + config_.words + "'"; }
  std::vector<std::string> drives() const override { return {}; }

 private:
  GreetConfig config_;
};

// an arm somewhere else that does what its velocity commands say, 500 times a second. A driver's
// thread would receive and send; here poll() does
struct IdealConfig {
  double start = 0.0;
};

class Ideal : public Plant {
 public:
  static constexpr Nanoseconds kPeriod = 2'000'000;

  Ideal(const IdealConfig& config, const PlantContext& context)
      : layout_(scene_layout(context.scene, context.robots)), command_(Command::zero(layout_)) {
    layout_.period = kPeriod;
    for (auto& group : layout_.groups) {
      group.rate = Rate::from_period(kPeriod);
      observation_.groups.push_back({Eigen::VectorXd::Constant(group.size(), config.start),
                                     Eigen::VectorXd::Zero(group.size()),
                                     Eigen::VectorXd::Zero(group.size())});
    }
    observation_.wrenches.assign(layout_.sensors.size(), Vector6d::Zero());
  }

  const PlantLayout& layout() const override { return layout_; }
  const Observation& read() override { return observation_; }
  void write(const Command& command) override {
    for (std::size_t g = 0; g < command_.groups.size(); ++g)
      if (command.groups[g].allFinite())
        command_.groups[g] = command.groups[g];
      else
        ++faults_.not_finite;
  }
  void poll(Nanoseconds now) override {
    for (; observation_.stamp + kPeriod <= now; observation_.stamp += kPeriod) {
      ++observation_.sequence;
      for (std::size_t g = 0; g < command_.groups.size(); ++g) {
        if (layout_.groups[g].kind != GroupKind::kVelocity) continue;
        observation_.groups[g].v = command_.groups[g];
        observation_.groups[g].q += seconds(kPeriod) * command_.groups[g];
      }
    }
  }
  void advance() override {}
  const CommandFaults& faults() const override { return faults_; }
  void tare(int) override {}
  bool recover() override { return true; }
  void snapshot(std::vector<std::byte>& into) const override { into.clear(); }
  void restore(std::span<const std::byte>) override {}

 private:
  PlantLayout layout_;
  Observation observation_;
  Command command_;
  CommandFaults faults_;
};

// how many ticks a run had
class Steps : public Metric {
 public:
  std::vector<Column> columns() const override { return {{"", "", "ticks of the run"}}; }
  void after_tick(Session&) noexcept override { ++ticks_; }
  void values(Session&, std::span<double> into) override { into[0] = ticks_; }

 private:
  int ticks_ = 0;
};

struct DiceConfig {
  std::int64_t sides = 6;
};

class Dice : public Trial {
 public:
  explicit Dice(const DiceConfig& config) : config_(config) {}
  std::vector<Column> columns() const override { return {{"eyes", "", ""}}; }
  TrialOutcome run(const TrialCase& which) override {
    RandomStream random(which.seed, "dice");
    return {{1.0 + static_cast<double>(random.integer(static_cast<std::uint64_t>(config_.sides)))},
            {}};
  }

 private:
  DiceConfig config_;
};

int main(int argc, char** argv) {
  controllers().add(
      "sag",
      object<SagConfig>("Sag").optional("factor", &SagConfig::factor, number().min(0).max(1)),
      "gravity compensation that is off by a factor",
      [](const SagConfig& config, const GroupContext& context) {
        return std::make_unique<Sag>(config, context);
      });
  sources().add("circle",
                object<CircleConfig>("Circle")
                    .optional("radius", &CircleConfig::radius, number("m").above(0))
                    .optional("period", &CircleConfig::period, number("s").above(0)),
                "one round", [](const CircleConfig& config, const SourceContext&) {
                  return std::make_unique<Circle>(config);
                });
  modes().add("greet", object<GreetConfig>("Greet").required("words", &GreetConfig::words, text()),
              "says something into the log", [](const GreetConfig& config, const ModeContext&) {
                return std::make_unique<Greet>(config);
              });
  plants().add("ideal",
               object<IdealConfig>("Ideal").optional("start", &IdealConfig::start, number("rad"),
                                                     "where its joints are at first"),
               "does exactly what it is told",
               [](const IdealConfig& config, const PlantContext& c) {
                 return std::make_unique<Ideal>(config, c);
               });
  struct Nothing {};
  metrics().add("steps", object<Nothing>("Steps"), "how many ticks a run had",
                [](const Nothing&, const MetricContext&) { return std::make_unique<Steps>(); });
  trials().add(
      "dice", object<DiceConfig>("Dice").optional("sides", &DiceConfig::sides, integer().min(2)),
      "throws one",
      [](const DiceConfig& config, const TrialContext&) { return std::make_unique<Dice>(config); });
  return handspan::main(argc, argv);
}
