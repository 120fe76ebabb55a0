// handspan check LOG --episodes as a person runs it, rightly and wrongly.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace check_episodes_test {

namespace test = handspan::test;
using test::kRoot;
using test::Result;

class CheckEpisodes : public test::InFolder {
 protected:
  // an arm that moves in its first episode and stands still in its second one
  void record() const {
    write("app.yaml", "name: two\nscene: " + (kRoot / "scenes/follow.yaml").string() + R"(
whole_arm:
  arms: {left.arm: {feedback: commanded}, right.arm: {feedback: commanded}}
  tasks:
    hand: {type: pose, frame: left.tcp, stiffness: 400}
    posture: {type: posture, robot: left, stiffness: 10, weight: 1.0e-4}
    rests: {type: posture, robot: right, stiffness: 100}
machines:
  arm:
    start: moves
    states:
      moves:
        episode: start
        do: [{type: move_to, task: hand, waypoints: [{relative: true, position: [0, 0, 0.1]}]}]
        next: [{to: first, when: [{type: done}]}]
      first: {episode: success, do: [{type: wait}], next: [{to: stands, when: [{type: after, time: 0.1 s}]}]}
      stands: {episode: start, do: [{type: wait}], next: [{to: second, when: [{type: after, time: 0.5 s}]}]}
      second: {episode: success, do: [{type: wait}], final: true}
)");
    const Result r = run("run app.yaml --for 5s --no-picture --record two.mcap");
    ASSERT_EQ(r.code, 0) << r.output;
  }
};

TEST_F(CheckEpisodes, SaysOfEachWhatMovesAndThatOneHasNoMotion) {
  record();
  const Result r = run("check two.mcap --episodes --json report.json");
  // one of two cannot be learnt from
  EXPECT_EQ(r.code, 1) << r.output;
  EXPECT_TRUE(r.has("episode 1: 0.000 s to ")) << r.output;
  EXPECT_TRUE(r.has("reference  hand")) << r.output;
  EXPECT_TRUE(
      r.has("NOT good: nothing moves in it: no reference leaves where it began and no "
            "gripper gets another command; leave it out, or record it anew"))
      << r.output;
  EXPECT_TRUE(r.has("two.mcap: 1 of 2 episodes can be learnt from")) << r.output;
  const auto json = nlohmann::json::parse(std::ifstream(folder_ / "report.json"));
  EXPECT_EQ(json.at("holds"), false);
  const auto& log = json.at("checked").at(0);
  EXPECT_EQ(log.at("kind"), "log");
  const auto& episodes = log.at("episodes");
  ASSERT_EQ(episodes.size(), 2U);
  EXPECT_EQ(episodes[0].at("good"), true);
  EXPECT_TRUE(episodes[0].at("problems").empty());
  ASSERT_EQ(episodes[0].at("references").size(), 1U);
  EXPECT_EQ(episodes[0].at("references")[0].at("name"), "hand");
  EXPECT_NEAR(episodes[0].at("references")[0].at("distance").get<double>(), 0.1, 1e-3);
  EXPECT_EQ(episodes[1].at("good"), false);
  EXPECT_EQ(episodes[1].at("outcome"), "success");
  ASSERT_EQ(episodes[1].at("problems").size(), 1U);
}

TEST_F(CheckEpisodes, IsForLogsAlone) {
  write("text.mcap", "this is no log");
  write("app.yaml", "name: a\n");
  const auto refused = [&](const std::string& line, const std::string& part) {
    const Result r = run(line);
    EXPECT_EQ(r.code, 2) << line << ": " << r.output;
    EXPECT_TRUE(r.has(part)) << line << ": " << r.output;
  };
  refused("check text.mcap --episodes", "text.mcap");
  refused("check nothing.mcap --episodes", "nothing.mcap");
  refused("check app.yaml --episodes",
          "--episodes is for logs (.mcap), and app.yaml is none; leave it out");
  refused("check " + (kRoot / "apps/hold.yaml").string() + " --episodes",
          "--episodes is for logs (.mcap), and ");
  refused("check fr3 --episodes", "--episodes is for logs (.mcap), and fr3 is none; leave it out");
  refused("check text.mcap --episodes --repair out.mcap",
          "--repair and --episodes are two things to do with a log; leave one out");
  refused("check --episodes", "check what?");
}

}  // namespace check_episodes_test
