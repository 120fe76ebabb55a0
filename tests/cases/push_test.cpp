// An arm at the end of a joint, whose torques alternated; and arms on measured feedback that are
// pushed and turned: they give way along the push, and not by joints that saturate. A contact takes
// the acceleration that control asks for; within what a maker states for free motion each joint
// would be at its limit for itself, and the direction be lost.
#include <gtest/gtest.h>

#include <cmath>

#include "cases/case_support.hpp"

namespace handspan {
namespace {

using test::CaseFolder;
using test::CaseRun;
using test::run_case;

const char* const kForContacts =
    "feedback: measured, acceleration: [100, 100, 100, 100, 100, 100, 100],";

// the hand asks for what is overhead, where joint 6 is at its end
TEST(PushedArmsRun, NoJointAlternatesWhereTheWayEnds) {
  HANDSPAN_NEEDS_CASES();
  const CaseFolder folder("control");
  const CaseRun run = run_case(folder / "wrist.yaml", folder / "adv_overhead.csv", 6.0);
  for (std::size_t g = 0; g < run.groups.size(); ++g)
    for (Eigen::Index joint = 0; joint < run.end().v[g].size(); ++joint) {
      int reversals = 0;
      double before = 0.0;
      for (const auto& tick : run.between(2.0, 6.0)) {
        const double v = tick.v[g][joint];
        if (v * before < 0.0) ++reversals;
        if (v != 0.0) before = v;
      }
      EXPECT_LE(reversals, 5) << run.groups[g] << " joint " << joint + 1;
    }
}

TEST(PushedArmsRun, TheElbowStaysWhenTheToolIsTurned) {
  HANDSPAN_NEEDS_CASES();
  const CaseFolder folder("control");
  folder.change("fork.yaml", "feedback: measured,", kForContacts);
  const CaseRun run = run_case(folder / "fork.yaml", folder / "swing.csv", 2.0);
  const Eigen::VectorXd q0 = run.at(0.5).q[run.group("right.arm")];
  for (const auto& tick : run.between(0.5, 2.0)) {
    const Eigen::VectorXd moved = tick.q[run.group("right.arm")] - q0;
    // the joints before the wrist carry the elbow
    ASSERT_LT(moved.head<4>().lpNorm<Eigen::Infinity>(), 0.06) << tick.time << " s";
  }
}

}  // namespace
}  // namespace handspan
