#include "core/schema.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/config_helpers.hpp"

namespace handspan {
namespace schema_test {

using test::error_at_x;
using test::errors_of;
using test::value_at_x;

TEST(Schema, MethodsLeaveTheSchemaTheyAreCalledOnAsItWas) {
  const Schema<double> any = number();
  const Schema<double> positive = any.above(0);
  EXPECT_EQ(error_at_x("-1", any), "no error");
  EXPECT_EQ(error_at_x("-1", positive), "x is -1; it must be > 0");
}

TEST(Schema, ChecksRefuseWithTheirOwnWords) {
  const auto even = integer().check(
      [](std::int64_t value) -> std::optional<Fault> {
        if (value % 2 == 0) return std::nullopt;
        return Fault{"is odd", "use an even number"};
      },
      "even");
  EXPECT_EQ(value_at_x("4", even), 4);
  EXPECT_EQ(error_at_x("3", even), "x is odd; use an even number");
  EXPECT_EQ(error_at_x("a", even), "x is 'a'; it must be a whole number");
  EXPECT_EQ(describe(even), "whole number, even\n");
}

TEST(Schema, MapConvertsWhatWasRead) {
  const auto squared =
      number().map([](double x) { return std::to_string(static_cast<int>(x * x)); });
  EXPECT_EQ(value_at_x("3", squared), "9");
}

TEST(Schema, ErrorsBeyondAHundredAreCounted) {
  std::string text;
  for (int i = 0; i < 150; ++i) text += "- a\n";
  const std::string message = errors_of(text, list(number()));
  EXPECT_TRUE(
      message.ends_with("t.yaml:100: [99] is 'a'; it must be a number\n"
                        "t.yaml: 50 more errors; correct those above first"))
      << message;
}

struct Spring {
  double stiffness = 0.0;
  Eigen::Vector3d rest = {0.0, 0.0, 0.5};
  bool on = true;
  std::string name = "";
  Rate rate = Rate::of(1000);
  std::optional<int> count;
  std::filesystem::path model;
  Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
  Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();
};

ObjectSchema<Spring> spring_schema() {
  return object<Spring>("Spring", "pulls")
      .required("stiffness", &Spring::stiffness, number("N/m").above(0).max(5000), "how hard")
      .optional("rest", &Spring::rest, vector<3>("m"))
      .optional("on", &Spring::on, boolean())
      .optional("name", &Spring::name, text())
      .optional("rate", &Spring::rate, rate())
      .optional("count", &Spring::count, integer().min(1))
      .optional("model", &Spring::model, file())
      .optional("turn", &Spring::turn, quaternion())
      .optional("frame", &Spring::frame, matrix3());
}

TEST(Schema, DocumentationHasTypesUnitsRulesDefaultsAndWords) {
  EXPECT_EQ(describe(spring_schema()),
            "Spring: pulls\n"
            "  stiffness: number [N/m], > 0, <= 5000 N/m (required)\n"
            "      how hard\n"
            "  rest: list of 3 numbers [m] (default [0, 0, 0.5])\n"
            "  on: true or false (default true)\n"
            "  name: text (default none)\n"
            "  rate: rate [Hz] (default 1000 Hz)\n"
            "  count: whole number, >= 1 (default none)\n"
            "  model: file (default none)\n"
            "  turn: quaternion [x, y, z, w] (default [0, 0, 0, 1])\n"
            "  frame: list of 3 rows of 3 numbers (default [[1, 0, 0], [0, 1, 0], [0, 0, 1]])\n");
}

struct Rod {
  double length = 1.0;
};
struct App {
  Rod rod;
  std::vector<Rod> rods;
  std::vector<std::pair<std::string, std::variant<Rod, double>>> parts;
};

TEST(Schema, DocumentationNestsAndNamesAnObjectThatComesAgain) {
  const auto rod = object<Rod>("Rod").optional("length", &Rod::length, number("m").above(0));
  const auto app =
      object<App>("App", "what runs")
          .optional("rod", &App::rod, rod)
          .required("rods", &App::rods, list(rod).min_size(2))
          .optional("parts", &App::parts,
                    dictionary(one_of<std::variant<Rod, double>>("type", {{"rod", rod, "stiff"}})));
  EXPECT_EQ(describe(app),
            "App: what runs\n"
            "  rod: Rod (optional)\n"
            "        length: number [m], > 0 (default 1)\n"
            "  rods: list of Rod, at least 2 items (required)\n"
            "  parts: dictionary of one of rod (default none)\n"
            "      by its key 'type':\n"
            "        type rod: Rod\n"
            "            stiff\n");
  EXPECT_EQ(describe(list(number("s"))), "list of number [s]\n");
}

}  // namespace schema_test
}  // namespace handspan
