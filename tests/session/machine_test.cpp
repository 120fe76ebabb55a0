#include "session/machine.hpp"

#include <gtest/gtest.h>

#include "session_support.hpp"

namespace handspan {
namespace machine_test {

using test::AppFolder;
using test::kPairArms;

const std::string kSources = "sources:\n  person: {type: pose_stream, buttons: [go]}\n";

std::string of(const std::string& modes) { return kPairArms + kSources + "machines:\n" + modes; }

void run(Session& session, double time) {
  for (int i = 0; i < static_cast<int>(time * 1000.0 + 0.5); ++i) session.tick();
}

void post(Session& session, const std::string& box, const Input& input) {
  ASSERT_TRUE(session.mailbox(box).post(input));
}

TEST(Machine, TimeEventsAndButtonsLeadOnInAnyOrderAndLoops) {
  const AppFolder folder;
  const App app = folder.app(of(R"(  left:
    start: rest
    states:
      rest: {do: [{type: hold, tasks: [hand]}], next: [{to: ready, when: [{type: after, time: 0.1 s}]}]}
      ready: {next: [{to: work, when: [{type: button, source: person, button: go}]}, {to: rest, when: [{type: event, name: back}]}]}
      work: {next: [{to: rest, when: [{type: button, source: person, button: go, down: false}, {type: after, time: 0.05 s}]}]}
)"));
  Session session(app);
  const Machine& machine = session.machines()[0];
  EXPECT_EQ(machine.current_name(), "rest");
  run(session, 0.1);
  EXPECT_EQ(machine.current_name(), "rest");
  run(session, 0.002);
  EXPECT_EQ(machine.current_name(), "ready");
  post(session, "operator", test::operator_input(InputKind::kEvent, "back"));
  run(session, 0.001);
  EXPECT_EQ(machine.current_name(), "rest");
  run(session, 0.11);
  EXPECT_EQ(machine.current_name(), "ready");
  Input button = test::pose_sample("person", {1.0});
  button.text = "buttons";
  post(session, "person", button);
  run(session, 0.001);
  EXPECT_EQ(machine.current_name(), "work");
  run(session, 0.005);
  button.numbers[0] = 0.0;
  post(session, "person", button);
  // both conditions must hold
  run(session, 0.04);
  EXPECT_EQ(machine.current_name(), "work");
  run(session, 0.02);
  EXPECT_EQ(machine.current_name(), "rest");
}

TEST(Machine, MachinesRunSideBySideAndARunEndsWhenAllAreFinal) {
  const AppFolder folder;
  const App app = folder.app(of(R"(  a:
    start: one
    states:
      one: {do: [{type: hold, tasks: [hand]}], next: [{to: two, when: [{type: after, time: 0.1 s}]}]}
      two: {final: true, episode: success}
  b:
    start: one
    states:
      one: {episode: start, do: [{type: hold, tasks: [cup]}], next: [{to: two, when: [{type: after, time: 0.3 s}]}]}
      two: {final: true}
)"));
  Session session(app);
  const RunSummary summary = run_session(session, kSecond);
  EXPECT_NEAR(seconds(summary.simulated), 0.301, 1e-9);
  EXPECT_EQ(summary.machines[1].second, "two");
  EXPECT_EQ(summary.episodes, 1U);
  EXPECT_EQ(summary.successes, 1U);
}

TEST(Machine, ForceMustLast) {
  const AppFolder folder;
  const App app = folder.app(of(R"(  left:
    start: rest
    states:
      rest: {do: [{type: hold, tasks: [hand]}], next: [{to: felt, when: [{type: force, sensor: left.wrist, above: -1 N, time: 0.05 s}]}]}
      felt: {}
)"));
  Session session(app);
  run(session, 0.05);
  EXPECT_EQ(session.machines()[0].current_name(), "rest");
  run(session, 0.002);
  EXPECT_EQ(session.machines()[0].current_name(), "felt");
}

TEST(Machine, SuctionGripsAndHolds) {
  const AppFolder folder;
  const App app = folder.app(of(R"(  cup:
    start: on
    states:
      on: {do: [{type: grip, group: picker.cup, time: 0.1 s}], next: [{to: off, when: [{type: done}, {type: held, group: picker.cup, held: false}]}]}
      off: {do: [{type: release, group: picker.cup}]}
)"));
  Session session(app);
  const auto group = static_cast<std::size_t>(session.plant().layout().group("picker.cup"));
  run(session, 0.05);
  EXPECT_EQ(session.command().groups[group][0], 1.0);
  run(session, 0.1);
  EXPECT_EQ(session.machines()[0].current_name(), "off");
  EXPECT_EQ(session.command().groups[group][0], 0.0);
}

TEST(Machine, AStopStopsTheMachinesToo) {
  const AppFolder folder;
  const App app = folder.app(of(R"(  left:
    start: rest
    states:
      rest: {do: [{type: hold, tasks: [hand]}], next: [{to: work, when: [{type: after, time: 0.1 s}]}]}
      work: {}
)"));
  Session session(app);
  run(session, 0.05);
  post(session, "operator", test::operator_input(InputKind::kStop));
  run(session, 1.0);
  EXPECT_EQ(session.machines()[0].current_name(), "rest");
  post(session, "operator", test::operator_input(InputKind::kResume));
  run(session, 0.045);
  EXPECT_EQ(session.machines()[0].current_name(), "rest");
  run(session, 0.01);
  EXPECT_EQ(session.machines()[0].current_name(), "work");
}

TEST(Machine, AStateWithoutTheMotionEndsItAndWaitLetsItGoOn) {
  const AppFolder folder;
  for (const bool waits : {false, true}) {
    const App app = folder.app(of(std::string(R"(  left:
    start: move
    states:
      move: {do: [{type: move_to, task: hand, waypoints: [{relative: true, position: [0.0, 0.2, 0.0]}]}], next: [{to: next, when: [{type: after, time: 0.3 s}]}]}
      next: {do: [)") + (waits ? "{type: wait}" : "") +
                                  "]}\n"));
    Session session(app);
    const ReferenceIndex hand = session.arbiter().find_reference("hand");
    const double y = session.arbiter().reference(hand).motion().pose.X_WE.p.y();
    run(session, 3.0);
    const double moved = session.arbiter().reference(hand).motion().pose.X_WE.p.y() - y;
    if (waits) {
      EXPECT_NEAR(moved, 0.2, 1e-6);
    } else {
      EXPECT_LT(moved, 0.15);
    }
  }
}

TEST(Machine, ReachedMeansTheEndOfAMotion) {
  const AppFolder folder;
  const App app = folder.app(of(R"(  left:
    start: move
    states:
      move: {do: [{type: move_to, task: hand, waypoints: [{relative: true, position: [0.0, 0.1, 0.0]}]}], next: [{to: next, when: [{type: reached, task: hand}]}]}
      next: {final: true}
)"));
  Session session(app);
  const ReferenceIndex hand = session.arbiter().find_reference("hand");
  const double y = session.arbiter().reference(hand).motion().pose.X_WE.p.y();
  run_session(session, 5 * kSecond);
  EXPECT_TRUE(session.ended());
  EXPECT_NEAR(session.arbiter().reference(hand).motion().pose.X_WE.p.y() - y, 0.1, 1e-6);
}

// The last event of a kind.
struct LastEvent : SessionWatcher {
  explicit LastEvent(std::string_view which) : kind(which) {}
  void after_tick(Session& session) noexcept override {
    for (const Event& event : session.events().events())
      if (event.kind == kind) last = event;
  }
  std::string_view kind;
  Event last;
};

TEST(Machine, AStateThatComesToNoEndTimesOutAndSaysWhatItWaitedFor) {
  const AppFolder folder;
  const App app = folder.app(of(R"(  picker:
    start: grip
    states:
      grip: {do: [{type: grip, group: picker.cup}], next: [{to: held, when: [{type: done}]}], timeout: {after: 1.5 s, to: rest}}
      held: {}
      rest: {do: [{type: release, group: picker.cup}]}
)"));
  Session session(app);
  LastEvent timeout("timeout"), suction("suction");
  session.watch(timeout);
  session.watch(suction);
  run(session, 0.9);
  EXPECT_TRUE(suction.last.text.empty());
  run(session, 0.2);
  EXPECT_EQ(suction.last.name, "picker.cup");
  EXPECT_EQ(suction.last.text,
            "does not seal: there is nothing within its reach; move it onto a face");
  EXPECT_EQ(session.machines()[0].current_name(), "grip");
  run(session, 0.45);
  EXPECT_EQ(session.machines()[0].current_name(), "rest");
  EXPECT_EQ(timeout.last.name, "picker");
  EXPECT_EQ(
      timeout.last.text,
      "'grip' came to no end in 1.5 s: does not seal: there is nothing within its reach; move "
      "it onto a face; goes on with 'rest'");
  EXPECT_NE(
      session.machines()[0].text().find("    -> rest when nothing else led on within 1.5 s\n"),
      std::string::npos);
  session.unwatch(timeout);
  session.unwatch(suction);
}

TEST(Machine, AFinalStateMayLeadOnForWhoAsksForMore) {
  const AppFolder folder;
  const App app = folder.app(of(R"(  left:
    start: work
    states:
      work: {next: [{to: done, when: [{type: after, time: 0.1 s}]}]}
      done: {final: true, episode: success, next: [{to: work, when: [{type: after, time: 0.1 s}]}]}
)"));
  RunOptions options;
  options.until = kSecond;
  {
    Session session(app);
    EXPECT_LT(run_session(session, options).simulated, kSecond / 5);
    EXPECT_TRUE(session.ended());
    EXPECT_FALSE(session.over());
  }
  options.goes_on = true;
  Session session(app);
  EXPECT_EQ(run_session(session, options).simulated, kSecond);
}

TEST(Machine, IsPrintedInWords) {
  const AppFolder folder;
  const App app = folder.app(of(R"(  left:
    start: rest
    states:
      rest: {do: [{type: hold, tasks: [hand]}], next: [{to: work, when: [{type: after, time: 2 s}, {type: event, name: go}]}]}
      work: {final: true, episode: success, do: [{type: follow, task: hand, sources: [{source: person}]}]}
)"));
  Session session(app);
  EXPECT_EQ(session.machines()[0].text(),
            "machine left\n"
            "  rest (start)\n"
            "    holds hand\n"
            "    -> work after 2 s and on the event go\n"
            "  work (final) (episode: success)\n"
            "    hand follows person\n");
}

TEST(Machine, ErrorsHavePlaceCauseAndHint) {
  const AppFolder folder;
  const auto error = [&](const std::string& states) {
    return folder.error(of("  left:\n    start: rest\n    states:\n" + states));
  };
  EXPECT_EQ(error("      rest: {}\n"), "");
  EXPECT_EQ(error("      rst: {}\n"),
            "test.yaml:19: machines.left.start names the state 'rest', which is not there; did you "
            "mean 'rst'?");
  EXPECT_EQ(
      error("      rest: {next: [{to: wrk}]}\n      work: {}\n"),
      "test.yaml:21: machines.left.states.rest.next[0].to names the state 'wrk', which is not "
      "there; did you mean 'work'?\n"
      "test.yaml:22: machines.left.states.work is never reached from 'rest'; name it in a "
      "transition, or take it away");
  EXPECT_EQ(
      error("      rest: {timeout: {after: 1 s, to: rst}}\n"),
      "test.yaml:21: machines.left.states.rest.timeout.to names the state 'rst', which is not "
      "there; did you mean 'rest'?");
  EXPECT_EQ(
      error("      rest: {do: [{type: hold, tasks: [hnd]}]}\n"),
      "test.yaml:21: machines.left.states.rest.do[0] cannot be made: there is no reference of a "
      "task 'hnd'; did you mean 'hand'?");
  EXPECT_EQ(
      error("      rest: {do: [{type: hold, tasks: [hand]}, {type: follow, task: hand, "
            "sources: [{source: person}]}]}\n"),
      "test.yaml:21: machines.left.states.rest.do[1] drives 'hand', which another mode of the "
      "state drives; let one of them");
  EXPECT_NE(error("      rest: {do: [{type: hld, tasks: [hand]}]}\n").find("did you mean 'hold'?"),
            std::string::npos);
  EXPECT_NE(error("      rest: {next: [{to: rest, when: [{type: button, source: person, button: "
                  "fire}]}]}\n")
                .find("the source 'person' has no button 'fire'"),
            std::string::npos);
  EXPECT_NE(error("      rest: {next: [{to: rest, when: [{type: force, sensor: left.wrst, above: 1 "
                  "N}]}]}\n")
                .find("there is no force sensor 'left.wrst'; did you mean 'left.wrist'?"),
            std::string::npos);
  EXPECT_NE(error("      rest: {next: [{to: rest, when: [{type: force, sensor: left.wrist}]}]}\n")
                .find("says neither above nor below"),
            std::string::npos);
  EXPECT_NE(error("      rest: {next: [{to: rest, when: [{type: held, group: left.arm}]}]}\n")
                .find("'left.arm' is neither suction cup nor gripper"),
            std::string::npos);
  EXPECT_NE(error("      rest: {do: [{type: grip, group: left.arm}]}\n")
                .find("'left.arm' is neither suction cup nor gripper"),
            std::string::npos);
  EXPECT_NE(error("      rest: {do: [{type: follow, task: hand, sources: [{source: "
                  "persn}]}]}\n")
                .find("there is no source 'persn'; did you mean 'person'?"),
            std::string::npos);
  EXPECT_NE(folder
                .error(of("  a: {start: s, states: {s: {do: [{type: hold, tasks: [hand]}]}}}\n"
                          "  b: {start: s, states: {s: {do: [{type: hold, tasks: [hand]}]}}}\n"))
                .find("machines.b drives 'hand', which 'a' drives too"),
            std::string::npos);
}

}  // namespace machine_test
}  // namespace handspan
