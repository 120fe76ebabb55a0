// The built-in modes that need no trajectory: hold, wait, teleoperate, call, grip and release.
#include "session/modes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"
#include "plant/mujoco_plant.hpp"

namespace handspan {
namespace {

struct HoldConfig {
  std::vector<std::string> tasks;
  bool here = false;
};

class HoldMode : public Mode {
 public:
  HoldMode(const HoldConfig& config, const ModeContext& context) : config_(config) {
    for (const auto& task : config.tasks) outlets_.push_back(context.arbiter.outlet(task));
  }
  void enter(const ModeMoment& at) override {
    for (const int outlet : outlets_) {
      at.arbiter.grant(outlet, {}, at.moment);
      if (config_.here) at.arbiter.rebase(outlet);
    }
  }
  bool update(const ModeMoment& at) override {
    return std::ranges::all_of(outlets_, [&](int o) { return at.arbiter.at_rest(o); });
  }
  std::string text() const override {
    return fmt::format("holds {}", fmt::join(config_.tasks, ", "));
  }
  std::vector<std::string> drives() const override { return config_.tasks; }

 private:
  HoldConfig config_;
  std::vector<int> outlets_;
};

struct SetConfig {
  std::vector<std::pair<std::string, double>> parameters;
  double time = kRampTime;
};

// Weights and gains change along ramps: an arm may go from one task to another without a jump.
class SetMode : public Mode {
 public:
  SetMode(const SetConfig& config, const ModeContext& context)
      : config_(config), simulation_(context.simulation) {
    for (const auto& [name, value] : config.parameters)
      settings_.push_back(setting(name, value, context));
  }
  void enter(const ModeMoment&) override {
    for (const Setting& s : settings_) {
      switch (s.field) {
        case Field::kWeight:
          s.task->set_weight(s.value, config_.time);
          break;
        case Field::kStiffness:
          s.task->set_stiffness(s.value, config_.time);
          break;
        case Field::kDamping:
          s.task->set_damping(s.value, config_.time);
          break;
        case Field::kCarried:
          s.arms->carry(s.name, s.value > 0.5, config_.time);
          break;
        case Field::kClosed:
          s.arms->loop_closure(s.name, s.value > 0.5);
          break;
        case Field::kSpeed:
          if (simulation_ != nullptr) simulation_->set_belt_speed(s.name, s.value);
          break;
      }
    }
    left_ = config_.time;
  }
  bool update(const ModeMoment& at) override {
    left_ -= at.moment.dt;
    return left_ <= 0.0;
  }
  std::string text() const override {
    std::vector<std::string> parts;
    for (const auto& [name, value] : config_.parameters)
      parts.push_back(fmt::format("{} = {:g}", name, value));
    return fmt::format("sets {}", fmt::join(parts, ", "));
  }
  std::vector<std::string> drives() const override { return {}; }
  void state(StateArchive& archive) override { archive(left_); }

 private:
  enum class Field { kWeight, kStiffness, kDamping, kCarried, kClosed, kSpeed };
  struct Setting {
    Task* task = nullptr;
    WholeArm* arms = nullptr;
    std::string name;
    Field field = Field::kWeight;
    double value = 0.0;
  };

  static Setting setting(const std::string& name, double value, const ModeContext& context) {
    const auto bad = [&](const std::string& why) {
      return InputError(fmt::format(
          "'{}' is not a parameter: {}; parameters are task.NAME.weight (stiffness, damping), "
          "payload.NAME.carried, loop_closure.NAME.closed and belt.NAME.speed",
          shown(name), why));
    };
    const auto first = name.find('.'), last = name.rfind('.');
    if (first == std::string::npos || first == last) throw bad("it has not three parts");
    const std::string what = name.substr(0, first), of = name.substr(first + 1, last - first - 1),
                      field = name.substr(last + 1);
    Setting s;
    s.value = value;
    s.name = of;
    if (what == "belt" && field == "speed") {
      const auto& belts = context.scene.belts;
      if (std::ranges::none_of(belts, [&](const Belt& b) { return b.body.name == of; }))
        throw bad(fmt::format("the scene has no belt {}", shown(of)));
      s.field = Field::kSpeed;
      return s;
    }
    if (!context.arms) throw bad("the app has no whole_arm");
    s.arms = context.arms;
    if (what == "payload" && field == "carried") {
      context.arms->system().payload(of);
      s.field = Field::kCarried;
      return s;
    }
    if (what == "loop_closure" && field == "closed") {
      context.arms->system().loop_closure(of);
      s.field = Field::kClosed;
      return s;
    }
    if (what != "task") throw bad("there is nothing of that kind");
    s.task = &context.arms->task(of);
    if (field == "weight")
      s.field = Field::kWeight;
    else if (field == "stiffness")
      s.field = Field::kStiffness;
    else if (field == "damping")
      s.field = Field::kDamping;
    else
      throw bad("a task has no " + shown(field));
    const double most = s.field == Field::kWeight      ? kMostWeight
                        : s.field == Field::kStiffness ? kMostStiffness
                                                       : kMostDamping;
    if (!(value >= 0.0 && value <= most))
      throw InputError(
          fmt::format("{} is set to {:g}; it must be from 0 to {:g}", name, value, most));
    return s;
  }

  SetConfig config_;
  MujocoPlant* simulation_;
  std::vector<Setting> settings_;
  double left_ = 0.0;  // [s]
};

struct NoConfig {};

class WaitMode : public Mode {
 public:
  void enter(const ModeMoment&) override {}
  bool update(const ModeMoment&) override { return true; }
  std::string text() const override { return "waits, while what the state before began goes on"; }
  bool keeps() const override { return true; }
  std::vector<std::string> drives() const override { return {}; }
};

struct ShareConfig {
  std::string source;
  std::vector<bool> axes = std::vector<bool>(6, true);
  double share = 1.0;
};

struct FollowConfig {
  std::string task;
  std::vector<ShareConfig> sources;
  bool reengages = false;
};

class FollowMode : public Mode {
 public:
  FollowMode(const FollowConfig& config, const ModeContext& context)
      : config_(config), outlet_(context.arbiter.outlet(config.task)) {
    if (config.sources.size() > kMostGrants)
      throw InputError(fmt::format("{} sources share '{}'; {} is the most", config.sources.size(),
                                   config.task, kMostGrants));
    for (const auto& share : config.sources) {
      Grant grant{context.arbiter.source(share.source), {}, share.share, config.reengages};
      const MotionKind asks = context.arbiter.source(grant.source).asks_for(),
                       is = context.arbiter.kind(outlet_);
      if (asks != is)
        throw InputError(fmt::format("the source '{}' asks for {}, and '{}' is a task of {}",
                                     share.source, name_of(asks), config.task, name_of(is)));
      std::copy(share.axes.begin(), share.axes.end(), grant.axes.begin());
      if (is == MotionKind::kJoints) grant.axes = kAllAxes;
      grants_.push_back(grant);
    }
  }
  void enter(const ModeMoment& at) override { at.arbiter.grant(outlet_, grants_, at.moment); }
  bool update(const ModeMoment& at) override { return at.arbiter.done(outlet_); }
  std::string text() const override {
    std::vector<std::string> names;
    for (const auto& share : config_.sources) names.push_back(share.source);
    return fmt::format("{} follows {}", config_.task, fmt::join(names, ", "));
  }
  std::vector<std::string> drives() const override { return {config_.task}; }
  std::vector<Following> follows() const override {
    std::vector<Following> all;
    for (const Grant& grant : grants_) all.push_back({outlet_, grant.source});
    return all;
  }

 private:
  FollowConfig config_;
  int outlet_;
  std::vector<Grant> grants_;
};

Schema<FollowConfig> follow_schema(const char* name, const char* doc) {
  const auto share = object<ShareConfig>("Share")
                         .required("source", &ShareConfig::source, text())
                         .optional("axes", &ShareConfig::axes, list(boolean()).size(6),
                                   "of W: x, y, z, then about x, y, z; default all")
                         .optional("share", &ShareConfig::share, number().above(0).max(1e3),
                                   "against the others on the same axes");
  return object<FollowConfig>(name, doc)
      .required("task", &FollowConfig::task, text(), "whose reference follows")
      .required("sources", &FollowConfig::sources, list(share).min_size(1).max_size(kMostGrants))
      .optional("reengages", &FollowConfig::reengages, boolean(),
                "goes on by itself when a source that was lost is good again; else after resume");
}

}  // namespace

void register_modes(ModeRegistry& registry) {
  registry.add("hold",
               object<HoldConfig>("Hold")
                   .required("tasks", &HoldConfig::tasks, list(text()).min_size(1), "by name")
                   .optional("here", &HoldConfig::here, boolean(),
                             "where frame or joints are now; left out: where the reference is"),
               "references brake to rest and stay",
               [](const HoldConfig& config, const ModeContext& context) {
                 return std::make_unique<HoldMode>(config, context);
               });
  registry.add("set",
               object<SetConfig>("Set")
                   .required("parameters", &SetConfig::parameters, dictionary(number()),
                             "such as task.hand.weight: 0, payload.box.carried: 1, "
                             "loop_closure.contact.closed: 1, "
                             "belt.conveyor.speed: 0.4")
                   .optional("time", &SetConfig::time, number("s").min(0), "of the ramp"),
               "changes weights, gains and payloads along ramps; loop closures and belts at once",
               [](const SetConfig& config, const ModeContext& context) {
                 return std::make_unique<SetMode>(config, context);
               });
  registry.add("wait", object<NoConfig>("Wait"),
               "what the state before began goes on; without this mode, references hold",
               [](const NoConfig&, const ModeContext&) { return std::make_unique<WaitMode>(); });
  const auto follow = [](const FollowConfig& config, const ModeContext& context) {
    return std::make_unique<FollowMode>(config, context);
  };
  registry.add("teleoperate", follow_schema("Teleoperate", "a reference follows persons"),
               "a reference follows one source or several that share it", follow);
  registry.add("call", follow_schema("Call", "a source is run to its end"),
               "gives authority to a source (a plan, vision, a policy) until it is done", follow);
}

}  // namespace handspan
