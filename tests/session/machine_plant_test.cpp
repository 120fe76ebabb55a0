// Machines on a plant that is no simulation: with a clock of its own, noise, and packets that are
// lost.
#include <gtest/gtest.h>

#include "session/machine.hpp"
#include "session_support.hpp"
#include "support/alloc.hpp"
#include "support/fake_plant.hpp"

namespace handspan {
namespace machine_plant_test {

using test::AppFolder;
using test::FakeDiary;
using test::FakeOptions;
using test::FakePlant;
using test::kPairArms;

App machines_app(const AppFolder& folder, const std::string& machines) {
  return folder.app(
      kPairArms + "sources:\n  person: {type: pose_stream, buttons: [go]}\nmachines:\n" + machines);
}

// A session of both robots on a fake plant.
struct OnFake {
  explicit OnFake(const App& app, const FakeOptions& options = {}) {
    auto fake = std::make_unique<FakePlant>(app.scene, robot_names(app.scene), options, diary);
    plant = fake.get();
    SessionOptions how;
    how.plant = std::move(fake);
    session.emplace(app, std::move(how));
  }
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      session->tick();
      for (const Event& event : session->events().events())
        if (event.kind == "mode") modes.push_back(std::string(event.name));
    }
  }
  const std::string& state() { return session->machines()[0].current_name(); }
  FakeDiary diary;
  FakePlant* plant = nullptr;
  std::optional<Session> session;
  std::vector<std::string> modes;
};

const char* const kAfter = R"(  left:
    start: rest
    states:
      rest: {do: [{type: hold, tasks: [hand]}], next: [{to: work, when: [{type: after, time: 0.1 s}]}]}
      work: {next: [{to: end, when: [{type: event, name: go}]}]}
      end: {final: true}
)";

// the plant's clock began 77 s ago and has nothing to do with it
TEST(MachineOnFakePlant, TimesAreThoseOfTheLoop) {
  const AppFolder folder;
  const App app = machines_app(folder, kAfter);
  for (const Nanoseconds period : {1'000'000, 4'000'000}) {
    FakeOptions options;
    options.period = period;
    options.loss = 0.3;
    OnFake on(app, options);
    ASSERT_EQ(on.session->world(), nullptr);
    const int ticks = static_cast<int>(100'000'000 / on.session->base_period());
    on.run(ticks);
    EXPECT_EQ(on.state(), "rest") << period;
    on.run(2);
    EXPECT_EQ(on.state(), "work") << period;
    EXPECT_GT(on.diary.lost, 0U);
    ASSERT_TRUE(
        on.session->mailbox("operator").post(test::operator_input(InputKind::kEvent, "go")));
    on.run(1);
    EXPECT_EQ(on.state(), "end");
    EXPECT_TRUE(on.session->ended());
  }
}

TEST(MachineOnFakePlant, AMotionIsDoneWhereTheArmWasToGoInSpiteOfNoiseAndLoss) {
  const AppFolder folder;
  const App app = machines_app(folder, R"(  left:
    start: move
    states:
      move: {do: [{type: move_to, task: hand, waypoints: [{relative: true, position: [0.0, 0.1, 0.05]}]}], next: [{to: end, when: [{type: done}]}]}
      end: {final: true}
)");
  FakeOptions options;
  options.noise = 1e-5;
  options.loss = 0.1;
  OnFake on(app, options);
  MujocoPlant& arms = on.plant->arms();
  const int body = arms.body("left.link7");
  const Eigen::Vector3d start = arms.body_pose(body).p;
  for (int i = 0; i < 8000 && !on.session->ended(); ++i) on.run(1);
  ASSERT_TRUE(on.session->ended());
  on.run(300);
  EXPECT_LT((arms.body_pose(body).p - start - Eigen::Vector3d(0.0, 0.1, 0.05)).norm(), 2e-3);
}

TEST(MachineOnFakePlant, AStopHoldsItsTimeToo) {
  const AppFolder folder;
  const App app = machines_app(folder, kAfter);
  OnFake on(app);
  on.run(50);
  ASSERT_TRUE(on.session->mailbox("operator").post(test::operator_input(InputKind::kStop)));
  on.run(400);
  EXPECT_EQ(on.state(), "rest");
  ASSERT_TRUE(on.session->mailbox("operator").post(test::operator_input(InputKind::kResume)));
  on.run(45);
  EXPECT_EQ(on.state(), "rest");
  on.run(10);
  EXPECT_EQ(on.state(), "work");
}

// what is felt is what the plant's sensor says, for as long as asked
TEST(MachineOnFakePlant, AForceIsThatOfItsSensor) {
  const AppFolder folder;
  const App app = machines_app(folder, R"(  left:
    start: rest
    states:
      rest: {do: [{type: hold, tasks: [hand]}], next: [{to: felt, when: [{type: force, sensor: left.wrist, above: 1000 N, time: 0.02 s}]}, {to: light, when: [{type: force, sensor: left.wrist, below: 1000 N, time: 0.05 s}]}]}
      felt: {}
      light: {}
)");
  OnFake on(app);
  on.run(50);
  EXPECT_EQ(on.state(), "rest");
  on.run(3);
  EXPECT_EQ(on.state(), "light");
}

TEST(MachineOnFakePlant, TheSameAppComesToTheSameStatesAsSimulated) {
  const AppFolder folder;
  const App app = machines_app(folder, R"(  left:
    start: move
    states:
      move: {do: [{type: move_to, task: hand, waypoints: [{relative: true, position: [0.0, 0.05, 0.0]}]}], next: [{to: grip, when: [{type: done}]}]}
      grip: {do: [{type: grip, group: picker.cup, time: 0.1 s}], next: [{to: off, when: [{type: done}]}]}
      off: {do: [{type: release, group: picker.cup}], next: [{to: end, when: [{type: after, time: 0.05 s}]}]}
      end: {final: true}
)");
  const auto states = [](Session& session) {
    std::vector<std::pair<std::string, std::int64_t>> all;
    for (int i = 0; i < 8000 && !session.ended(); ++i) {
      if (all.empty() || all.back().first != session.machines()[0].current_name())
        all.emplace_back(session.machines()[0].current_name(), session.ticks());
      session.tick();
    }
    EXPECT_TRUE(session.ended());
    return all;
  };
  FakeOptions options;
  options.noise = 0.0;
  OnFake on(app, options);
  Session simulated(app);
  const auto real = states(*on.session), same = states(simulated);
  ASSERT_EQ(real.size(), same.size());
  for (std::size_t s = 0; s < real.size(); ++s) {
    EXPECT_EQ(real[s].first, same[s].first);
    // what is observed comes a period later, and no more
    EXPECT_NEAR(static_cast<double>(real[s].second), static_cast<double>(same[s].second), 5.0)
        << real[s].first;
  }
}

TEST(MachineOnFakePlant, ATickAllocatesNothing) {
  const AppFolder folder;
  const App app = machines_app(folder, kAfter);
  OnFake on(app);
  for (int i = 0; i < 20; ++i) on.session->tick();
  const test::AllocationCount allocations;
  for (int i = 0; i < 200; ++i) on.session->tick();
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_EQ(on.state(), "work");
}

}  // namespace machine_plant_test
}  // namespace handspan
