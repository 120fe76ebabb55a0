// The modes that move nothing by themselves: hold, set, wait.
#include "session/modes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/values.hpp"

namespace handspan {
namespace {

struct HoldConfig {
  std::vector<std::string> tasks;
  bool here = false;
};

class HoldMode : public Mode {
 public:
  HoldMode(const HoldConfig& config, const ModeContext& context) : config_(config) {
    for (const auto& task : config.tasks)
      references_.push_back(context.arbiter.find_reference(task));
  }
  void enter(const ModeMoment& at) override {
    for (const ReferenceIndex r : references_) {
      at.arbiter.give_authority(r, {}, at.moment);
      if (config_.here) at.arbiter.rebase(r);
    }
  }
  bool update(const ModeMoment& at) override {
    return std::ranges::all_of(references_,
                               [&](ReferenceIndex r) { return at.arbiter.reference(r).at_rest(); });
  }
  std::string text() const override {
    return fmt::format("holds {}", fmt::join(config_.tasks, ", "));
  }
  std::vector<std::string> drives() const override { return config_.tasks; }

 private:
  HoldConfig config_;
  std::vector<ReferenceIndex> references_;
};

struct SetConfig {
  std::vector<std::pair<std::string, double>> parameters;
  double time = kRampTime;
};

// Weights and gains change along ramps: an arm may go from one task to another without a jump.
class SetMode : public Mode {
 public:
  SetMode(const SetConfig& config, const ModeContext& context)
      : config_(config), parameters_(context.parameters) {
    for (const auto& [name, value] : config.parameters) {
      const std::size_t parameter = parameters_.find(name);
      const ParameterInfo& info = parameters_.info(parameter);
      if (!(value >= info.min && value <= info.max))
        throw InputError(out_of_range(info, value, {info.min, info.max}));
      settings_.emplace_back(parameter, value);
    }
  }
  void enter(const ModeMoment&) override {
    for (const auto& [parameter, value] : settings_)
      parameters_.set(parameter, value, config_.time);
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
  SetConfig config_;
  ParameterTable& parameters_;
  std::vector<std::pair<std::size_t, double>> settings_;  // parameter, value
  double left_ = 0.0;                                     // [s]
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
                             "live parameters, such as task.hand.weight: 0, "
                             "payload.box.carried: 1, loop_closure.contact.closed: 1, "
                             "belt.conveyor.speed: 0.4")
                   .optional("time", &SetConfig::time, number("s").min(0), "of the ramp"),
               "changes live parameters: weights, gains and payloads along ramps; loop closures "
               "and belts at once",
               [](const SetConfig& config, const ModeContext& context) {
                 return std::make_unique<SetMode>(config, context);
               });
  registry.add("wait", object<NoConfig>("Wait"),
               "what the state before began goes on; without this mode, references hold",
               [](const NoConfig&, const ModeContext&) { return std::make_unique<WaitMode>(); });
}

}  // namespace handspan
