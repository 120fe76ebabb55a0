#include "plant/plants.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/object.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"
#include "plant/scene_layout.hpp"

namespace handspan {
namespace {

// The keys that plants of every type have.
struct CommonKeys {
  std::vector<std::string> robots;
  bool clock = false;
};

ObjectSchema<CommonKeys> common_keys() {
  return object<CommonKeys>("Plant")
      .optional("robots", &CommonKeys::robots, list(text()),
                "of the scene, that it drives; mujoco: left out, those that no other plant drives")
      .optional("clock", &CommonKeys::clock, boolean(),
                "with the app's clock: plant, a tick is one observation of it");
}

// the object with those keys only
Node only(const Node& node, const std::vector<Description::Field>& fields) {
  Node::Data data;
  data.kind = Node::Kind::kObject;
  data.place = node.place();
  for (const auto& entry : node.entries())
    if (std::ranges::count(fields, entry.key, &Description::Field::key))
      data.entries.push_back(entry);
  return Node(std::make_shared<const Node::Data>(std::move(data)));
}

}  // namespace

Schema<PlantConfig> plant_schema(const Parts& parts) {
  const auto types = parts.of<PlantRegistry>().schema();
  const auto common = common_keys();
  const auto& fields = common.description().fields;
  Description description = types.description();
  for (auto& type : description.fields) {
    Description with = *type.value;
    with.fields.insert(with.fields.begin(), fields.begin(), fields.end());
    type.value = std::make_shared<const Description>(std::move(with));
  }
  return {
      [types, common, description](const Node& node, Reader& reader) -> std::optional<PlantConfig> {
        if (node.kind() != Node::Kind::kObject || node.find("type") == nullptr) {
          types.read(node, reader);  // says so
          return std::nullopt;
        }
        // a slip in a key is told with all keys that the type has
        const auto& type = node.find("type")->scalar();
        const auto of = std::ranges::find(description.fields, type, &Description::Field::key);
        if (of != description.fields.end()) {
          std::vector<std::string> known = {"type"};
          for (const auto& field : of->value->fields) known.push_back(field.key);
          bool good = true;
          for (const auto& entry : node.entries())
            if (!std::ranges::count(known, entry.key)) {
              reader.report_unknown(entry.place, entry.key, known);
              good = false;
            }
          if (!good) return std::nullopt;
        }
        const auto keys = common.read(only(node, common.description().fields), reader);
        const auto part = types.read(node.without("robots").without("clock"), reader);
        if (!keys || !part) return std::nullopt;
        return PlantConfig{node.place(), *part, keys->robots, keys->clock};
      },
      description};
}

std::vector<std::vector<std::string>> robots_of(const PlantConfigs& plants, const Scene& scene) {
  std::vector<std::vector<std::string>> robots;
  for (const auto& [name, plant] : plants) {
    robots.push_back(plant.robots);
    if (plant.driver.name != kMujoco || !plant.robots.empty()) continue;
    for (const auto& robot : robot_names(scene))
      if (std::ranges::none_of(plants, [&](const auto& other) {
            return std::ranges::count(other.second.robots, robot) > 0;
          }))
        robots.back().push_back(robot);
  }
  return robots;
}

std::vector<Issue> check_plants(const PlantConfigs& plants, const Scene& scene, bool waits,
                                const Place& clock) {
  std::vector<Issue> issues;
  if (plants.empty()) return issues;
  const auto key = [](const std::string& name) { return "plants." + name; };
  const auto all = robot_names(scene);
  std::vector<std::pair<std::string, std::string>> driven;  // robot, by which plant
  std::string simulation, ticking;
  for (const auto& [name, plant] : plants) {
    const auto add = [&](std::string what, std::string cause, std::string hint) {
      issues.push_back({plant.place, key(name) + what, std::move(cause), std::move(hint)});
    };
    if (!schema_detail::is_identifier(name))
      add("", "has no proper name", schema_detail::kIdentifierHint);
    for (const auto& robot : plant.robots) {
      if (!std::ranges::count(all, robot)) {
        add(".robots", fmt::format("names '{}', which the scene does not have", shown(robot)),
            did_you_mean(robot, all, "it has"));
        continue;
      }
      const auto other = std::ranges::find(driven, robot, &decltype(driven)::value_type::first);
      if (other != driven.end())
        add(".robots", fmt::format("names '{}', which '{}' drives too", robot, other->second),
            "let one of them drive it");
      else
        driven.emplace_back(robot, name);
    }
    if (plant.driver.name == kMujoco) {
      if (!simulation.empty())
        add("", fmt::format("simulates the scene, and '{}' does too", simulation),
            "take one of them away");
      simulation = name;
      if (plant.clock)
        add(".clock", "is true, and a simulation has no time of its own",
            "take it away; let a real plant be the clock");
    } else if (plant.robots.empty()) {
      add("", "drives no robot",
          fmt::format("say which with robots: [...]; the scene has {}", joined(all)));
    }
    if (plant.clock && plant.driver.name != kMujoco) {
      if (!ticking.empty())
        add(".clock", fmt::format("is true, and that of '{}' is too", ticking),
            "let one of them be the clock; the others' newest observations are taken");
      else if (!waits)
        add(".clock", "is true, and the app's clock is another", "say clock: plant in the app");
      ticking = name;
    }
  }
  const auto robots = robots_of(plants, scene);
  for (const auto& robot : all)
    if (std::ranges::none_of(robots, [&](const auto& of) { return std::ranges::count(of, robot); }))
      issues.push_back({plants.front().second.place, "plants",
                        fmt::format("has none that drives the robot '{}'", robot),
                        simulation.empty()
                            ? "name it in the robots of one, or add one of type mujoco"
                            : fmt::format("name it in the robots of one, or take them out of '{}', "
                                          "which then drives all the others",
                                          simulation)});
  if (waits && ticking.empty())
    issues.push_back({clock, "clock", "is plant, and no plant is the clock",
                      "say clock: true in a plant that is not a simulation"});
  return issues;
}

std::unique_ptr<PlantSet> make_plants(const PlantConfigs& plants, const Scene& scene) {
  const auto robots = robots_of(plants, scene);
  std::vector<PlantMember> members;
  for (std::size_t p = 0; p < plants.size(); ++p) {
    const auto& [name, plant] = plants[p];
    try {
      members.push_back({name, plant.driver.make({name, scene, robots[p]}), plant.clock, {}, {}});
    } catch (const ConfigError&) {
      throw;
    } catch (const InputError& error) {
      throw ConfigError(
          {{plant.place, "plants." + name, fmt::format("cannot be made: {}", error.what()), ""}});
    }
  }
  return std::make_unique<PlantSet>(scene_layout(scene), std::move(members));
}

}  // namespace handspan
