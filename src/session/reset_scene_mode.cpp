// The mode that puts the scene back: free objects, belts and cups as at the start, so that an app
// begins anew by itself. Arms stay where they are, so a state before it moves them away.
#include <fmt/format.h>

#include <algorithm>

#include "core/object.hpp"
#include "core/values.hpp"
#include "plant/world.hpp"
#include "reference/versions.hpp"
#include "session/end_effector.hpp"
#include "session/judge.hpp"
#include "session/modes.hpp"

namespace handspan {
namespace {

struct ResetSceneConfig {
  std::optional<std::string> judge;
};

class ResetSceneMode : public Mode {
 public:
  ResetSceneMode(const ResetSceneConfig& config, const ModeContext& context)
      : world_(context.world), judges_(context.judges), versions_(context.versions) {
    if (versions_ != nullptr) scene_ = versions_->find(kSceneVersion);
    for (const auto& robot : context.scene.robots)
      for (const auto& suction : robot.suctions)
        if (!suction.holds.empty())
          throw InputError(fmt::format(
              "'{}' holds '{}' at the scene's start, and an arm elsewhere cannot; take reset_scene "
              "away, or let the cup begin empty",
              suction.name, suction.holds));
    if (config.judge) judge_ = context.judges.find(*config.judge);
    for (std::size_t g = 0; g < context.layout.groups.size(); ++g) {
      const GroupLayout& group = context.layout.groups[g];
      if (group.kind == GroupKind::kSuction) empty_.emplace_back(g, Eigen::VectorXd::Zero(1));
      if (group.kind == GroupKind::kGripper)
        empty_.emplace_back(g, values_of(open_command(*group.gripper)));
    }
  }

  void enter(const ModeMoment& at) override {
    const EventText why = judge_ ? EventText(judges_.words(*judge_).view()) : EventText();
    if (world_ == nullptr) {
      at.events.add("scene", "not put back",
                    "it is not simulated: put things back by hand, and go on");
      return;
    }
    const int in_the_way = world_->put_back_objects();
    if (in_the_way >= 0) {
      char text[EventText::kMost];
      const auto end =
          fmt::format_to_n(text, sizeof text,
                           "'{}' is where something is to stand; it is moved away and tried again",
                           world_->bodies()[static_cast<std::size_t>(in_the_way)]);
      at.events.add("scene", "not put back",
                    std::string_view(text, std::min(end.size, sizeof text)));
      return;
    }
    if (versions_ != nullptr) versions_->change(scene_);
    for (const auto& [g, command] : empty_) at.manual.groups[g] = command;
    at.events.add("scene", "put back", why);
  }
  bool update(const ModeMoment&) override { return true; }
  std::string text() const override {
    return judge_ ? fmt::format("puts the scene back, since {} says so", judges_.name(*judge_))
                  : std::string("puts the scene back");
  }
  std::vector<std::string> drives() const override { return {}; }

 private:
  World* world_;  // none: nothing is simulated
  const Judges& judges_;
  Versions* versions_;  // none: nobody reads them
  Versions::Id scene_;
  std::optional<std::size_t> judge_;
  std::vector<std::pair<std::size_t, Eigen::VectorXd>> empty_;  // groups, and how they let go
};

}  // namespace

void register_reset_scene_mode(ModeRegistry& registry) {
  registry.add(
      "reset_scene",
      object<ResetSceneConfig>("ResetScene")
          .optional("judge", &ResetSceneConfig::judge, text(),
                    "one of the app's judges, whose words say why"),
      "free objects, belts and cups are as at the scene's start again, unless an arm is in "
      "their way; only what is simulated",
      [](const ResetSceneConfig& config, const ModeContext& context) {
        return std::make_unique<ResetSceneMode>(config, context);
      });
}

}  // namespace handspan
