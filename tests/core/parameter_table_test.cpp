#include "core/parameter_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace parameter_table_test {

// three parameters: along a ramp, plain, and a switch that persons are not shown
struct Rig {
  ParameterTable table;
  double target = 1.0, time = 0.0, radius = 0.05;
  bool closed = false;

  Rig() {
    table.add(
        {"task.hand.weight", "", 0.0, 1e6, "how much it counts", ParameterKind::kNumber,
         std::array{0.0, 2.0}},
        [this] { return target; },
        [this](double value, double over) {
          target = value;
          time = over;
        });
    PartParameters circle(table, "source.circle");
    circle.add({"radius", "m", 0.01, 0.2, "of the circle"}, radius);
    PartParameters grasp(table, "loop_closure.grasp");
    grasp.add(
        {"closed", "", 0.0, 1.0, "", ParameterKind::kSwitch, std::array{0.0, 0.0}},
        [this] { return closed ? 1.0 : 0.0; },
        [this](double value, double) { closed = value > 0.5; });
  }
  std::size_t find(const char* name) const { return table.find(name); }
};

template <class Function>
std::string refusal(Function function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(ParameterTable, ValuesAreReadAndSetByName) {
  Rig rig;
  EXPECT_EQ(rig.table.get(rig.find("task.hand.weight")), 1.0);
  EXPECT_TRUE(rig.table.set(rig.find("task.hand.weight"), 3.0, 0.2));
  EXPECT_EQ(rig.target, 3.0);
  EXPECT_EQ(rig.time, 0.2);
  EXPECT_TRUE(rig.table.set(rig.find("source.circle.radius"), 0.2, 0.0));
  EXPECT_EQ(rig.radius, 0.2);
  EXPECT_TRUE(rig.table.set(rig.find("loop_closure.grasp.closed"), 1.0, 0.0));
  EXPECT_TRUE(rig.closed);
  EXPECT_EQ(rig.table.look_up("source.circle"), std::nullopt);
}

TEST(ParameterTable, WhatIsNotFiniteOrOutOfRangeChangesNothing) {
  Rig rig;
  const double inf = std::numeric_limits<double>::infinity();
  for (const double value : {std::nan(""), inf, -inf, 0.2000001, 0.0099999, -0.05})
    EXPECT_FALSE(rig.table.set(rig.find("source.circle.radius"), value, 0.0)) << value;
  EXPECT_EQ(rig.radius, 0.05);
  EXPECT_FALSE(rig.table.set(rig.find("loop_closure.grasp.closed"), 1.5, 0.0));
  EXPECT_FALSE(rig.closed);
  EXPECT_EQ(out_of_range(rig.table.info(rig.find("source.circle.radius")), 7.0, {0.01, 0.2}),
            "source.circle.radius is 7 m; it must be 0.01 to 0.2");
}

TEST(ParameterTable, PersonsHaveTheirOwnRangeWithinTheWholeOne) {
  const Rig rig;
  const auto range = [&](const char* name) {
    return rig.table.info(rig.find(name)).persons_range();
  };
  EXPECT_EQ(range("task.hand.weight"), (std::array{0.0, 2.0}));
  EXPECT_EQ(range("source.circle.radius"), (std::array{0.01, 0.2}));
  EXPECT_TRUE(rig.table.info(rig.find("source.circle.radius")).for_persons());
  EXPECT_FALSE(rig.table.info(rig.find("loop_closure.grasp.closed")).for_persons());
}

TEST(ParameterTable, AnUnknownNameNamesTheNearestOrAll) {
  const Rig rig;
  EXPECT_EQ(refusal([&] { rig.find("task.hand.wieght"); }),
            "there is no parameter 'task.hand.wieght'; did you mean 'task.hand.weight'?");
  EXPECT_EQ(refusal([&] { rig.find("mass"); }),
            "there is no parameter 'mass'; there are: task.hand.weight, source.circle.radius, "
            "loop_closure.grasp.closed");
  EXPECT_EQ(refusal([] { ParameterTable().find("mass"); }), "there is no parameter 'mass'");
}

TEST(ParameterTable, WhatCannotBeAddedSaysWhy) {
  Rig rig;
  const auto add = [&](ParameterInfo info) {
    return refusal([&] { rig.table.add(std::move(info), rig.radius); });
  };
  const std::string start = "the parameter 'a.b' cannot be added: ";
  EXPECT_EQ(add({"radius", "m", 0.0, 1.0, ""}),
            "the parameter 'radius' cannot be added: its name is not of words with dots between "
            "them, such as task.hand.weight");
  EXPECT_EQ(add({"source.circle.radius", "m", 0.0, 1.0, ""}),
            "the parameter 'source.circle.radius' cannot be added: there is one of that name "
            "already; choose another name");
  EXPECT_EQ(add({"a.b", "m", 1.0, 1.0, ""}),
            start + "its range is 1 to 1; give the lowest value, then the highest");
  EXPECT_EQ(add({"a.b", "m", 0.0, std::nan(""), ""}),
            start + "its range is 0 to nan; give the lowest value, then the highest");
  EXPECT_EQ(add({"a.b", "", 0.0, 2.0, "", ParameterKind::kSwitch}),
            start + "its range is 0 to 2; that of a switch is 0 to 1");
  EXPECT_EQ(add({"a.b", "m", 0.0, 1.0, "", ParameterKind::kNumber, std::array{0.5, 1.5}}),
            start + "persons may set 0.5 to 1.5; that must be within 0 to 1");
  EXPECT_EQ(rig.table.size(), 3U);
}

TEST(ParameterTable, PlainNumbersAreSavedWithTheLoopAndOthersAreNot) {
  Rig rig;
  rig.radius = 0.1;
  std::vector<std::byte> bytes;
  StateArchive save(bytes);
  rig.table.state(save);
  EXPECT_EQ(bytes.size(), sizeof(double));
  rig.radius = 0.15;
  rig.target = 9.0;
  StateArchive load{std::span<const std::byte>(bytes)};
  rig.table.state(load);
  load.finish();
  EXPECT_EQ(rig.radius, 0.1);
  EXPECT_EQ(rig.target, 9.0);
}

TEST(ParameterTable, ATickDoesNotTouchTheHeap) {
  Rig rig;
  const test::AllocationCount allocations;
  const auto found = rig.table.look_up("task.hand.weight");
  rig.table.set(*found, rig.table.get(*found) + 1.0, 0.2);
  rig.table.look_up("task.hand.wieght");
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_EQ(rig.target, 2.0);
}

}  // namespace parameter_table_test
}  // namespace handspan
