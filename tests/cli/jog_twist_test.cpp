// Twists as a person runs them: which controller an app has, a recorded stick that jogs, its log
// again to the same bits.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/program.hpp"

namespace jog_twist_test {

namespace test = handspan::test;
using test::kRoot;
using test::Result;

class JogTwist : public test::InFolder {
 protected:
  JogTwist() {
    std::filesystem::create_symlink(kRoot / "robots", folder_ / "robots");
    write("one.yaml", "name: one\nrobots: {left: {robot: ur5, pose: stance}}\n");
    const std::string rest = R"(  arms: {left.arm: {}}
  tasks: {hand: {type: twist, frame: left.flange}}
references: {hand: {type: twist}}
devices: {pad: {driver: {type: headset}}}
sources: {stick: {type: jog, device: pad, x: left.stick_y, y: left.stick_x, speed: 0.2}}
machines: {all: {start: jog, states: {jog: {do: [{type: follow, task: hand, sources: [{source: stick}]}]}}}}
)";
    const std::string head = "scene: one.yaml\nduration: 4 s\nwhole_arm:\n";
    write("qp.yaml", "name: qp\n" + head + rest);
    write("rate.yaml", "name: rate\n" + head + "  type: resolved_rate\n" + rest);
    // at rest, then to the left for a second and a half, then back at half of it
    std::ostringstream rows;
    rows << "t,l_source,l_x,l_y,l_z,l_qx,l_qy,l_qz,l_qw,l_stick_x,l_stick_y\n";
    for (int i = 0; i <= 200; ++i) {
      const double t = 0.02 * i, x = t < 0.5 ? 0.0 : t < 2.0 ? 1.0 : -0.5;
      rows << t << ",controller,0,1,0,0,0,0,1," << x << ",0\n";
    }
    write("stick.csv", rows.str());
  }
};

TEST_F(JogTwist, CheckSaysWhichWholeArmControllerAnAppHas) {
  for (const auto& [app, name] :
       {std::pair{"qp", "quadratic program"}, std::pair{"rate", "resolved_rate"}}) {
    const Result r = run("check " + std::string(app) + ".yaml --json checked.json");
    ASSERT_EQ(r.code, 0) << r.output;
    EXPECT_TRUE(r.has("whole-arm controller: " + std::string(name) + ", commands left.arm\n"))
        << r.output;
    EXPECT_NE(read("checked.json").find('"' + std::string(name) + '"'), std::string::npos);
  }
}

TEST_F(JogTwist, ARecordedStickMovesTheArmAndItsLogRunsAgainToTheSameBits) {
  for (const std::string app : {"qp", "rate"}) {
    const Result r = run("run " + app + ".yaml --no-picture --input stick.csv --record " + app +
                         ".mcap --json " + app + ".json");
    ASSERT_EQ(r.code, 0) << r.output;
    const auto summary = nlohmann::json::parse(read(app + ".json"));
    const auto& hand = summary.at("tracking").at(0);
    EXPECT_EQ(hand.at("of"), "twist") << hand;
    EXPECT_TRUE(r.has("deg/s")) << r.output;
    double moved = 0.0;
    for (const auto& group : summary.at("groups"))
      moved = std::max(moved, group.at("worst_deviation").get<double>());
    EXPECT_GT(moved, 0.1) << "radians of the joint that moved most";
    const Result again = run("replay " + app + ".mcap --verify");
    EXPECT_EQ(again.code, 0) << again.output;
    EXPECT_TRUE(again.has("the same bits")) << again.output;
  }
}

}  // namespace jog_twist_test
