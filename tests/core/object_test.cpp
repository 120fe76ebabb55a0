#include "core/object.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/config_helpers.hpp"

namespace handspan {
namespace object_test {

using test::error_at_x;
using test::errors_of;

struct Task {
  double stiffness = 0.0;
  double damping = 0.7;
  std::optional<double> limit;
  int priority = 2;
  Place place;
};

ObjectSchema<Task> task_schema() {
  return object<Task>("Task", "pulls a frame")
      .required("stiffness", &Task::stiffness, number("N/m").above(0), "of the spring")
      .optional("damping", &Task::damping, number().min(0))
      .optional("limit", &Task::limit, number("N"))
      .optional("priority", &Task::priority, integer().min(0))
      .place(&Task::place);
}

TEST(Object, FillsMembersAndLeavesDefaults) {
  const Task task = parse_yaml("\nstiffness: 5\nlimit: 3\n", "t.yaml", task_schema());
  EXPECT_EQ(task.stiffness, 5.0);
  EXPECT_EQ(task.damping, 0.7);
  EXPECT_EQ(task.limit, 3.0);
  EXPECT_EQ(task.priority, 2);
  EXPECT_EQ(task.place.text(), "t.yaml:2");
  EXPECT_EQ(parse_yaml("stiffness: 5", "t.yaml", task_schema()).limit, std::nullopt);
}

TEST(Object, AllErrorsOfAFileComeAtOnceInTheOrderOfLines) {
  const std::string text =
      "- stiffness: 1\n"
      "  damping: -1\n"
      "- stiffness: 1\n"
      "- damping: 0\n"
      "  stifness: 3\n"
      "- stiffness: -100\n"
      "- 7\n";
  EXPECT_EQ(
      errors_of(text, list(task_schema())),
      "t.yaml:2: [0].damping is -1; it must be >= 0\n"
      "t.yaml:4: [2] has no key 'stiffness'; add 'stiffness: <number [N/m], > 0>'\n"
      "t.yaml:5: unknown key 'stifness' in [2]; did you mean 'stiffness'?\n"
      "t.yaml:6: [3].stiffness is -100; it must be > 0\n"
      "t.yaml:7: [4] is 7; it must be an object with the keys stiffness, damping, limit, priority");
}

TEST(Object, AtTheRootTheKeyIsTheFile) {
  EXPECT_EQ(errors_of("a: 1", task_schema()),
            "t.yaml:1: unknown key 'a'; the keys are: stiffness, damping, limit, priority\n"
            "t.yaml:1: the file has no key 'stiffness'; add 'stiffness: <number [N/m], > 0>'");
  EXPECT_EQ(errors_of("[1]", task_schema()),
            "t.yaml:1: the file is a list; it must be an object with the keys stiffness, damping, "
            "limit, priority");
}

TEST(Object, AnOptionalKeyWithoutValueIsAnError) {
  EXPECT_EQ(errors_of("stiffness: 1\ndamping:\n", task_schema()),
            "t.yaml:2: damping is empty; it must be a number");
  EXPECT_EQ(errors_of("stiffness: 1\nlimit: ~\n", task_schema()),
            "t.yaml:2: limit is empty; it must be a number in N");
}

TEST(Object, NarrowIntegersAreCheckedForTheirRange) {
  EXPECT_EQ(errors_of("{stiffness: 1, priority: 2147483648}", task_schema()),
            "t.yaml:1: priority is 2147483648; it must be from -2147483648 to 2147483647");
}

TEST(Object, ChecksSeeTheWholeObjectAndNameTheirPart) {
  const auto schema = task_schema()
                          .check([](const Task& task) -> std::optional<Fault> {
                            if (task.damping <= task.stiffness) return std::nullopt;
                            return Fault{"is above the stiffness", "lower it", "damping"};
                          })
                          .check([](const Task& task) -> std::optional<Fault> {
                            if (task.stiffness < 100) return std::nullopt;
                            return Fault{"is too stiff", "use a softer spring"};
                          });
  EXPECT_EQ(errors_of("{stiffness: 1}", schema), "no error");
  EXPECT_EQ(errors_of("stiffness: 1\ndamping: 2\n", schema),
            "t.yaml:2: damping is above the stiffness; lower it");
  EXPECT_EQ(errors_of("stiffness: 100\ndamping: 200\n", schema),
            "t.yaml:1: the file is too stiff; use a softer spring\n"
            "t.yaml:2: damping is above the stiffness; lower it");
  // not made on an object that is not read well
  EXPECT_EQ(errors_of("{stiffness: 1000, damping: x}", schema),
            "t.yaml:1: damping is 'x'; it must be a number");
  EXPECT_EQ(errors_of("{damping: 2}", schema),
            "t.yaml:1: the file has no key 'stiffness'; add 'stiffness: <number [N/m], > 0>'");
  EXPECT_EQ(errors_of("{stiffness: 1000, limits: 3}", schema),
            "t.yaml:1: unknown key 'limits'; did you mean 'limit'?");
}

struct Derived : Task {
  std::vector<std::string> names;
};

TEST(Object, MembersOfABaseAreMembers) {
  const auto schema = object<Derived>("Derived")
                          .required("stiffness", &Derived::stiffness, number())
                          .optional("names", &Derived::names, list(text()));
  EXPECT_EQ(parse_yaml("{stiffness: 3, names: [a]}", "t", schema).names[0], "a");
}

TEST(Object, ListsHaveTheirSizes) {
  EXPECT_EQ(error_at_x("[]", list(number()).min_size(1)),
            "x has 0 items; it must have at least 1 item");
  EXPECT_EQ(error_at_x("[1, 2, 3]", list(number()).max_size(2)),
            "x has 3 items; it must have at most 2 items");
  EXPECT_EQ(error_at_x("[1]", list(number()).size(2)),
            "x has 1 item; it must have exactly 2 items");
  EXPECT_EQ(error_at_x("[1, 2]", list(number()).size(2)), "no error");
  EXPECT_EQ(error_at_x("{a: 1}", list(number())), "x is an object; it must be a list");
}

TEST(Object, DictionariesKeepTheOrderOfTheFile) {
  const auto pairs = parse_yaml("b: 1\na: 2\n", "t", dictionary(number()));
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].first, "b");
  EXPECT_EQ(pairs[1].second, 2.0);
  EXPECT_EQ(error_at_x("{b: 1, a: c}", dictionary(number())), "x.a is 'c'; it must be a number");
  EXPECT_EQ(error_at_x("[1]", dictionary(number())),
            "x is a list; it must be an object of names and values");
}

TEST(Object, LocatedValuesKnowTheirPlace) {
  const auto values = parse_yaml("- 1\n- 2\n", "t.yaml", list(located(number())));
  EXPECT_EQ(values[1].value, 2.0);
  EXPECT_EQ(values[1].place.text(), "t.yaml:2");
}

struct Box {
  Eigen::Vector3d size = Eigen::Vector3d::Ones();
};
struct Sphere {
  double radius = 0.0;
};
using Shape = std::variant<Box, Sphere>;

Schema<Shape> shape_schema() {
  return one_of<Shape>(
      "type", {{"box", object<Box>("Box").required("size", &Box::size, vector<3>("m"))},
               {"sphere", object<Sphere>("Sphere").required("radius", &Sphere::radius, number("m")),
                "a ball"}});
}

TEST(Object, TheTagPicksTheAlternative) {
  const auto shapes = parse_yaml("[{type: sphere, radius: 2}, {size: [1, 2, 3], type: box}]", "t",
                                 list(shape_schema()));
  EXPECT_EQ(std::get<Sphere>(shapes[0]).radius, 2.0);
  EXPECT_EQ(std::get<Box>(shapes[1]).size.z(), 3.0);
}

TEST(Object, WrongTagsSaySo) {
  EXPECT_EQ(error_at_x("{type: shpere}", shape_schema()),
            "x.type is 'shpere'; did you mean 'sphere'?");
  EXPECT_EQ(error_at_x("{type: cone}", shape_schema()),
            "x.type is 'cone'; it must be one of: box, sphere");
  EXPECT_EQ(error_at_x("{type: [box]}", shape_schema()),
            "x.type is a list; it must be one of box, sphere");
  EXPECT_EQ(error_at_x("{radius: 1}", shape_schema()),
            "x has no key 'type'; add 'type: NAME', one of box, sphere");
  EXPECT_EQ(error_at_x("5", shape_schema()), "x is 5; add 'type: NAME', one of box, sphere");
  EXPECT_EQ(error_at_x("{type: sphere, radius: 1, size: 2}", shape_schema()),
            "unknown key 'size' in x; the keys are: radius");
}

struct Tree {
  double mass = 0.0;
  std::vector<Tree> children;
};

Schema<Tree> tree_schema() {
  return object<Tree>("Tree", "a body and what hangs on it")
      .required("mass", &Tree::mass, number("kg"))
      .optional("children", &Tree::children, list(deferred<Tree>(&tree_schema)));
}

TEST(Object, DeferredSchemasContainThemselves) {
  const Tree tree =
      parse_yaml("{mass: 1, children: [{mass: 2, children: [{mass: 3}]}]}", "t", tree_schema());
  EXPECT_EQ(tree.children[0].children[0].mass, 3.0);
  EXPECT_EQ(errors_of("{mass: 1, children: [{mass: 2, children: [{mass: a}]}]}", tree_schema()),
            "t.yaml:1: children[0].children[0].mass is 'a'; it must be a number in kg");
  EXPECT_EQ(describe(tree_schema()),
            "Tree: a body and what hangs on it\n"
            "  mass: number [kg] (required)\n"
            "  children: list of Tree (default none)\n");
}

}  // namespace object_test
}  // namespace handspan
