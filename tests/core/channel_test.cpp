#include "core/channel.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace channel_test {

const Rate kRate = Rate::of(1000);

template <class Function>
std::string error_of(Function function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Channel, ValuesOfEveryTypeComeBack) {
  ChannelTable table;
  const auto error = table.number("task.left.error", "m", kRate, "distance to the goal");
  const auto torque = table.vector("arm.torque", 7, "Nm", kRate);
  const auto pose = table.pose("hand.pose", kRate);
  const auto count = table.integer("loop.late", "", kRate);
  const auto engaged = table.boolean("clutch.engaged", kRate);
  const auto mode = table.choice("mode", {"hold", "move"}, Rate::of(10));
  table.seal();
  const Eigen::VectorXd tau = Eigen::VectorXd::LinSpaced(7, 1.0, 7.0);
  const Eigen::Quaterniond q = Eigen::Quaterniond(1.0, 2.0, 3.0, 4.0).normalized();
  table.write(error, 0.25, 1);
  table.write(torque, tau, 2);
  table.write(pose, Eigen::Vector3d(1, 2, 3), q, 3);
  table.write(count, -5, 4);
  table.write(engaged, true, 5);
  table.write(mode, 1, 6);
  EXPECT_EQ(table.number(error.id), 0.25);
  EXPECT_EQ(table.numbers(torque.id), tau);
  EXPECT_EQ(table.numbers(pose.id).head<3>(), Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(table.numbers(pose.id).tail<4>(), Eigen::Vector4d(q.x(), q.y(), q.z(), q.w()));
  EXPECT_EQ(table.integer(count.id), -5);
  EXPECT_EQ(table.integer(engaged.id), 1);
  EXPECT_EQ(table.info(mode.id).choices[static_cast<std::size_t>(table.integer(mode.id))], "move");
  EXPECT_EQ(table.stamp(pose.id), 3);
  EXPECT_EQ(table.writes(mode.id), 1U);
  EXPECT_EQ(table.info(error.id).unit, "m");
  EXPECT_EQ(table.info(mode.id).rate, Rate::of(10));
  EXPECT_STREQ(name_of(table.info(mode.id).type), "choice");
  EXPECT_STREQ(name_of(table.info(torque.id).type), "vector");
}

TEST(Channel, TwistsWrenchesAndJointStatesSayWhatTheyAre) {
  ChannelTable table;
  const auto twist = table.twist("hand.velocity", "world", kRate, "of the hand");
  const auto wrench = table.wrench("wrist.wrench", "wrist", kRate);
  const JointChannels arm = table.joints("arm", {"shoulder", "elbow"}, kRate,
                                         {"measured positions", "measured velocities", "torques"});
  const JointChannels commanded = table.joints("control.arm", {"shoulder", "elbow"}, kRate, {});
  EXPECT_EQ(table.channels().size(), 7U);  // the commanded one has no efforts
  EXPECT_EQ(table.info(twist.id).type, ChannelType::kTwist);
  EXPECT_EQ(table.info(twist.id).frame, "world");
  EXPECT_EQ(table.info(twist.id).unit, "m/s, rad/s");
  EXPECT_EQ(table.info(wrench.id).type, ChannelType::kWrench);
  EXPECT_EQ(table.info(wrench.id).frame, "wrist");
  EXPECT_EQ(table.info(wrench.id).size, 6U);
  EXPECT_EQ(table.info(wrench.id).labels[3], "tx");
  EXPECT_EQ(table.info(arm.tau.id).name, "arm.tau");
  EXPECT_EQ(table.info(arm.tau.id).joints, "arm");
  EXPECT_EQ(table.info(arm.v.id).unit, "rad/s");
  EXPECT_EQ(table.info(commanded.v.id).joints, "control.arm");
  EXPECT_EQ(table.info(twist.id).joints, "");
  const Eigen::Matrix<double, 6, 1> V = Eigen::Matrix<double, 6, 1>::LinSpaced(6, 1.0, 6.0);
  table.write(twist, V, 7);
  EXPECT_EQ(table.numbers(twist.id), V);
}

TEST(Channel, TypesAreFoundByTheirNames) {
  for (const ChannelType type :
       {ChannelType::kNumber, ChannelType::kVector, ChannelType::kPose, ChannelType::kTwist,
        ChannelType::kWrench, ChannelType::kInteger, ChannelType::kBoolean, ChannelType::kChoice})
    EXPECT_EQ(channel_type(name_of(type)), type);
  EXPECT_EQ(channel_type("of another program"), ChannelType::kVector);
  EXPECT_TRUE(holds_doubles(ChannelType::kWrench));
  EXPECT_FALSE(holds_doubles(ChannelType::kChoice));
}

TEST(Channel, OrderIsThatOfDeclaration) {
  ChannelTable table;
  for (const char* name : {"z", "a", "m.b", "m.a"}) table.number(name, "", kRate);
  std::vector<std::string> names;
  for (const ChannelInfo& info : table.channels()) names.push_back(info.name);
  EXPECT_EQ(names, (std::vector<std::string>{"z", "a", "m.b", "m.a"}));
  EXPECT_EQ(table.find("m.b").index, 2U);
  const auto selected = table.select("m.*");
  ASSERT_EQ(selected.size(), 2U);
  EXPECT_EQ(selected[0].index, 2U);
}

TEST(Channel, PatternsMatchAsShellsDo) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("task.*.error", "task.left.hand.error"));
  EXPECT_FALSE(matches("task.*.error", "task.error"));
  EXPECT_TRUE(matches("*b*b", "abbb"));
  EXPECT_TRUE(matches("a?c", "abc"));
  EXPECT_FALSE(matches("a?c", "ac"));
  EXPECT_FALSE(matches("abc", "abcd"));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_FALSE(matches("*a*a*a*a*a*b", std::string(10'000, 'a')));
}

TEST(Channel, SubscriptionsVisitWhatWasWrittenOnce) {
  ChannelTable table;
  const auto a = table.number("m.a", "", kRate);
  table.number("m.b", "", kRate);
  const auto c = table.number("n.c", "", kRate);
  Subscription subscription(table, "m.*");
  EXPECT_EQ(subscription.channels().size(), 2U);
  table.write(a, 1.0, 1);
  table.write(a, 2.0, 2);
  table.write(c, 3.0, 2);
  std::vector<double> seen;
  const auto see = [&](ChannelId id) { seen.push_back(table.number(id)); };
  subscription.poll(see);
  subscription.poll(see);
  EXPECT_EQ(seen, std::vector<double>{2.0});
  table.write(a, 2.0, 3);  // the same value is a new sample
  subscription.poll(see);
  EXPECT_EQ(seen.size(), 2U);
}

TEST(Channel, WritingAndReadingDoNotAllocate) {
  ChannelTable table;
  const auto number = table.number("a", "", kRate);
  const auto vector = table.vector("b", 20, "", kRate);
  const auto pose = table.pose("c", kRate);
  const auto choice = table.choice("d", {"x", "y"}, kRate);
  Subscription subscription(table, "*");
  const Eigen::VectorXd value = Eigen::VectorXd::Ones(20);
  double sum = 0.0;
  const test::AllocationCount allocations;
  for (int i = 0; i < 100; ++i) {
    table.write(number, 1.0, i);
    table.write(vector, value, i);
    table.write(pose, Eigen::Vector3d::Zero(), Eigen::Quaterniond::Identity(), i);
    table.write(choice, 1, i);
    subscription.poll([&](ChannelId id) {
      if (id != choice.id) sum += table.numbers(id).sum();
    });
  }
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_EQ(sum, 100.0 * (1.0 + 20.0 + 1.0));
}

TEST(Channel, WrongDeclarationsSaySo) {
  ChannelTable table;
  table.number("a.b", "", kRate);
  EXPECT_EQ(error_of([&] { table.pose("a.b", kRate); }),
            "the channel 'a.b' is declared twice; choose another name");
  for (const char* name : {"", ".", "a.", ".a", "a..b", "a b", "a/b", "\xC3\xA9"}) {
    EXPECT_EQ(error_of([&] { table.number(name, "", kRate); }),
              std::string("the channel name '") + name +
                  "' is not dotted identifiers; use letters, digits, '_' and '-' with single dots "
                  "between, as in 'task.left.error'");
  }
  EXPECT_EQ(error_of([&] { table.vector("v", 0, "", kRate); }),
            "the channel 'v' has no elements; give a size");
  EXPECT_EQ(error_of([&] { table.vector("v", 3, "", kRate, "", {"x"}); }),
            "the channel 'v' has 1 labels; it must have 3 or none");
  EXPECT_EQ(error_of([&] { table.choice("c", {}, kRate); }),
            "the channel 'c' has no choices; give their words");
  EXPECT_EQ(error_of([&] { table.choice("c", {"x", "y", "x"}, kRate); }),
            "the channel 'c' has the choice 'x' twice; keep one");
  // what was refused left nothing behind
  EXPECT_EQ(table.channels().size(), 1U);
  table.seal();
  EXPECT_EQ(error_of([&] { table.number("late", "", kRate); }),
            "the channel 'late' is declared after set-up; declare it before the table is sealed");
}

TEST(Channel, UnknownNamesAndPatternsSaySo) {
  ChannelTable table;
  EXPECT_EQ(error_of([&] { table.find("a"); }), "there is no channel 'a'");
  table.number("task.error", "", kRate);
  EXPECT_EQ(error_of([&] { table.find("task.eror"); }),
            "there is no channel 'task.eror'; did you mean 'task.error'?");
  EXPECT_EQ(error_of([&] { table.find("xyz"); }),
            "there is no channel 'xyz'; there are: task.error");
  EXPECT_EQ(error_of([&] { Subscription(table, "tsk.*"); }),
            "no channel matches 'tsk.*'; '*' stands for any text, '?' for one character");
}

}  // namespace channel_test
}  // namespace handspan
