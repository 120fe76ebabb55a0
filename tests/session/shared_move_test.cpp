// A person and a plan on one reference: apps/shared-move.yaml.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <vector>

#include "control/frame_task.hpp"
#include "math/so3.hpp"
#include "session/session.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace shared_move_test {

struct Sample {
  Eigen::Vector3d p, p_arm;  // of the reference, and where the arm is, from their start [m]
  std::size_t state = 0;
  bool holding = false;
};

std::vector<Sample> run_shared_move(const std::string& app_text, double time) {
  const auto root = std::filesystem::path(HANDSPAN_SOURCE_DIR);
  const App app = load_app(root / "apps" / app_text, test_parts());
  SessionOptions options;
  options.live_devices = true;
  Session session(app, std::move(options));
  const ReferenceIndex hand = session.arbiter().find_reference("hand");
  const auto& task = dynamic_cast<const FrameTask&>(session.arbiter().reference(hand).task());
  const Eigen::Vector3d p0 = session.arbiter().reference(hand).motion().pose.X_WE.p;
  std::vector<Sample> samples;
  while (seconds(session.now()) < time) {
    session.tick();
    samples.push_back({session.arbiter().reference(hand).motion().pose.X_WE.p - p0,
                       task.X_WE().p - p0, session.machines().front().current(),
                       session.arbiter().holding(hand)});
  }
  return samples;
}

TEST(SharedMove, ThePlanCarriesTheHandAndThePersonMovesItSideways) {
  const std::vector<Sample> samples = run_shared_move("shared-move.yaml", 10.0);
  double x_min = 0.0, y_max = 0.0, x_when_moved = 0.0, lag = 0.0, z = 0.0;
  int turns = 0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const Sample& s = samples[i];
    EXPECT_FALSE(s.holding);
    turns += s.state != samples[i - 1].state;
    x_min = std::min(x_min, s.p.x());
    z = std::max(z, std::abs(s.p.z()));
    lag = std::max(lag, (s.p - s.p_arm).norm());
    // while the person moves it along y the plan goes on along x
    if (samples[i - 1].p.y() < 0.05 && s.p.y() >= 0.05) x_when_moved = s.p.x();
    y_max = std::max(y_max, s.p.y());
  }
  // the plan's way, and not the person's
  EXPECT_NEAR(x_min, -0.15, 1e-6);
  EXPECT_LT(z, 1e-6);
  // the person's, to what a person sees and does
  EXPECT_NEAR(y_max, 0.1, 0.02);
  EXPECT_LT(x_when_moved, -0.02);
  EXPECT_GT(x_when_moved, -0.15);
  // there and back and there again
  EXPECT_GE(turns, 2);
  EXPECT_LT(lag, 0.05);
}

}  // namespace shared_move_test
}  // namespace handspan
