#include "person/held_pose.hpp"

#include <gtest/gtest.h>

#include "person_support.hpp"

namespace handspan {
namespace held_pose_test {

const TrackingConfig kTracking{};
const HandPlace kPlace{};

std::unique_ptr<HeldDevice> held(const std::string& yaml, std::size_t side,
                                 const TrackingConfig& tracking = kTracking) {
  return parse_yaml(yaml, "h.yaml", test::person_held().schema())
      .make({tracking, kPlace, side, 0.1});
}

TEST(HeldPose, AStylusIsHeldByOneHandAndGoesAsItShould) {
  TrackingConfig tracking;
  tracking.scale = {2.0, 2.0, 4.0};
  const auto pen = held("{type: stylus, hand: left, buttons: [grey, white]}", 0, tracking);
  const auto other = held("{type: stylus, hand: left, buttons: [grey, white]}", 1);
  EXPECT_TRUE(pen->in_hand());
  EXPECT_FALSE(other->in_hand());
  EXPECT_EQ(pen->layout().poses, std::vector<std::string>{"stylus"});
  const Eigen::Vector3d d_W(0.2, -0.1, 0.4);
  EXPECT_LT((pen->way() * d_W - pen->way(d_W)).norm(), 1e-15);
  // the way back: W's axes, and the scale
  EXPECT_LT((rotation_of(tracking.space) * pen->way(d_W) - Eigen::Vector3d(0.1, -0.05, 0.1)).norm(),
            1e-15);

  DeviceSample sample("pen", pen->layout());
  SubMovement movement;
  movement.p_VC0 = {1.0, 2.0, 3.0};
  other->write(movement, {}, 0, sample);
  EXPECT_EQ(sample.input().numbers[0], static_cast<double>(TrackedAs::kNone));
  pen->set({pen->control("white")}, true);
  pen->work(0.001);
  pen->write(movement, {0.01, 0.0, 0.0}, 0, sample);
  EXPECT_EQ(sample.input().numbers[0], static_cast<double>(TrackedAs::kController));
  EXPECT_DOUBLE_EQ(sample.input().numbers[1], 1.01);
  EXPECT_EQ(sample.input().numbers[kPoseNumbers + 1], 1.0);
}

TEST(HeldPose, AnAxisIsPressedWithinItsTimeAndCountsOfOneHandAlone) {
  const auto left = held("{type: headset}", 0);
  const std::vector<std::size_t> trigger = {left->control("left.trigger")};
  EXPECT_EQ(left->control("left.trigger"), trigger[0]);
  left->set(trigger, true);
  left->work(0.06);
  EXPECT_FALSE(left->settled(trigger));
  EXPECT_TRUE(left->any_axis(trigger));
  left->work(0.06);
  EXPECT_TRUE(left->settled(trigger));
  EXPECT_TRUE(left->all_are(trigger, 1.0));
  left->reset();
  EXPECT_TRUE(left->all_are(trigger, 0.0));
  EXPECT_TRUE(left->within_reach(left->rest()));
  EXPECT_FALSE(left->within_reach({left->rest().R, left->rest().p + Eigen::Vector3d(0.31, 0, 0)}));
}

TEST(HeldPose, SaysWhatIsWrong) {
  const auto error = [](const std::string& yaml, const std::string& control, std::size_t side) {
    try {
      held(yaml, side)->control(control);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(error("{type: headset}", "right.trigger", 0),
            "the left hand has no control 'right.trigger'; did you mean 'left.trigger'?");
  EXPECT_EQ(error("{type: stylus}", "button0", 0),
            "the left hand holds nothing with a control 'button0'; give its actions to the other "
            "hand");
  EXPECT_EQ(error("{type: stylus, buttons: [a, a]}", "a", 1),
            "h.yaml:1: the file names 'a' twice; give each control a name of its own");
  EXPECT_EQ(error("{type: stylus, hand: both}", "a", 1).substr(0, 13), "h.yaml:1: han");
}

}  // namespace held_pose_test
}  // namespace handspan
