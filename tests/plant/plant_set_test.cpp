#include "plant/plant_set.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "plant/scene_layout.hpp"
#include "plant_support.hpp"
#include "support/alloc.hpp"
#include "support/fake_plant.hpp"

namespace handspan {
namespace plant_set_test {

using test::FakeDiary;
using test::FakeOptions;
using test::FakePlant;

Scene pair() {
  return test::scene_of(R"(robots:
  left: {robot: fr3, tool: plate, pose: ready}
  picker: {robot: ur10, tool: vacuum, base: {position: [1.9, 0.0, 0.0]}, pose: stance}
objects:
  parcel: {pose: {position: [0.9, 0.5, 0.55]}, mass: 0.5, shapes: [{type: box, size: [0.2, 0.2, 0.1]}]}
fixtures:
  post: {pose: {position: [0.9, 0.5, 0.25]}, shapes: [{type: box, size: [0.2, 0.2, 0.5]}]}
)");
}

PlantMember member(const std::string& name, std::unique_ptr<Plant> plant, bool clock = false) {
  return {name, std::move(plant), clock, {}, {}};
}

std::vector<PlantMember> list(PlantMember a) {
  std::vector<PlantMember> members;
  members.push_back(std::move(a));
  return members;
}

std::vector<PlantMember> list(PlantMember a, PlantMember b) {
  auto members = list(std::move(a));
  members.push_back(std::move(b));
  return members;
}

// the picker is a fake, the left arm simulated
struct Mixed {
  explicit Mixed(const FakeOptions& options = {}, bool clock = false) : scene(pair()) {
    auto simulated = std::make_unique<MujocoPlant>(scene, std::vector<std::string>{"left"});
    simulation = simulated.get();
    auto fake =
        std::make_unique<FakePlant>(scene, std::vector<std::string>{"picker"}, options, diary);
    real = fake.get();
    set = std::make_unique<PlantSet>(
        scene_layout(scene),
        list(member("sim", std::move(simulated)), member("right", std::move(fake), clock)));
    arm = static_cast<std::size_t>(set->layout().group("picker.arm"));
    left = static_cast<std::size_t>(set->layout().group("left.arm"));
    command = Command::zero(set->layout());
    start = set->read().groups[arm].q;
  }
  void step(int n) {
    for (int i = 0; i < n; ++i) {
      set->write(command);
      set->advance();
    }
  }
  Scene scene;
  FakeDiary diary;
  MujocoPlant* simulation = nullptr;
  FakePlant* real = nullptr;
  std::unique_ptr<PlantSet> set;
  std::size_t arm = 0, left = 0;
  Command command;
  Eigen::VectorXd start;
};

TEST(PlantSet, HasGroupsAndSensorsInTheOrderOfTheScene) {
  const Mixed mixed;
  const PlantLayout whole = MujocoPlant(mixed.scene).layout(), &united = mixed.set->layout();
  ASSERT_EQ(united.groups.size(), whole.groups.size());
  for (std::size_t g = 0; g < whole.groups.size(); ++g) {
    EXPECT_EQ(united.groups[g].name, whole.groups[g].name);
    EXPECT_EQ(united.groups[g].joints, whole.groups[g].joints);
  }
  ASSERT_EQ(united.sensors.size(), whole.sensors.size());
  for (std::size_t s = 0; s < whole.sensors.size(); ++s)
    EXPECT_EQ(united.sensors[s].name, whole.sensors[s].name);
  EXPECT_EQ(mixed.set->world(), mixed.simulation);
  EXPECT_EQ(mixed.simulation, mixed.set->members()[0].plant.get());
  EXPECT_FALSE(mixed.set->simulated());
}

TEST(PlantSet, TwoRealPlantsAtTheirOwnRates) {
  const Scene scene = pair();
  FakeDiary fast, slow;
  FakeOptions ms, ms8;
  ms8.period = 8'000'000;
  auto a = std::make_unique<FakePlant>(scene, std::vector<std::string>{"left"}, ms, fast);
  auto b = std::make_unique<FakePlant>(scene, std::vector<std::string>{"picker"}, ms8, slow);
  FakePlant &left = *a, &right = *b;
  PlantSet set(scene_layout(scene),
               list(member("a", std::move(a), true), member("b", std::move(b))));
  EXPECT_EQ(set.layout().period, 1'000'000);
  EXPECT_TRUE(set.has_clock());
  const auto arm = static_cast<std::size_t>(set.layout().group("picker.arm"));
  EXPECT_EQ(set.layout().groups[arm].rate, Rate::of(125));
  EXPECT_EQ(set.group_period(arm), 8'000'000);
  EXPECT_EQ(set.world(), nullptr);
  const Command command = Command::zero(set.layout());
  for (int tick = 1; tick <= 80; ++tick) {
    set.write(command);
    ASSERT_TRUE(set.wait());
    set.advance();
    EXPECT_EQ(left.read().sequence, 5000U + static_cast<unsigned>(tick));
    EXPECT_EQ(right.read().sequence, 5000U + static_cast<unsigned>(tick / 8));
    EXPECT_EQ(set.read().sequence, static_cast<std::uint64_t>(tick));
    // the newest of both
    EXPECT_EQ(set.read().stamp, FakePlant::kEpoch + tick * 1'000'000);
    EXPECT_EQ(set.group_stamp(arm), FakePlant::kEpoch + tick / 8 * 8'000'000);
    EXPECT_EQ(set.read().groups[arm].q, right.read().groups[0].q);
    EXPECT_EQ(set.read().groups[0].q, left.read().groups[0].q);
  }
  EXPECT_EQ(fast.waits, 80U);
  EXPECT_EQ(slow.waits, 0U);
  EXPECT_EQ(fast.writes, 80U);
  EXPECT_EQ(slow.writes, 10U);
  EXPECT_EQ(fast.observations, 80U);  // none was polled away beside the waiting
  EXPECT_EQ(fast.advances + slow.advances, 0U);
}

TEST(PlantSet, ASlowClockIsWaitedForOncePerPeriodAndItsEndIsTheSets) {
  FakeOptions options;
  options.period = 8'000'000;
  options.ends_after = 5;
  Mixed mixed(options, true);
  EXPECT_EQ(mixed.set->layout().period, 1'000'000);
  int ticks = 0;
  while (mixed.set->wait()) {
    mixed.step(1);
    ++ticks;
  }
  EXPECT_EQ(ticks, 40);
  EXPECT_EQ(mixed.diary.waits, 5U);
}

TEST(PlantSet, CommandsGoToWhoDrivesTheGroup) {
  Mixed mixed;
  mixed.command.groups[mixed.arm].setConstant(0.25);
  mixed.command.groups[mixed.left].setConstant(-1.5);
  mixed.step(1);
  ASSERT_EQ(mixed.real->last().groups.size(), mixed.real->layout().groups.size());
  EXPECT_EQ(mixed.real->last().groups[0], Eigen::VectorXd::Constant(6, 0.25));
  // a simulation of the left arm alone does the same
  MujocoPlant alone(mixed.scene, {"left"});
  Command command = Command::zero(alone.layout());
  command.groups[0].setConstant(-1.5);
  alone.write(command);
  for (std::size_t g = 0; g < alone.shown().size(); ++g)
    alone.show(g, mixed.start, Eigen::VectorXd::Zero(6));
  alone.advance();
  EXPECT_LT((mixed.set->read().groups[mixed.left].q - alone.read().groups[0].q).norm(), 1e-12);
}

TEST(PlantSet, WhatIsOfAnotherSizeCountsAsNotFinite) {
  Mixed mixed;
  mixed.command.groups[mixed.arm] = Eigen::VectorXd::Zero(3);
  mixed.step(1);
  EXPECT_EQ(mixed.real->faults().not_finite, 1U);
  EXPECT_EQ(mixed.set->faults().not_finite, 1U);
  mixed.command.groups.clear();
  mixed.step(1);
  // both arms and the cup
  EXPECT_EQ(mixed.set->faults().not_finite, 4U);
}

TEST(PlantSet, TheSimulationShowsARealArmWhereItIsObserved) {
  Mixed mixed;
  // its shoulder turns
  mixed.command.groups[mixed.arm] = mixed.start;
  const bool velocity = mixed.set->layout().groups[mixed.arm].kind == GroupKind::kVelocity;
  for (int i = 0; i < 500; ++i) {
    if (velocity)
      mixed.command.groups[mixed.arm] << 0.3, 0.0, 0.0, 0.0, 0.0, 0.0;
    else
      mixed.command.groups[mixed.arm][0] = mixed.start[0] + 0.0003 * i;
    mixed.step(1);
    // one step ahead of what was observed at its beginning, at 0.3 rad/s and 1.3 m
    for (const char* body : {"picker.forearm", "picker.wrist_3"}) {
      const World& shown = *mixed.set->world();
      const Pose there = mixed.real->arms().body_pose(mixed.real->arms().body(body)),
                 here = shown.body_pose(shown.body(body));
      ASSERT_LT((there.p - here.p).norm(), 1.5 * 1.3 * 0.35e-3) << body << " at " << i;
    }
  }
  const double turned = mixed.set->read().groups[mixed.arm].q[0] - mixed.start[0];
  EXPECT_GT(std::abs(turned), 0.1);
}

TEST(PlantSet, WhatIsShownNeedNotBeFinite) {
  Mixed mixed;
  MujocoPlant& simulation = *mixed.simulation;
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(6);
  Eigen::VectorXd broken = mixed.start;
  broken[2] = std::numeric_limits<double>::quiet_NaN();
  const int wrist = simulation.body("picker.wrist_3");
  simulation.show(0, mixed.start, v);
  const Eigen::Vector3d before = simulation.body_pose(wrist).p;
  for (int i = 0; i < 100; ++i) {
    simulation.show(0, i % 2 == 0 ? broken : v.head(2).eval(), v);
    simulation.advance();
  }
  EXPECT_EQ(simulation.read().status, PlantStatus::kRunning);
  EXPECT_LT((simulation.body_pose(wrist).p - before).norm(), 5e-3);
}

TEST(PlantSet, TheFirstStatusThatIsNotRunningIsItsOwnUntilThatPlantRecovers) {
  Mixed mixed;
  mixed.step(1);
  EXPECT_EQ(mixed.set->read().status, PlantStatus::kRunning);
  mixed.real->status = PlantStatus::kReflex;
  mixed.step(1);
  EXPECT_EQ(mixed.set->read().status, PlantStatus::kReflex);
  EXPECT_TRUE(mixed.set->recover());
  EXPECT_EQ(mixed.set->read().status, PlantStatus::kRunning);
}

TEST(PlantSet, ASensorIsTaredWhereItIs) {
  Mixed mixed;
  ASSERT_FALSE(mixed.set->layout().sensors.empty());
  mixed.step(5);
  for (int s = 0; s < static_cast<int>(mixed.set->layout().sensors.size()); ++s) {
    const auto member = std::ranges::find_if(mixed.set->members(), [&](const PlantMember& m) {
      return std::ranges::count(m.sensors, s) > 0;
    });
    ASSERT_NE(member, mixed.set->members().end());
    mixed.set->tare(s);
    if (member->name == "sim") {
      EXPECT_EQ(mixed.set->read().wrenches[static_cast<std::size_t>(s)].norm(), 0.0);
    }
  }
}

TEST(PlantSet, RunsAgainFromASnapshotWithTheSameBits) {
  FakeOptions exact;
  exact.noise = 0.0;
  Mixed mixed(exact);
  mixed.command.groups[mixed.arm] = mixed.start;
  mixed.step(40);
  const auto snapshot = mixed.set->snapshot();
  const Observation then = mixed.set->read();
  mixed.step(30);
  const Eigen::VectorXd first = mixed.set->read().groups[mixed.left].q;
  mixed.set->restore(snapshot);
  EXPECT_EQ(mixed.set->read().sequence, then.sequence);
  EXPECT_EQ(mixed.set->read().groups[mixed.left].q, then.groups[mixed.left].q);
  // the real arm goes on where it is; it stands, so that the simulation sees it there again
  mixed.step(30);
  EXPECT_EQ(mixed.set->read().sequence, 70U);
  EXPECT_LT((mixed.set->read().groups[mixed.left].q - first).norm(), 1e-9);
  EXPECT_THROW(mixed.set->restore(std::span(snapshot).first(snapshot.size() - 1)), InputError);
  EXPECT_THROW(mixed.set->restore(MujocoPlant(mixed.scene).snapshot()), InputError);
}

TEST(PlantSet, ATickAllocatesNothing) {
  Mixed mixed({}, true);
  mixed.command.groups[mixed.arm] = mixed.start;
  std::vector<std::byte> bytes;
  bytes.reserve(1U << 20U);
  mixed.set->snapshot(bytes);
  mixed.step(10);
  const test::AllocationCount count;
  bool runs = true;
  for (int i = 0; i < 300; ++i) {
    mixed.set->write(mixed.command);
    runs = mixed.set->wait() && runs;
    mixed.set->advance();
    runs = mixed.set->read().status == PlantStatus::kRunning && runs;
    if (i % 100 == 0) mixed.set->snapshot(bytes);
  }
  EXPECT_EQ(count.count(), 0U);
  EXPECT_TRUE(runs);
}

TEST(PlantSet, OfOnePlantIsThatPlant) {
  const Scene scene = pair();
  FakeDiary diary;
  auto set =
      PlantSet::of(std::make_unique<FakePlant>(scene, robot_names(scene), FakeOptions{}, diary));
  EXPECT_TRUE(set->has_clock());
  EXPECT_EQ(set->members().size(), 1U);
  PlantSet* same = set.get();
  EXPECT_EQ(PlantSet::of(std::move(set)).get(), same);
  const auto simulated = PlantSet::of(std::make_unique<MujocoPlant>(scene));
  EXPECT_TRUE(simulated->simulated());
  EXPECT_FALSE(simulated->has_clock());
}

// a plant with the layout and observation that a test gives it
class Layouted : public Plant {
 public:
  explicit Layouted(PlantLayout layout) : layout_(std::move(layout)) {
    for (const auto& group : Command::zero(layout_).groups)
      observation.groups.push_back({group, group, group});
    observation.wrenches.assign(layout_.sensors.size(), Vector6d::Zero());
  }
  const PlantLayout& layout() const override { return layout_; }
  const Observation& read() override { return observation; }
  void write(const Command&) override {}
  void advance() override {}
  const CommandFaults& faults() const override { return faults_; }
  void tare(int) override {}
  bool recover() override { return true; }
  using Plant::snapshot;
  void snapshot(std::vector<std::byte>& into) const override { into.clear(); }
  void restore(std::span<const std::byte>) override {}
  Observation observation;

 private:
  PlantLayout layout_;
  CommandFaults faults_;
};

TEST(PlantSet, WhatDoesNotFitTogetherIsAnErrorWithCauseAndHint) {
  const Scene scene = pair();
  const PlantLayout whole = scene_layout(scene);
  using Change = std::function<void(PlantLayout&)>;
  const auto layouted = [&](const std::string& robot, const Change& change = {}) {
    PlantLayout layout = scene_layout(scene, {robot});
    if (change) change(layout);
    return std::make_unique<Layouted>(std::move(layout));
  };
  const auto error = [&](std::vector<PlantMember> members) {
    try {
      const PlantSet set(whole, std::move(members));
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  const auto both = [&](const Change& change, bool clock = false) {
    return error(
        list(member("a", layouted("left", change), clock), member("b", layouted("picker"), clock)));
  };
  EXPECT_EQ(both({}), "accepted");
  EXPECT_EQ(error({}), "a set of plants has none; give it one");
  EXPECT_EQ(error(list(member("a", layouted("left")))),
            "no plant gives the group 'picker.arm' of the robot 'picker'; the plant that drives a "
            "robot must give all of its groups");
  EXPECT_EQ(both([](PlantLayout& l) { l.groups[0].name = "left.amr"; }),
            "plant 'a' gives the group 'left.amr', which the scene does not have; did you mean "
            "'left.arm'?");
  EXPECT_EQ(
      both([](PlantLayout& l) { std::swap(l.groups[0].joints[0], l.groups[0].joints[1]); }),
      "plant 'a' gives the group 'left.arm' with the joints left.joint2, left.joint1, "
      "left.joint3, left.joint4, left.joint5, left.joint6, left.joint7; the robot's folder has "
      "left.joint1, left.joint2, left.joint3, left.joint4, left.joint5, left.joint6, "
      "left.joint7");
  EXPECT_EQ(both([](PlantLayout& l) { l.period = 0; }),
            "plant 'a' has a period of 0 ns; it must be > 0");
  EXPECT_EQ(both([](PlantLayout& l) { l.sensors.clear(); }),
            "no plant gives the sensor '" + scene_layout(scene, {"left"}).sensors.at(0).name +
                "'; the plant that drives a robot must give all of its sensors");
  EXPECT_NE(both([](PlantLayout& l) {
              l.sensors.push_back({"left.nose", "left.tcp"});
            }).find("plant 'a' gives the sensor 'left.nose', which the scene does not have; "),
            std::string::npos);
  EXPECT_EQ(error(list(member("a", layouted("left")), member("b", layouted("left")))),
            "plant 'b' gives the group 'left.arm', and plant 'a' gives it too; let one of them "
            "drive the robot");
  EXPECT_EQ(both({}, true), "plant 'b' is the clock, and plant 'a' is too; let one of them be it");
  EXPECT_EQ(error(list(member("a", std::make_unique<MujocoPlant>(scene), true))),
            "plant 'a' is the clock, but a simulation has no time of its own; let a real plant be "
            "it, or use another clock");
  EXPECT_EQ(
      error(list(
          member("a", std::make_unique<MujocoPlant>(scene, std::vector<std::string>{"left"})),
          member("b", std::make_unique<MujocoPlant>(scene, std::vector<std::string>{"picker"})))),
      "plant 'b' is a simulation of the scene, and there is one already; take one of them "
      "away");
  auto silent = layouted("left");
  silent->observation.groups.clear();
  EXPECT_NE(error(list(member("a", std::move(silent))))
                .find("plant 'a' observes 0 groups and 1 sensors and says that it has 1 and 1"),
            std::string::npos);
}

}  // namespace plant_set_test
}  // namespace handspan
