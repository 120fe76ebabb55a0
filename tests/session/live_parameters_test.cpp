// The table of live parameters of a session: who adds to it, and that the mode `set`, the
// operator's inputs and what is set from the start go through it.
#include <gtest/gtest.h>

#include <cmath>

#include "session_support.hpp"
#include "skills/built_in.hpp"

namespace handspan {
namespace live_parameters_test {

using test::AppFolder;

const char* const kScene = R"(name: live
robots:
  left: {robot: fr3, tool: plate, pose: ready}
fixtures:
  table: {pose: {position: [0.45, 0.0, 0.15]}, shapes: [{type: box, size: [0.4, 0.4, 0.3]}]}
belts:
  conveyor: {pose: {position: [3.0, 0.0, 0.2]}, size: [1.0, 0.5, 0.4], speed: 0.1, settable: [0.0, 0.5]}
frames:
  spot: {position: [0.45, 0.0, 0.3]}
)";

const std::string kArm = R"(whole_arm:
  arms:
    left.arm: {feedback: measured}
  loop_closures: {contact: {between: [left.tcp, spot], stiffness: 10}}
  payloads: {box: {frame: left.tcp, mass: 0.5}}
  tasks:
    hand: {type: pose, frame: left.tcp, stiffness: 100}
    posture: {type: posture, robot: left, stiffness: 10, weight: 0}
    push: {type: wrench, loop_closure: contact}
  constraints: [{type: torque_limits}, {type: jerk_limits}]
)";

std::string doing(const std::string& mode) {
  return "machines: {m: {start: s, states: {s: {do: [" + mode + "]}}}}\n";
}

struct AheadConfig {
  double distance = 0.02;
};

// keeps the reference where it began, moved ahead by a distance that may be changed
class Ahead : public Source {
 public:
  explicit Ahead(const AheadConfig& config) : config_(config) {}
  void start(const Moment&, const Motion& reference) override { start_ = reference.pose.X_WE; }
  SourceAnswer update(const Moment&, const Motion&, Motion& wanted) override {
    wanted.pose = {start_, Vector6d::Zero(), Vector6d::Zero()};
    wanted.pose.X_WE.p.x() += config_.distance;
    return {};
  }
  void declare_parameters(PartParameters& parameters) override {
    parameters.add({"distance", "m", 0.0, 0.1, "ahead of where it began"}, config_.distance);
  }
  void state(StateArchive& archive) override { archive(start_.p, start_.R); }

 private:
  AheadConfig config_;
  Pose start_;
};

// has a number and says nothing of it
class Idle : public Mode {
 public:
  void enter(const ModeMoment&) override {}
  bool update(const ModeMoment&) override { return true; }
  std::string text() const override { return "idles"; }
  std::vector<std::string> drives() const override { return {}; }
  void declare_parameters(PartParameters& parameters) override {
    parameters.add({"level", "", -1.0, 1.0, "of nothing"}, level_);
  }

 private:
  double level_ = 0.0;
};

Parts made_parts() {
  struct Nothing {};
  Parts parts = built_in_parts();
  parts.of<SourceRegistry>().add(
      "ahead",
      object<AheadConfig>("Ahead").optional("distance", &AheadConfig::distance, number("m")),
      "ahead of where it began", [](const AheadConfig& config, const SourceContext&) {
        return std::make_unique<Ahead>(config);
      });
  parts.of<ModeRegistry>().add(
      "idle", object<Nothing>("Idle"), "nothing",
      [](const Nothing&, const ModeContext&) { return std::make_unique<Idle>(); });
  return parts;
}

std::vector<std::string> names(const ParameterTable& table) {
  std::vector<std::string> all;
  for (std::size_t p = 0; p < table.size(); ++p) all.push_back(table.info(p).name);
  return all;
}

double value(const Session& session, const char* name) {
  return session.parameters().get(session.parameters().find(name));
}

void post(Session& session, const char* name, double number) {
  Input input = test::operator_input(InputKind::kParameter, name);
  input.set(std::vector<double>{number});
  ASSERT_TRUE(session.mailbox("operator").post(input));
}

TEST(LiveParameters, AllAreInOneTableInTheOrderOfSetUp) {
  const Parts parts = made_parts();
  const AppFolder folder(kScene, parts);
  const App app = folder.app(kArm + "sources: {one: {type: ahead}}\n" + doing("{type: idle}"));
  Session session(app);
  const ParameterTable& table = session.parameters();
  EXPECT_EQ(names(table),
            (std::vector<std::string>{
                "task.hand.stiffness", "task.hand.damping", "task.hand.weight",
                "task.posture.stiffness", "task.posture.damping", "task.posture.weight",
                "task.push.weight", "payload.box.carried", "loop_closure.contact.closed",
                "source.one.distance", "belt.conveyor.speed", "mode.m.s.level"}));
  const auto info = [&](const char* name) { return table.info(table.find(name)); };
  // persons stay around what the app says; an app may use all
  EXPECT_EQ(info("task.hand.stiffness").persons_range(), (std::array{25.0, 200.0}));
  EXPECT_EQ(info("task.hand.stiffness").max, kMostStiffness);
  EXPECT_EQ(info("task.posture.weight").persons_range(), (std::array{0.0, 1.0}));
  EXPECT_EQ(info("belt.conveyor.speed").persons_range(), (std::array{0.0, 0.5}));
  EXPECT_EQ(info("belt.conveyor.speed").min, -kMostBeltSpeed);
  EXPECT_EQ(info("loop_closure.contact.closed").kind, ParameterKind::kSwitch);
}

TEST(LiveParameters, TheOperatorsInputsGoThroughIt) {
  const AppFolder folder(kScene);
  const App app = folder.app(kArm);
  Session session(app);
  post(session, "belt.conveyor.speed", 0.3);
  post(session, "payload.box.carried", 1.0);
  post(session, "belt.conveyor.speed", 11.0);
  post(session, "belt.convyor.speed", 0.2);
  post(session, "task.hand.weight", std::nan(""));
  session.tick();
  EXPECT_EQ(session.rejected_inputs(), 3U);
  EXPECT_EQ(value(session, "belt.conveyor.speed"), 0.3);
  for (int i = 0; i < 300; ++i) session.tick();
  EXPECT_EQ(value(session, "payload.box.carried"), 1.0);
  EXPECT_EQ(value(session, "task.hand.weight"), 1.0);
}

TEST(LiveParameters, TheModeSetGoesThroughItAndAlongItsOwnRamp) {
  const AppFolder folder(kScene);
  const App app = folder.app(
      kArm + doing("{type: set, parameters: {task.posture.weight: 1, belt.conveyor.speed: -2}, "
                   "time: 1 s}"));
  Session session(app);
  for (int i = 0; i < 500; ++i) session.tick();
  EXPECT_NEAR(value(session, "task.posture.weight"), 0.5, 0.01);
  EXPECT_EQ(value(session, "belt.conveyor.speed"), -2.0);
}

TEST(LiveParameters, WhatIsSetFromTheStartIsAnInputOfTheFirstTick) {
  const AppFolder folder(kScene);
  const App app = folder.app(kArm);
  const auto with = [](const char* name, double number) {
    SessionOptions options;
    options.parameters = {{name, number}};
    return options;
  };
  Session session(app, with("task.hand.stiffness", 300.0));
  session.tick();
  ASSERT_EQ(session.inputs().size(), 1U);
  EXPECT_EQ(session.inputs()[0].kind, InputKind::kParameter);
  EXPECT_EQ(session.inputs()[0].to, "task.hand.stiffness");
  for (int i = 0; i < 300; ++i) session.tick();
  EXPECT_EQ(value(session, "task.hand.stiffness"), 300.0);
  const auto refused = [&](const char* name, double number) -> std::string {
    try {
      Session other(app, with(name, number));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused("task.hand.stiffness", -1.0),
            "task.hand.stiffness is -1 1/s^2; it must be 0 to 100000");
  EXPECT_EQ(refused("task.hnd.stiffness", 1.0),
            "there is no parameter 'task.hnd.stiffness'; did you mean 'task.hand.stiffness'?");
}

TEST(LiveParameters, ThoseOfASourceAreItsOwnAndComeBackWithASnapshot) {
  const Parts parts = made_parts();
  const AppFolder folder(kScene, parts);
  const App app = folder.app(kArm + "sources: {one: {type: ahead}}\n" +
                             doing("{type: follow, task: hand, sources: [{source: one}]}"));
  Session session(app);
  for (int i = 0; i < 500; ++i) session.tick();
  post(session, "source.one.distance", 0.06);
  session.tick();
  EXPECT_EQ(value(session, "source.one.distance"), 0.06);
  std::vector<std::byte> bytes;
  session.snapshot(bytes);
  Session other(app);
  other.restore(bytes);
  EXPECT_EQ(value(other, "source.one.distance"), 0.06);
  for (int i = 0; i < 300; ++i) {
    session.tick();
    other.tick();
    ASSERT_EQ(session.hashes(), other.hashes()) << i;
  }
}

}  // namespace live_parameters_test
}  // namespace handspan
