// The built-in conditions of transitions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "core/error.hpp"
#include "core/named.hpp"
#include "core/object.hpp"
#include "core/values.hpp"
#include "session/condition.hpp"
#include "session/end_effector.hpp"
#include "session/grasp_watch.hpp"
#include "session/judge.hpp"

namespace handspan {
namespace {

struct NoNumbers {};

// a time in the state
class After : public Condition {
 public:
  explicit After(double time) : time_(std::llround(time * 1e9)) {}
  bool holds(const ConditionMoment& now) override { return now.since >= time_; }
  std::string text() const override { return fmt::format("after {:g} s", seconds(time_)); }

 private:
  Nanoseconds time_;
};

class Done : public Condition {
 public:
  bool holds(const ConditionMoment& now) override { return now.done; }
  std::string text() const override { return "when done"; }
};

struct ReachedConfig {
  std::string task;
  double position = 0.005;  // [m]
  double angle = 0.05;      // [rad]
  std::optional<double> speed;
};

// what the task's frame is away from its reference, and the reference from what is wanted
class Reached : public Condition {
 public:
  Reached(const ReachedConfig& config, const ModeContext& context) : config_(config) {
    reference_ = context.arbiter.find_reference(config.task);
    if (const std::string& kind = context.arbiter.reference(reference_).kind(); kind != kPoseKind)
      throw InputError(
          fmt::format("the reference of '{}' is of the kind '{}'; this is for poses of frames",
                      config.task, kind));
    arms_ = context.arms;
    task_ = dynamic_cast<FrameTask*>(&arms_->task(config.task));
  }
  bool holds(const ConditionMoment& now) override {
    const Reference& reference = now.at.arbiter.reference(reference_);
    const Pose &X = reference.motion().pose.X_WE, &X_w = reference.wanted().pose.X_WE;
    const Vector6d& e = task_->pose_error();
    const double p = e.head<3>().norm() + (X_w.p - X.p).norm();
    const double angle = e.tail<3>().norm() + angle_between(X.R, X_w.R);
    return !now.at.arbiter.under_way(reference_) && p <= config_.position && angle <= config_.angle;
  }
  std::string text() const override {
    return fmt::format("when {} is within {:g} m and {:g} rad", config_.task, config_.position,
                       config_.angle);
  }

 private:
  ReachedConfig config_;
  ReferenceIndex reference_;
  WholeArm* arms_;
  FrameTask* task_;
};

struct ForceConfig {
  std::string sensor;
  std::optional<double> above, below;        // [N]
  std::optional<Eigen::Vector3d> direction;  // in the sensor's axes; none: the force's size
  double time = 0.02;                        // for which it must last [s]
};

class Force : public Condition {
 public:
  Force(const ForceConfig& config, const ModeContext& context) : config_(config) {
    sensor_ = find_named("", "force sensor", config.sensor, context.layout.sensors,
                         [](const auto& sensor) -> const std::string& { return sensor.name; });
    if (config_.direction) {
      if (!(config_.direction->norm() > 0.0))
        throw InputError("the direction of a force is zero; give the axis along which it acts");
      config_.direction->normalize();
    }
  }
  void enter() override { since_.reset(); }
  bool holds(const ConditionMoment& now) override {
    const Eigen::Vector3d f = now.at.moment.observation->wrenches[sensor_].head<3>();
    const double size = config_.direction ? f.dot(*config_.direction) : f.norm();
    const bool there =
        (!config_.above || size > *config_.above) && (!config_.below || size < *config_.below);
    if (!there)
      since_.reset();
    else if (!since_)
      since_ = now.at.moment.now;
    return since_ && seconds(now.at.moment.now - *since_) >= config_.time;
  }
  std::string text() const override {
    return fmt::format("when the force at {} is{}{}", config_.sensor,
                       config_.above ? fmt::format(" above {:g} N", *config_.above) : "",
                       config_.below ? fmt::format(" below {:g} N", *config_.below) : "");
  }
  void state(StateArchive& archive) override {
    bool has = since_.has_value();
    Nanoseconds since = since_.value_or(0);
    archive(has, since);
    if (archive.loading()) since_ = has ? std::optional(since) : std::nullopt;
  }

 private:
  ForceConfig config_;
  std::size_t sensor_ = 0;
  std::optional<Nanoseconds> since_;
};

struct ButtonConfig {
  std::optional<std::string> source, device;
  std::string button;
  bool down = true;
};

class Button : public Condition {
 public:
  Button(const ButtonConfig& config, const ModeContext& context) : config_(config) {
    if (config.device) {
      device_ = &context.devices.find(*config.device);
      control_ = device_->control(config.button);
      return;
    }
    source_ = context.arbiter.find_source(*config.source);
    if (!context.arbiter.source(source_).has_button(config.button))
      throw InputError(
          fmt::format("the source '{}' has no button '{}'", *config.source, shown(config.button)));
  }
  void enter() override { was_other_ = false; }
  // from one tick of the state to another: one press is one transition
  bool holds(const ConditionMoment& now) override {
    // a device that is silent has neither pressed nor released it
    if (device_ && !device_->believed(control_)) return false;
    const bool down = device_ ? device_->pressed(control_)
                              : now.at.arbiter.source(source_).button(config_.button);
    const bool is = down == config_.down;
    if (!is) was_other_ = true;
    return is && was_other_;
  }
  void state(StateArchive& archive) override { archive(was_other_); }

  std::string text() const override {
    return fmt::format("when {} of {} is {}", config_.button,
                       config_.device ? *config_.device : *config_.source,
                       config_.down ? "pressed" : "released");
  }

 private:
  ButtonConfig config_;
  SourceIndex source_;
  const DeviceState* device_ = nullptr;
  Control control_;
  bool was_other_ = false;  // since the state was entered
};

struct HeldConfig {
  std::string group;
  bool held = true;
};

class Held : public Condition {
 public:
  Held(const HeldConfig& config, const ModeContext& context)
      : config_(config),
        grasps_(context.grasps),
        group_(holding_end_effector(context.layout, config.group)),
        gripper_(context.layout.groups[group_].kind == GroupKind::kGripper) {}
  bool holds(const ConditionMoment& now) override {
    const bool held = gripper_ ? grasps_.grasped(group_)
                               : cup_state(now.at.moment.observation->groups[group_]).holds;
    return held == config_.held;
  }
  std::string text() const override {
    return fmt::format("when {} holds {}", config_.group, config_.held ? "something" : "nothing");
  }

 private:
  HeldConfig config_;
  const GraspWatch& grasps_;
  std::size_t group_;
  bool gripper_;
};

struct EventConfig {
  std::string name;
};

class NamedEvent : public Condition {
 public:
  explicit NamedEvent(const EventConfig& config) : config_(config) {}
  bool holds(const ConditionMoment& now) override {
    return std::ranges::any_of(now.events,
                               [&](const auto& event) { return event == config_.name; });
  }
  std::string text() const override { return fmt::format("on the event {}", config_.name); }

 private:
  EventConfig config_;
};

struct HoldingConfig {
  std::string task;
};

class Holding : public Condition {
 public:
  Holding(const HoldingConfig& config, const ModeContext& context)
      : config_(config), reference_(context.arbiter.find_reference(config.task)) {}
  bool holds(const ConditionMoment& now) override {
    return now.at.arbiter.holding(reference_) && !now.at.arbiter.under_way(reference_);
  }
  std::string text() const override { return fmt::format("when nobody moves {}", config_.task); }

 private:
  HoldingConfig config_;
  ReferenceIndex reference_;
};

struct JudgedConfig {
  std::string judge;
  std::optional<bool> good;
};

class Judged : public Condition {
 public:
  Judged(const JudgedConfig& config, const ModeContext& context)
      : config_(config),
        judges_(context.judges),
        judge_(context.judges.find(config.judge)),
        name_(context.name) {
    // of a real arm nobody sees what became of the object
    if (context.world != nullptr) return;
    unseen_ = fmt::format(
        "waits for a verdict of '{}', and nobody sees how it goes: nothing is simulated; only a "
        "log "
        "has one",
        config.judge);
  }
  bool holds(const ConditionMoment& now) override {
    if (!told_ && !unseen_.empty()) now.at.events.add("unseen", name_, unseen_);
    told_ = true;
    const Verdict verdict = judges_.verdict(judge_);
    return (verdict == Verdict::kGood && config_.good.value_or(true)) ||
           (verdict == Verdict::kNotGood && !config_.good.value_or(false));
  }
  // said once each time that the state is entered
  void enter() override { told_ = false; }
  std::string text() const override {
    return fmt::format("when {} is judged{}{}", config_.judge,
                       !config_.good   ? ""
                       : *config_.good ? " good"
                                       : " not good",
                       unseen_.empty() ? "" : ", which nobody sees: nothing is simulated");
  }
  void state(StateArchive& archive) override { archive(told_); }

 private:
  JudgedConfig config_;
  const Judges& judges_;
  std::size_t judge_;
  FixedText<62> name_;
  FixedText<166> unseen_;  // empty: it is seen
  bool told_ = false;
};

template <class C, class Config>
auto with_context() {
  return [](const Config& config, const ModeContext& context) {
    return std::make_unique<C>(config, context);
  };
}

struct AfterConfig {
  double time = 0.0;
};

}  // namespace

void register_conditions(ConditionRegistry& r) {
  r.add("after",
        object<AfterConfig>("After").required("time", &AfterConfig::time, number("s").min(0),
                                              "in the state"),
        "after a time", [](const AfterConfig& config, const ModeContext&) {
          return std::make_unique<After>(config.time);
        });
  r.add("done", object<NoNumbers>("Done"), "when all modes of the state have come to their end",
        [](const NoNumbers&, const ModeContext&) { return std::make_unique<Done>(); });
  r.add("reached",
        object<ReachedConfig>("Reached")
            .required("task", &ReachedConfig::task, text(), "of a pose")
            .optional("position", &ReachedConfig::position, number("m").above(0))
            .optional("angle", &ReachedConfig::angle, number("rad").above(0)),
        "when a frame is near to where its sources want it",
        with_context<Reached, ReachedConfig>());
  r.add("force",
        object<ForceConfig>("Force")
            .required("sensor", &ForceConfig::sensor, text(), "such as left.wrist")
            .optional("above", &ForceConfig::above, number("N"))
            .optional("below", &ForceConfig::below, number("N"))
            .optional("direction", &ForceConfig::direction, vector<3>(),
                      "in the sensor's axes; left out: the size of the force")
            .optional("time", &ForceConfig::time, number("s").min(0), "for which it lasts")
            .check(
                [](const ForceConfig& c) -> std::optional<Fault> {
                  if (c.above || c.below) return std::nullopt;
                  return Fault{"says neither above nor below", "give one of them"};
                },
                "above or below"),
        "when a force is felt", with_context<Force, ForceConfig>());
  r.add("button",
        object<ButtonConfig>("Button")
            .optional("device", &ButtonConfig::device, text())
            .optional("source", &ButtonConfig::source, text(), "instead of a device")
            .required("button", &ButtonConfig::button, text(),
                      "by its name there; an axis counts as a button")
            .optional("down", &ButtonConfig::down, boolean())
            .check(
                [](const ButtonConfig& c) -> std::optional<Fault> {
                  if (c.device.has_value() != c.source.has_value()) return std::nullopt;
                  return Fault{c.device ? "names a device and a source"
                                        : "names neither a device nor a source",
                               "give one of them"};
                },
                "of a device or of a source"),
        "when a button is pressed or not", with_context<Button, ButtonConfig>());
  r.add("held",
        object<HeldConfig>("Held")
            .required("group", &HeldConfig::group, text(), "a suction cup")
            .optional("held", &HeldConfig::held, boolean()),
        "when a suction cup holds something or nothing", with_context<Held, HeldConfig>());
  r.add("event",
        object<EventConfig>("NamedEvent").required("name", &EventConfig::name, text().identifier()),
        "when an event of that name comes", [](const EventConfig& config, const ModeContext&) {
          return std::make_unique<NamedEvent>(config);
        });
  r.add("judged",
        object<JudgedConfig>("Judged")
            .required("judge", &JudgedConfig::judge, text(), "of the app's judges")
            .optional("good", &JudgedConfig::good, boolean(), "left out: either"),
        "when a judge has its verdict, until what it judges begins anew",
        with_context<Judged, JudgedConfig>());
  r.add("holding", object<HoldingConfig>("Holding").required("task", &HoldingConfig::task, text()),
        "when nobody moves it: clutch released, source silent or lost, stopped",
        with_context<Holding, HoldingConfig>());
}

}  // namespace handspan
