#include "log/logged_plants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "core/error.hpp"
#include "log/log_layout.hpp"
#include "log/observed_plant.hpp"
#include "log/recorded_plant.hpp"
#include "plant/scene_layout.hpp"

namespace handspan {
namespace {

constexpr char kPlantsKey[] = "plants";
constexpr const char* kKinds[] = {"torque", "velocity", "position", "suction", "gripper"};

std::string plant_key(const std::string& name) { return "plant." + name; }
std::string group_key(const std::string& name) { return "group." + name; }

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> all;
  for (std::string word; in >> word;) all.push_back(word);
  return all;
}

// One plant as the log has it.
struct Logged {
  std::string name;
  bool simulated = false, clock = false;
  Nanoseconds period = 0;
  std::vector<std::string> robots;
};

InputError damaged(const LogFile& log, const std::string& key) {
  return InputError(fmt::format("{}: its {} is '{}', which tells of no plant; the log is damaged",
                                log.file().string(), key, shown(log.about(key))));
}

std::int64_t logged_number(const LogFile& log, const std::string& key, const std::string& word) {
  std::int64_t value = 0;
  const char* end = word.data() + word.size();
  if (std::from_chars(word.data(), end, value).ptr != end || value <= 0) throw damaged(log, key);
  return value;
}

std::vector<Logged> logged_plants(const LogFile& log) {
  std::vector<Logged> plants;
  if (!log.about().contains(kPlantsKey)) return plants;
  auto names = words(log.about(kPlantsKey));
  // one that a program gave has no name
  if (names.empty()) names.emplace_back();
  for (const auto& name : names) {
    const std::string key = plant_key(name);
    const auto about = words(log.about(key));
    if (about.size() < 3) throw damaged(log, key);
    plants.push_back({name,
                      about[0] == kSimulated,
                      about[2] == "clock",
                      logged_number(log, key, about[1]),
                      {about.begin() + 3, about.end()}});
  }
  return plants;
}

// groups and sensors of the plant's robots as they are in the scene, driven as they were then
PlantLayout layout_of(const LogFile& log, const Logged& plant, const Scene& scene) {
  PlantLayout layout = scene_layout(scene, plant.robots);
  layout.period = plant.period;
  for (GroupLayout& group : layout.groups) {
    const std::string key = group_key(group.name);
    const auto about = words(log.about(key));
    if (about.size() != 4) throw damaged(log, key);
    const auto kind = std::ranges::find(kKinds, about[0]);
    if (kind == std::end(kKinds)) throw damaged(log, key);
    group.kind = static_cast<GroupKind>(kind - std::begin(kKinds));
    group.rate = Rate::of(logged_number(log, key, about[1]), logged_number(log, key, about[2]));
    group.gravity_compensated = about[3] == "compensated";
  }
  return layout;
}

std::unique_ptr<Plant> simulation_of(const LogFile& log, const Logged& plant, const App& app) {
  const auto found = std::ranges::find(app.plants, plant.name, &PlantConfigs::value_type::first);
  if (found != app.plants.end())
    return found->second.driver.make({plant.name, app.scene, plant.robots});
  throw InputError(
      fmt::format("{}: its simulation '{}' was given by a program and is not in its app; replay "
                  "what it observed with --open",
                  log.file().string(), plant.name));
}

}  // namespace

McapMap plants_about(const PlantSet* plants) {
  if (plants == nullptr) return {{kPlantKey, kSimulated}};
  McapMap about;
  std::string names;
  bool simulated = false, observed = false;
  for (const PlantMember& member : plants->members()) {
    const PlantLayout& layout = member.plant->layout();
    const bool is = member.plant->simulated();
    simulated = simulated || is;
    observed = observed || !is;
    names += (names.empty() ? "" : " ") + member.name;
    std::vector<std::string> robots;
    for (const auto& group : layout.groups) {
      if (!std::ranges::count(robots, group.robot)) robots.push_back(group.robot);
      about[group_key(group.name)] =
          fmt::format("{} {} {} {}", kKinds[static_cast<std::size_t>(group.kind)], group.rate.num,
                      group.rate.den, group.gravity_compensated ? "compensated" : "-");
    }
    about[plant_key(member.name)] = fmt::format("{} {} {}", is ? kSimulated : kObserved,
                                                layout.period, member.clock ? "clock" : "-");
    for (const auto& robot : robots) about[plant_key(member.name)] += " " + robot;
  }
  about[kPlantsKey] = names;
  about[kPlantKey] = !observed ? kSimulated : !simulated ? kObserved : kMixed;
  return about;
}

bool any_observed(const LogFile& log) { return log.about(kPlantKey) != kSimulated; }
bool all_observed(const LogFile& log) { return log.about(kPlantKey) == kObserved; }

SessionOptions replay_options(const LogFile& log, const App& app, bool open) {
  SessionOptions options;
  options.feed = std::make_unique<LogFeed>(log.inputs());
  options.live_inputs = false;
  if (open)
    for (LoggedEvent& event : log.events())
      if (event.kind == "judged")
        options.verdicts.push_back({event.tick, std::move(event.name), event.text});
  const auto plants = logged_plants(log);
  if (plants.empty()) {
    if (open) options.plant = std::make_unique<RecordedPlant>(log, scene_layout(app.scene));
    return options;
  }
  std::vector<PlantMember> members;
  for (const Logged& plant : plants) {
    PlantMember member{plant.name, nullptr, plant.clock, {}, {}};
    if (!plant.simulated)
      member.plant =
          std::make_unique<ObservedPlant>(log, plant.name, layout_of(log, plant, app.scene));
    else if (open)
      member.plant = std::make_unique<RecordedPlant>(log, layout_of(log, plant, app.scene));
    else
      member.plant = simulation_of(log, plant, app);
    members.push_back(std::move(member));
  }
  options.plant = std::make_unique<PlantSet>(scene_layout(app.scene), std::move(members));
  return options;
}

}  // namespace handspan
