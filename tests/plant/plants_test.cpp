#include "plant/plants.hpp"

#include <gtest/gtest.h>

#include "core/config.hpp"
#include "core/object.hpp"
#include "core/values.hpp"
#include "mujoco/mujoco_parts.hpp"
#include "plant/plant_parts.hpp"
#include "plant_support.hpp"
#include "support/fake_plant.hpp"

namespace handspan {
namespace plants_test {

struct FakeConfig {
  double noise = 0.0;
};

test::FakeDiary diary;

Parts made_parts() {
  Parts parts;
  register_plants(parts);
  register_mujoco(parts);
  parts.of<PlantRegistry>().add(
      "fake", object<FakeConfig>("FakePlant").optional("noise", &FakeConfig::noise, number("rad")),
      "an arm of the tests", [](const FakeConfig& config, const PlantContext& context) {
        if (config.noise > 1.0) throw InputError("there is nobody at the other end");
        test::FakeOptions options;
        options.noise = config.noise;
        return std::make_unique<test::FakePlant>(context.scene, context.robots, options, diary);
      });
  return parts;
}

const Parts& parts() {
  static const Parts made = made_parts();
  return made;
}

const Scene& scene() {
  static const Scene pair = test::scene_of(R"(robots:
  left: {robot: fr3, tool: plate, pose: ready}
  picker: {robot: ur10, tool: vacuum, base: {position: [1.9, 0.0, 0.0]}, pose: stance}
)");
  return pair;
}

struct App {
  PlantConfigs plants;
};

PlantConfigs read(const std::string& text) {
  return parse_yaml(
             "plants:\n" + text, "app.yaml",
             object<App>("App").required("plants", &App::plants, dictionary(plant_schema(parts()))))
      .plants;
}

std::string error(const std::string& text, bool waits = false, bool make = false) {
  try {
    const PlantConfigs plants = read(text);
    const auto issues = check_plants(plants, scene(), waits, {"app.yaml", 9, 1});
    if (!issues.empty()) throw ConfigError(issues);
    if (make) make_plants(plants, scene());
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Plants, MujocoDrivesWhatNoOtherDoes) {
  const PlantConfigs plants =
      read("  sim: {type: mujoco}\n  right: {type: fake, robots: [picker], noise: 0.1}\n");
  EXPECT_EQ(check_plants(plants, scene(), false, {}).size(), 0U);
  EXPECT_EQ(robots_of(plants, scene()),
            (std::vector<std::vector<std::string>>{{"left"}, {"picker"}}));
  const auto set = make_plants(plants, scene());
  ASSERT_EQ(set->members().size(), 2U);
  EXPECT_EQ(set->members()[0].name, "sim");
  EXPECT_EQ(set->world(), set->members()[0].plant->world());
  EXPECT_NE(set->world(), nullptr);
  EXPECT_EQ(set->members()[1].plant->layout().groups.front().name, "picker.arm");
  EXPECT_FALSE(set->has_clock());
}

TEST(Plants, AreRegisteredByName) {
  Parts own = made_parts();
  EXPECT_EQ(own.of<PlantRegistry>().names(), (std::vector<std::string>{"fake", "mujoco", "posed"}));
  EXPECT_THROW(own.of<PlantRegistry>().add(
                   kMujoco, object<FakeConfig>("X"), "",
                   [](const FakeConfig&, const PlantContext&) { return std::unique_ptr<Plant>(); }),
               InputError);
}

TEST(Plants, EveryErrorHasPlaceCauseAndHint) {
  EXPECT_EQ(error("  sim: {type: mujoco}\n"), "accepted");
  EXPECT_EQ(error("  sim: {type: mujoko}\n"),
            "app.yaml:2: plants.sim.type is 'mujoko'; did you mean 'mujoco'?");
  EXPECT_EQ(
      error("  sim: {}\n"),
      "app.yaml:2: plants.sim has no key 'type'; add 'type: NAME', one of fake, mujoco, posed");
  EXPECT_EQ(error("  sim: {type: mujoco, robot: [left]}\n"),
            "app.yaml:2: unknown key 'robot' in plants.sim; did you mean 'robots'?");
  EXPECT_EQ(error("  sim: {type: fake, robots: [left, picker], noize: 1}\n"),
            "app.yaml:2: unknown key 'noize' in plants.sim; did you mean 'noise'?");
  EXPECT_EQ(error("  sim: {type: mujoco, clock: sometimes}\n"),
            "app.yaml:2: plants.sim.clock is 'sometimes'; it must be true or false");
  EXPECT_EQ(
      error("  sim: {type: mujoco}\n  a:\n    type: fake\n    robots: [lefft]\n"),
      "app.yaml:4: plants.a.robots names 'lefft', which the scene does not have; did you mean "
      "'left'?");
  EXPECT_EQ(error("  a: {type: fake, robots: [left, picker]}\n  b: {type: fake, robots: [left]}\n"),
            "app.yaml:3: plants.b.robots names 'left', which 'a' drives too; let one of them drive "
            "it");
  EXPECT_EQ(error("  a: {type: fake, robots: [left]}\n"),
            "app.yaml:2: plants has none that drives the robot 'picker'; name it in the robots of "
            "one, or add one of type mujoco");
  EXPECT_EQ(error("  sim: {type: mujoco, robots: [left]}\n"),
            "app.yaml:2: plants has none that drives the robot 'picker'; name it in the robots of "
            "one, or take them out of 'sim', which then drives all the others");
  EXPECT_EQ(error("  sim: {type: mujoco}\n  a: {type: fake}\n"),
            "app.yaml:3: plants.a drives no robot; say which with robots: [...]; the scene has "
            "left, picker");
  EXPECT_EQ(
      error("  sim: {type: mujoco}\n  sam: {type: mujoco, robots: [left]}\n"),
      "app.yaml:3: plants.sam simulates the scene, and 'sim' does too; take one of them away");
  EXPECT_NE(error("  'a b': {type: mujoco}\n").find("app.yaml:2: plants.a b has no proper name; "),
            std::string::npos);
}

TEST(Plants, OneOfThemMayBeTheClock) {
  const std::string a = "  a: {type: fake, robots: [left], clock: true}\n",
                    b = "  b: {type: fake, robots: [picker], clock: true}\n",
                    sim = "  sim: {type: mujoco}\n";
  EXPECT_EQ(error(sim + a, true), "accepted");
  EXPECT_TRUE(make_plants(read(sim + a), scene())->has_clock());
  EXPECT_EQ(error(a + b, true),
            "app.yaml:3: plants.b.clock is true, and that of 'a' is too; let one of them be the "
            "clock; the others' newest observations are taken");
  EXPECT_EQ(
      error(sim + "  a: {type: fake, robots: [left]}\n", true),
      "app.yaml:9: clock is plant, and no plant is the clock; say clock: true in a plant that "
      "is not a simulation");
  EXPECT_EQ(error(sim + a, false),
            "app.yaml:3: plants.a.clock is true, and the app's clock is another; say clock: plant "
            "in the app");
  EXPECT_EQ(
      error("  sim: {type: mujoco, clock: true}\n", false),
      "app.yaml:2: plants.sim.clock is true, and a simulation has no time of its own; take it "
      "away; let a real plant be the clock");
}

TEST(Plants, WhatADriverSaysIsReportedAtItsPlace) {
  EXPECT_EQ(
      error("  sim: {type: mujoco}\n  a: {type: fake, robots: [left], noise: 2}\n", false, true),
      "app.yaml:3: plants.a cannot be made: there is nobody at the other end");
}

TEST(Plants, SchemaDocumentsEveryType) {
  const std::string text = describe(plant_schema(parts()));
  for (const char* word : {"mujoco", "fake", "noise", "robots", "clock"})
    EXPECT_NE(text.find(word), std::string::npos) << word << " in\n" << text;
}

}  // namespace plants_test
}  // namespace handspan
