#include "person/operator_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace handspan {
namespace operator_model_test {

const Vector6d kError = (Vector6d() << 0.2, -0.1, 0.05, 0.0, 0.3, 0.0).finished();

TEST(OperatorModel, TwiceTheSkillErrsByHalfAndReactsAsEver) {
  OperatorConfig usual;
  // it is Fitts' law that says how long a movement takes
  usual.speed = 10.0;
  usual.turn_rate = 50.0;
  OperatorConfig skilled = usual;
  skilled.skill = 2.0;
  const OperatorModel::Goal goal{0.005, 0.05, 10.0};
  OperatorModel a(usual, 7, "person", "left"), b(skilled, 7, "person", "left");
  for (int i = 0; i < 50; ++i) {
    const auto x = a.aim(kError, goal, false, 0.0), y = b.aim(kError, goal, false, 0.0);
    const Eigen::Vector3d e = kError.head<3>(), phi = kError.tail<3>();
    EXPECT_GT((x.d_W - e).norm(), 0.0);
    EXPECT_LT((y.d_W - e - 0.5 * (x.d_W - e)).norm(), 1e-15);
    EXPECT_LT((y.phi_W - phi - 0.5 * (x.phi_W - phi)).norm(), 1e-15);
    // Fitts' slope is halved, his intercept is not
    EXPECT_NEAR(x.time - 0.1, 2.0 * (y.time - 0.1), 1e-12);
    EXPECT_EQ(a.reaction(0), b.reaction(0));
    EXPECT_EQ(a.touch_reaction(0), b.touch_reaction(0));
  }
}

TEST(OperatorModel, FeelingIsAnsweredSoonerThanSeeing) {
  const OperatorConfig config;
  OperatorModel model(config, 3, "person", "right");
  constexpr int n = 2000;
  double seen = 0.0, felt = 0.0;
  for (int i = 0; i < n; ++i) {
    const double s = seconds(model.reaction(kSecond) - kSecond);
    const double f = seconds(model.touch_reaction(kSecond) - kSecond);
    EXPECT_GE(s, 0.5 * config.reaction);
    EXPECT_GE(f, 0.5 * config.touch_reaction);
    seen += s / n;
    felt += f / n;
  }
  // of 2000 a mean is known to 0.02 s / sqrt(2000): five times that
  EXPECT_NEAR(seen, 0.2, 5 * 0.02 / std::sqrt(n));
  EXPECT_NEAR(felt, 0.15, 5 * 0.02 / std::sqrt(n));
}

TEST(OperatorModel, WhatIsHeldDownErrsByItsTimeToo) {
  OperatorConfig config;
  config.endpoint = 0.0;
  OperatorModel model(config, 3, "person", "right");
  constexpr int n = 2000;
  double square = 0.0;
  for (int i = 0; i < n; ++i) {
    const Eigen::Vector3d off = model.aim(kError, {}, false, 0.5).d_W - kError.head<3>();
    // along the way alone
    EXPECT_LT(off.cross(Eigen::Vector3d(kError.head<3>())).norm(), 1e-12);
    square += off.squaredNorm() / n;
  }
  // 30 ms at 0.5 m/s; a deviation of 2000 is known to 1.6 %: four times that
  EXPECT_NEAR(std::sqrt(square), 0.03 * 0.5, 0.064 * 0.03 * 0.5);
}

TEST(OperatorModel, HandsErrAlikeInWhatTheyDoTogetherAlone) {
  const OperatorConfig config;
  OperatorModel left(config, 5, "person", "left"), right(config, 5, "person", "right");
  left.aim(kError, {}, true, 0.0);
  left.begin_together(1 << 16);
  right.begin_together(1 << 16);
  EXPECT_EQ(left.aim(kError, {}, true, 0.0).d_W, right.aim(kError, {}, true, 0.0).d_W);
  EXPECT_NE(left.aim(kError, {}, false, 0.0).d_W, right.aim(kError, {}, false, 0.0).d_W);
}

}  // namespace operator_model_test
}  // namespace handspan
