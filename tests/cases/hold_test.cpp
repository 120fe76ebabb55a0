// An arm that is let go stays: singular postures, walls, moves that cannot be done.
#include <fmt/format.h>

#include "cases/case_support.hpp"

namespace handspan {
namespace hold_test {

// what make_sticks.py writes as down.csv: the dead man's control 0.5 to 4.2 s, the stick forward
// from 1 to 4 s
std::string stick(double seconds) {
  std::string text =
      "t,r_source,r_x,r_y,r_z,r_qx,r_qy,r_qz,r_qw,r_trigger,r_squeeze,r_primary,r_secondary,"
      "r_stick_x,r_stick_y\n";
  for (int i = 0; i < static_cast<int>(seconds * 45.0); ++i) {
    const double t = i / 45.0;
    text += fmt::format("{:.4f},controller,0.2,1.1,-0.4,0,0,0,1,0,{},0,0,0,{}\n", t,
                        t >= 0.5 && t < 4.2 ? 1 : 0, t >= 1.0 && t < 4.0 ? -1 : 0);
  }
  return text;
}

TEST(HoldCases, AnArmJoggedIntoASingularWayStaysWhenItIsLetGo) {
  HANDSPAN_NEEDS_CASES();
  for (const char* axis : {"z", "x", "y"}) {
    const test::CaseFolder folder("apps");
    const auto down = folder.write("down.csv", stick(12.0));
    folder.change("singular.yaml", "z: -right.stick_y", std::string(axis) + ": -right.stick_y");
    const test::CaseRun run = test::run_case(folder / "singular.yaml", down, 12.0);
    EXPECT_LT(run.joints_moved(4.7, 12.0), 0.002) << axis;
    EXPECT_LT(run.slip("cup", 4.7, 12.0), 0.001) << axis;
    // the stick was 0.3 m ahead of an arm that this way is closed to, or the arm went
    EXPECT_LE(run.reference_distance("cup", 0.0, 4.2), 0.15 * (1.0 + 1e-9)) << axis;
    EXPECT_LT(run.reference_distance("cup", 4.8, 12.0), 0.002) << axis;
    std::printf("singular %s: the tool went %.3f m while asked, joints %.5f rad from 4.7 s\n", axis,
                run.slip("cup", 1.0, 4.2), run.joints_moved(4.7, 12.0));
  }
}

TEST(HoldCases, AMoveIsDoneOnlyWhereTheArmIs) {
  HANDSPAN_NEEDS_CASES();
  const test::CaseFolder folder("apps");
  const test::CaseRun run = test::run_case(folder / "singular_move.yaml", {}, 12.0);
  const auto done = run.events_of("mode", "b");
  const double start = run.tool("cup", 0.001).p.z();
  if (done.empty()) {
    // it stays, and what keeps it is named
    EXPECT_FALSE(run.events_of("limit", "singular").empty()) << run.told();
    EXPECT_LT(run.joints_moved(1.0, 12.0), 0.002) << run.told();
  } else {
    EXPECT_NEAR(run.tool("cup", done.front().time).p.z(), start - 0.2, 0.005) << run.told();
    EXPECT_LT(run.joints_moved(done.front().time + 0.5, 12.0), 0.002) << run.told();
  }
  EXPECT_LE(run.reference_distance("cup", 0.0, 12.0), 0.15 * (1.0 + 1e-9));
}

TEST(HoldCases, AWallIsPressedNoDeeperThanTheLeash) {
  HANDSPAN_NEEDS_CASES();
  const test::CaseFolder folder("control");
  const test::CaseRun run = test::run_case(folder / "wall.yaml", folder / "wall.csv", 8.0);
  // the arm goes on for one tick after the reference was moved
  EXPECT_LE(run.reference_distance("right_hand", 0.0, 8.0), 0.05 + 1e-3);
  // the hand is 0.13 m in the wall and stands from 2 to 4 s
  EXPECT_LT(run.slip("right_hand", 2.0, 4.0), 0.01);
  std::printf("wall: distance %.4f m, slip %.4f m\n",
              run.reference_distance("right_hand", 0.0, 8.0), run.slip("right_hand", 2.0, 4.0));
  EXPECT_FALSE(run.events_of("leash").empty()) << run.told();
}

}  // namespace hold_test
}  // namespace handspan
