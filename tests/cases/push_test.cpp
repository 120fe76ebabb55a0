// An arm at the end of a joint, whose torques alternated; and arms on measured feedback that are
// pushed and turned: they give way along the push, and not by joints that saturate.
#include <gtest/gtest.h>

#include <cmath>

#include "cases/case_support.hpp"

namespace handspan {
namespace push_test {

using test::CaseFolder;
using test::CaseRun;
using test::CaseTick;
using test::run_case;

// The fork holds the pad while the hand goes aside: what the reference leads into a contact is not
// widened, and joints 1 and 3 swing by 0.3 rad against each other unless the app lets control ask
// for more.
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

// a box goes 75 mm against its plate, below its middle; the hand goes aside meanwhile, where
// friction holds the plate: up is what counts
TEST(PushedArmsRun, APushedToolGivesWayAlongThePush) {
  HANDSPAN_NEEDS_CASES();
  const CaseFolder folder("control");
  const CaseRun run = run_case(folder / "push.yaml", folder / "swing.csv", 4.0);
  const std::size_t task = run.task("right_hand"), group = run.group("right.arm");
  double most = 0.0, turned = 0.0;
  for (const auto& tick : run.between(0.5, 1.6)) {
    const Eigen::Vector3d moved = tick.tools[task].p - tick.references[task].p;
    ASSERT_LT(tick.v[group].head<4>().lpNorm<Eigen::Infinity>(), 0.8 * 2.62) << tick.time << " s";
    if (moved.norm() < most) continue;
    most = moved.norm();
    turned = std::atan2(std::abs(moved.z()), -moved.x());
  }
  EXPECT_GT(most, 0.03);
  EXPECT_LT(turned, 25.0 * M_PI / 180.0) << turned * 180.0 / M_PI;
  // let go at 3.1 s it goes back
  const CaseTick& end = run.end();
  EXPECT_LT((end.tools[task].p - end.references[task].p).norm(), 0.002);
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

}  // namespace push_test
}  // namespace handspan
