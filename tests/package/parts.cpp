// What docs/parts.md shows, as one program: a task, a constraint, a device, a condition, a judge
// and a stage of its own, each as small as it can be whole.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <thread>

#include <handspan/cli/main.hpp>
#include <handspan/control/constraint.hpp>
#include <handspan/control/task.hpp>
#include <handspan/core/object.hpp>
#include <handspan/core/values.hpp>
#include <handspan/device/device.hpp>
#include <handspan/session/condition.hpp>
#include <handspan/session/judge.hpp>
#include <handspan/skills/built_in.hpp>
#include <handspan/study/stage.hpp>

using namespace handspan;

struct HeightConfig : TaskGains {
  std::string frame;
  double height = 0.5;  // [m]
};

class Height : public Task {
 public:
  Height(const HeightConfig& config, const TaskContext& context)
      : Task(context.name, 1, config),
        frame_(context.system.frame(config.frame)),
        height_(config.height) {
    const Mechanism& m = context.system.mechanisms()[static_cast<std::size_t>(frame_.mechanism)];
    J_ = Matrix6Xd::Zero(6, m.model->nv());
    blocks_.push_back({m.offset, Eigen::MatrixXd::Zero(1, m.model->nv())});
  }

  std::vector<Row> error_rows() const override { return {{"height", "m"}}; }
  // its reference is a number of the file, which stays
  void hold(const ControlSystem&, ControlState&) override {}

 protected:
  void fill(const ControlSystem& system, ControlState& state) override {
    const auto m = static_cast<std::size_t>(frame_.mechanism);
    const RobotModel& model = *system.mechanisms()[m].model;
    RobotData& data = state.mechanisms[m].data;
    frame_jacobian(model, data, frame_.frame, J_);
    const double speed = frame_velocity(model, data, frame_.frame)[2];
    const double bias = frame_bias_acceleration(model, data, frame_.frame)[2];
    error_[0] = height_ - frame_pose(model, data, frame_.frame).p.z();
    blocks_[0].A = J_.row(2);
    b_[0] = stiffness() * error_[0] - damping() * speed - bias;
    w_[0] = weight();
    demand_ = weight() * std::abs(error_[0]);
  }

 private:
  ControlSystem::FrameOf frame_;
  double height_;
  Matrix6Xd J_;
};

struct CeilingConfig {
  std::string frame;
  double height = 1.0;        // [m]
  double deceleration = 2.0;  // [m/s^2]
};

class Ceiling : public Constraint {
 public:
  Ceiling(const CeilingConfig& config, const ConstraintContext& context)
      : config_(config), frame_(context.system.frame(config.frame)) {
    const Mechanism& m = context.system.mechanisms()[static_cast<std::size_t>(frame_.mechanism)];
    J_ = Matrix6Xd::Zero(6, m.model->nv());
  }

  std::vector<ConstraintRow> rows() const override {
    return {{"ceiling over " + config_.frame, ConstraintKind::kCartesian, config_.deceleration}};
  }
  void update(const ControlSystem& system, ControlState& state, RowBlock rows) override {
    const auto m = static_cast<std::size_t>(frame_.mechanism);
    const Mechanism& mechanism = system.mechanisms()[m];
    MechanismState& s = state.mechanisms[m];
    if (!s.due) return;  // the arm takes no command in this tick
    frame_jacobian(*mechanism.model, s.data, frame_.frame, J_);
    const double gap = config_.height - frame_pose(*mechanism.model, s.data, frame_.frame).p.z();
    const double closing = frame_velocity(*mechanism.model, s.data, frame_.frame)[2];
    const double bias = frame_bias_acceleration(*mechanism.model, s.data, frame_.frame)[2];
    // the gap's second derivative, -(J q'' + bias), is at least this
    const double least = braking_bound(gap, closing, config_.deceleration, 0.1, s.horizon);
    rows.A.row(0).segment(mechanism.offset, J_.cols()) = J_.row(2);
    rows.upper[0] = -least - bias;
  }

 private:
  CeilingConfig config_;
  ControlSystem::FrameOf frame_;
  Matrix6Xd J_;
};

struct WaveConfig {
  double period = 4.0;  // [s]
};

class Wave : public Device {
 public:
  Wave(const WaveConfig& config, const DeviceContext& context)
      : period_(config.period), sample_(context.name, layout_) {}
  ~Wave() override { close(); }
  Wave(const Wave&) = delete;
  Wave& operator=(const Wave&) = delete;

  const DeviceLayout& layout() const override { return layout_; }
  // the station gives it none: its thread does
  bool takes_samples() const override { return false; }
  void open(Mailbox& mailbox) override {
    thread_ = std::jthread([this, &mailbox](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        // a real driver waits for its hardware here, and reads it
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        const Nanoseconds now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                    std::chrono::steady_clock::now().time_since_epoch())
                                    .count();
        sample_.set_axis(0, std::sin(2.0 * std::numbers::pi * seconds(now) / period_));
        sample_.set_stamp(now);
        mailbox.post(sample_.input());
      }
    });
  }
  // the thread is told to end, and waited for
  void close() noexcept override { thread_ = std::jthread(); }

 private:
  double period_;
  DeviceLayout layout_{{}, {"x"}, {}, {}};  // poses, axes, buttons, outputs
  DeviceSample sample_;
  std::jthread thread_;
};

struct StillConfig {
  std::string group;
  double speed = 0.01;  // [rad/s]
};

class Still : public Condition {
 public:
  Still(const StillConfig& config, const ModeContext& context) : config_(config) {
    const auto& groups = context.layout.groups;
    const auto found = std::ranges::find(groups, config.group, &GroupLayout::name);
    if (found == groups.end())
      throw InputError("there is no group '" + shown(config.group) +
                       "'; handspan check of the scene lists them");
    if (found->joints.empty())
      throw InputError("the group '" + shown(config.group) + "' has no joints");
    group_ = static_cast<std::size_t>(found - groups.begin());
  }

  bool holds(const ConditionMoment& now) override {
    const GroupState& group = now.at.moment.observation->groups[group_];
    return group.v.cwiseAbs().maxCoeff() < config_.speed;
  }
  std::string text() const override { return "when " + config_.group + " has come to rest"; }

 private:
  StillConfig config_;
  std::size_t group_ = 0;
};

struct LiftedConfig {
  std::string object;
  double height = 0.3;  // [m]
};

class Lifted : public Judge {
 public:
  Lifted(const LiftedConfig& config, const JudgeContext& context)
      : config_(config), world_(context.world) {
    const auto is_it = [&](const auto& object) { return object.name == config.object; };
    if (std::ranges::none_of(context.scene.objects, is_it))
      throw InputError("the scene has no free object '" + shown(config.object) + "'");
    body_ = world_.body(config.object);
  }

  void update(Nanoseconds) override {
    highest_ = std::max(highest_, world_.body_pose(body_).p.z());
  }
  Verdict verdict() const override {
    return highest_ >= config_.height ? Verdict::kGood : Verdict::kOpen;
  }
  VerdictText words() const override { return verdict() == Verdict::kGood ? "it was lifted" : ""; }
  std::string text() const override { return "good when " + config_.object + " was lifted"; }
  void state(StateArchive& archive) override { archive(highest_); }

 private:
  LiftedConfig config_;
  const World& world_;
  int body_ = 0;
  double highest_ = -1e9;  // [m]
};

struct SpreadConfig {
  std::string of;
};

class Spread : public Stage {
 public:
  explicit Spread(const SpreadConfig& config) : config_(config) {}

  std::vector<StageValue> run(const StageContext& context) override {
    const std::vector<double> x = context.results.samples(config_.of, "");  // of all cells
    if (x.empty()) throw InputError("no run has a value of '" + shown(config_.of) + "'");
    const auto [least, most] = std::ranges::minmax(x);
    return {{"range", most - least, context.results.unit(config_.of)}};
  }

 private:
  SpreadConfig config_;
};

int main(int argc, char** argv) {
  Parts parts = built_in_parts();
  parts.of<TaskRegistry>().add(
      "height",
      with_gains(object<HeightConfig>("Height", "keeps a frame at a height"))
          .required("frame", &HeightConfig::frame, text(), "such as left.tcp")
          .optional("height", &HeightConfig::height, number("m"), "of its origin"),
      "keeps a frame at a height", [](const HeightConfig& config, const TaskContext& context) {
        return std::make_unique<Height>(config, context);
      });
  parts.of<ConstraintRegistry>().add(
      "ceiling",
      object<CeilingConfig>("Ceiling", "keeps a frame below a height")
          .required("frame", &CeilingConfig::frame, text(), "such as left.tcp")
          .optional("height", &CeilingConfig::height, number("m"))
          .optional("deceleration", &CeilingConfig::deceleration, number("m/s^2").above(0)),
      "keeps a frame below a height",
      [](const CeilingConfig& config, const ConstraintContext& context) {
        return std::make_unique<Ceiling>(config, context);
      });
  parts.of<DeviceRegistry>().add("wave",
                                 object<WaveConfig>("Wave", "an axis that swings by itself")
                                     .optional("period", &WaveConfig::period, number("s").above(0)),
                                 "an axis that swings by itself",
                                 [](const WaveConfig& config, const DeviceContext& context) {
                                   return std::make_unique<Wave>(config, context);
                                 });
  parts.of<ConditionRegistry>().add(
      "still",
      object<StillConfig>("Still", "the joints of a group have come to rest")
          .required("group", &StillConfig::group, text(), "such as left.arm")
          .optional("speed", &StillConfig::speed, number("rad/s").above(0)),
      "the joints of a group have come to rest",
      [](const StillConfig& config, const ModeContext& context) {
        return std::make_unique<Still>(config, context);
      });
  parts.of<JudgeRegistry>().add(
      "lifted",
      object<LiftedConfig>("Lifted", "an object was lifted to a height")
          .required("object", &LiftedConfig::object, text(), "a free one of the scene")
          .optional("height", &LiftedConfig::height, number("m"), "of its origin"),
      "an object was lifted to a height",
      [](const LiftedConfig& config, const JudgeContext& context) {
        return std::make_unique<Lifted>(config, context);
      });
  parts.of<StageRegistry>().add(
      "spread",
      object<SpreadConfig>("Spread", "largest value of a column less the smallest")
          .required("of", &SpreadConfig::of, text(), "a column"),
      "largest value of a column less the smallest",
      [](const SpreadConfig& config) { return std::make_unique<Spread>(config); });
  return handspan::main(argc, argv, parts);
}
