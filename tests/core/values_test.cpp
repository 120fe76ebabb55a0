#include "core/values.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <clocale>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <locale>
#include <numbers>
#include <string>

#include "core/config_helpers.hpp"

namespace handspan {
namespace values_test {

using test::error_at_x;
using test::value_at_x;

TEST(Values, NumbersAreTheNearestDouble) {
  EXPECT_EQ(value_at_x("0.1", number()), 0.1);
  EXPECT_EQ(value_at_x("-2", number()), -2.0);
  EXPECT_EQ(value_at_x("+.5", number()), 0.5);
  EXPECT_EQ(value_at_x("5.", number()), 5.0);
  EXPECT_EQ(value_at_x("1e-3", number()), 1e-3);
  EXPECT_EQ(value_at_x("1.7976931348623157e308", number()), std::numeric_limits<double>::max());
}

TEST(Values, NumbersMayTellTheirUnit) {
  const auto is = [](const std::string& text, double value, const std::string& unit) {
    const auto quantity = parse_number_with_unit(text);
    return quantity && quantity->value == value && quantity->unit == unit;
  };
  EXPECT_TRUE(is("0.59", 0.59, ""));
  EXPECT_TRUE(is("-2 cm", -0.02, "m"));
  EXPECT_TRUE(is("12mm", 0.012, "m"));
  EXPECT_TRUE(is("180 deg", std::numbers::pi, "rad"));
  EXPECT_TRUE(is("0.3 m/s", 0.3, "m/s"));
  EXPECT_TRUE(is("5 N", 5.0, "N"));
  for (const char* text : {"box", "3 furlongs", "", "1,5", "nan", "3 4"})
    EXPECT_FALSE(parse_number_with_unit(text)) << text;
  EXPECT_EQ(error_at_x("3 furlongs", number_with_unit()),
            "x is 3 furlongs; it must be a number, in a unit such as m, mm, deg or m/s");
  EXPECT_EQ(error_at_x("'3'", number_with_unit()), "x is '3'; write the number without quotes");
}

TEST(Values, WhatIsNoNumberSaysSo) {
  EXPECT_EQ(error_at_x("abc", number()), "x is 'abc'; it must be a number");
  EXPECT_EQ(error_at_x("abc", number("N/m")), "x is 'abc'; it must be a number in N/m");
  EXPECT_EQ(error_at_x("[1]", number()), "x is a list; it must be a number");
  EXPECT_EQ(error_at_x("{a: 1}", number()), "x is an object; it must be a number");
  EXPECT_EQ(error_at_x("", number()), "x is empty; it must be a number");
  EXPECT_EQ(error_at_x("true", number()), "x is 'true'; it must be a number");
  EXPECT_EQ(error_at_x("+-1", number()), "x is +-1; it must be a number");
  EXPECT_EQ(error_at_x("'1'", number()), "x is '1'; write the number without quotes");
}

// section 10.3.2 of YAML 1.2.2
TEST(Values, NumbersHaveTheFormsOfYaml12) {
  const std::vector<std::pair<std::string, double>> forms = {
      {"0x10", 16},    {"0xfF", 255},    {"0o17", 15}, {"1e3", 1000}, {"1E+3", 1000},
      {"1.5e3", 1500}, {"+1", 1},        {".5", 0.5},  {"-.5", -0.5}, {"+.5e1", 5},
      {"1.", 1},       {"-1.e-1", -0.1}, {"010", 10},  {"-0", 0},     {"0x0", 0}};
  for (const auto& [text, value] : forms) {
    EXPECT_EQ(value_at_x(text, number()), value) << text;
    EXPECT_EQ(value_at_x(text, number_with_unit()).value, value) << text;
    if (std::trunc(value) == value) {
      EXPECT_EQ(value_at_x(text, integer()), static_cast<std::int64_t>(value)) << text;
    }
  }
  EXPECT_EQ(value_at_x("[0x10, 0o17]", dynamic_vector()), Eigen::Vector2d(16, 15));
  EXPECT_EQ(value_at_x("0x10", rate()), Rate::of(16));
  // a text stays as it is written
  for (const char* form : {"0x10", "1_000", "1e3", ".inf"})
    EXPECT_EQ(value_at_x(form, text()), form);
}

TEST(Values, NumbersOfOtherFormsSayWhatToWrite) {
  EXPECT_EQ(error_at_x("1_000", number()), "x is 1_000; write 1000");
  EXPECT_EQ(error_at_x("1_000", integer()), "x is 1_000; write 1000");
  EXPECT_EQ(error_at_x("-1_000.5 mm", number("m")), "x is -1_000.5 mm; write -1000.5 mm");
  EXPECT_EQ(error_at_x("1_000 mm", number_with_unit()), "x is 1_000 mm; write 1000 mm");
  EXPECT_EQ(error_at_x("1_000 N", number("m")),
            "x is 1_000 N; it must be a number in one of m, mm, cm");
  EXPECT_EQ(error_at_x("0b101", number()), "x is 0b101; write 5");
  EXPECT_EQ(error_at_x("0b101", integer()), "x is 0b101; write 5");
  EXPECT_EQ(error_at_x("-0x10", number()), "x is -0x10; write -16");
  EXPECT_EQ(error_at_x("-0x10", integer()), "x is -0x10; write -16");
  EXPECT_EQ(error_at_x("0x10 mm", number("m")), "x is 0x10 mm; write 16 mm");
  EXPECT_EQ(error_at_x("0x10 mm", number_with_unit()), "x is 0x10 mm; write 16 mm");
  EXPECT_EQ(error_at_x("0o17deg", number("rad")), "x is 0o17deg; write 15deg");
  EXPECT_EQ(error_at_x("1:30", number("s")), "x is 1:30; it must be a number in one of s, ms, us");
  for (const char* none : {"0x", "0o", "0o8", "0x1g", "0x-1", "0b", "0b2", "1e", ".", "+", "1:30",
                           "0x1.8", "1__", "0X10", "0O17"}) {
    const std::string error = error_at_x(none, number());
    EXPECT_TRUE(error.starts_with(std::string("x is ")) && error.find("; ") != std::string::npos)
        << none << ": " << error;
    EXPECT_FALSE(error_at_x(none, integer()).empty()) << none;
  }
}

TEST(Values, NumbersAreFinite) {
  for (const char* text : {".inf", "-.inf", "+.Inf", "inf", "-Infinity"}) {
    EXPECT_TRUE(error_at_x(text, number()).ends_with(", which is infinite; it must be finite"))
        << text;
  }
  for (const char* text : {".nan", ".NaN", "nan"}) {
    EXPECT_TRUE(error_at_x(text, number()).ends_with(", which is not a number; it must be finite"))
        << text;
  }
  EXPECT_EQ(error_at_x(".inf", number("m")), "x is .inf, which is infinite; it must be finite");
  EXPECT_EQ(error_at_x("0x1ffffffffffffffff", number()),
            "x is 0x1ffffffffffffffff; it must fit 64 bits");
  EXPECT_EQ(error_at_x("1e999", number()),
            "x is 1e999; it must be a number that a double can hold");
  EXPECT_EQ(error_at_x("1e-999", number()),
            "x is 1e-999; it must be a number that a double can hold");
}

TEST(Values, DecimalCommasAreErrorsWithTheirHint) {
  EXPECT_EQ(error_at_x("1,5", number("m")), "x is 1,5; write a decimal point, not a comma");
  EXPECT_EQ(error_at_x("-0,25", number()), "x is -0,25; write a decimal point, not a comma");
}

TEST(Values, UnitsConvertOrAreErrors) {
  EXPECT_EQ(value_at_x("30 deg", number("rad")), 30.0 * std::numbers::pi / 180.0);
  EXPECT_EQ(value_at_x("30deg", number("rad")), 30.0 * std::numbers::pi / 180.0);
  EXPECT_EQ(value_at_x("-90 deg/s", number("rad/s")), -std::numbers::pi / 2);
  EXPECT_EQ(value_at_x("12 mm", number("m")), 0.012);
  EXPECT_EQ(value_at_x("7 cm", number("m")), 0.07);
  EXPECT_EQ(value_at_x("100 ms", number("s")), 0.1);
  EXPECT_EQ(value_at_x("250 g", number("kg")), 0.25);
  EXPECT_EQ(value_at_x("1 kHz", number("Hz")), 1000.0);
  EXPECT_EQ(value_at_x("3 N/m", number("N/m")), 3.0);
  EXPECT_EQ(error_at_x("30 deg", number("m")),
            "x is 30 deg; it must be a number in one of m, mm, cm");
  EXPECT_EQ(error_at_x("30 deg", number("N")), "x is 30 deg; it must be a number in N");
  EXPECT_EQ(error_at_x("30 deg", number()), "x is 30 deg; it must be a number without a unit");
  EXPECT_EQ(error_at_x("30\xC2\xB0", number("rad")), "x is 30\xC2\xB0; write '30 deg'");
}

TEST(Values, BoundsHoldAtTheirEdgesAsTheySay) {
  EXPECT_EQ(value_at_x("0", number().min(0)), 0.0);
  EXPECT_EQ(value_at_x("1", number().max(1)), 1.0);
  EXPECT_EQ(error_at_x("-100", number("N/m").above(0)), "x is -100; it must be > 0");
  EXPECT_EQ(error_at_x("0", number().above(0)), "x is 0; it must be > 0");
  EXPECT_EQ(error_at_x("1", number("m").below(1)), "x is 1; it must be < 1 m");
  EXPECT_EQ(error_at_x("-0.1", number().min(0)), "x is -0.1; it must be >= 0");
  EXPECT_EQ(error_at_x("400 deg", number("rad").max(3.14)), "x is 400 deg; it must be <= 3.14 rad");
  EXPECT_EQ(error_at_x("3", integer().min(4)), "x is 3; it must be >= 4");
  EXPECT_EQ(error_at_x("3", integer().max(2)), "x is 3; it must be <= 2");
  EXPECT_EQ(error_at_x("3", integer().above(3)), "x is 3; it must be > 3");
  EXPECT_EQ(error_at_x("3", integer().below(3)), "x is 3; it must be < 3");
}

TEST(Values, IntegersAreWholeAndFit) {
  EXPECT_EQ(value_at_x("-9223372036854775808", integer()), INT64_MIN);
  EXPECT_EQ(value_at_x("+7", integer()), 7);
  EXPECT_EQ(value_at_x("0x7fffffffffffffff", integer()), INT64_MAX);
  EXPECT_EQ(value_at_x("9007199254740991.0", integer()), (std::int64_t{1} << 53) - 1);
  for (const char* text : {"9007199254740993.0", "1e18", "-1e300"})
    EXPECT_EQ(error_at_x(text, integer()),
              std::string("x is ") + text + "; write it without a point or an exponent");
  for (const char* text : {"1.5", "1e-3", "abc", "'1'", "[1]", "", "1 2", ".inf"}) {
    EXPECT_TRUE(error_at_x(text, integer()).ends_with("; it must be a whole number")) << text;
  }
  EXPECT_EQ(error_at_x("9223372036854775808", integer()),
            "x is 9223372036854775808; it must fit 64 bits");
  EXPECT_EQ(error_at_x("0x8000000000000000", integer()),
            "x is 0x8000000000000000; it must fit 64 bits");
}

TEST(Values, BooleansAreTrueOrFalse) {
  EXPECT_TRUE(value_at_x("true", boolean()));
  EXPECT_FALSE(value_at_x("false", boolean()));
  for (const char* text : {"yes", "on", "1", "'true'", "", "[]"}) {
    EXPECT_TRUE(error_at_x(text, boolean()).ends_with("; it must be true or false")) << text;
  }
}

TEST(Values, TextsAreScalarsThatSaySomething) {
  EXPECT_EQ(value_at_x("'a b'", text()), "a b");
  EXPECT_EQ(value_at_x("12", text()), "12");
  EXPECT_EQ(error_at_x("''", text()), "x is an empty text; it must be a text");
  EXPECT_EQ(error_at_x("", text()), "x is empty; it must be a text");
  EXPECT_EQ(error_at_x("[a]", text()), "x is a list; it must be a text");
}

TEST(Values, WordsOutsideAChoiceNameTheNearestElseAll) {
  const auto schema = text().one_of({"left", "right"});
  EXPECT_EQ(value_at_x("left", schema), "left");
  EXPECT_EQ(error_at_x("lefft", schema), "x is 'lefft'; did you mean 'left'?");
  EXPECT_EQ(error_at_x("centre", schema), "x is 'centre'; it must be one of: left, right");
  EXPECT_EQ(describe(schema), "text, one of left, right\n");
  enum class Side { kLeft, kRight };
  const auto sides = choice<Side>({{"left", Side::kLeft}, {"right", Side::kRight}});
  EXPECT_EQ(value_at_x("right", sides), Side::kRight);
  EXPECT_EQ(error_at_x("rihgt", sides), "x is 'rihgt'; did you mean 'right'?");
}

TEST(Values, IdentifiersAreAsciiWords) {
  EXPECT_EQ(value_at_x("fr3.left-1_A", text().identifier()), "fr3.left-1_A");
  const std::string hint = "; use letters, digits, '_', '-' and '.', at least one";
  EXPECT_EQ(error_at_x("a b", text().identifier()), "x is 'a b'" + hint);
  EXPECT_EQ(error_at_x("\xC3\xA9", text().identifier()), "x is '\xC3\xA9'" + hint);
}

TEST(Values, VectorsHaveTheirSizeAndNameTheirWrongElements) {
  EXPECT_EQ(value_at_x("[1, 2 mm, -3]", vector<3>("m")), Eigen::Vector3d(1.0, 0.002, -3.0));
  EXPECT_EQ(error_at_x("[1, 2]", vector<3>("m")), "x has 2 items; it must be a list of 3 numbers");
  EXPECT_EQ(error_at_x("5", vector<3>("m")), "x is 5; it must be a list of 3 numbers");
  EXPECT_EQ(
      error_at_x("[1, a, nan]", vector<3>()),
      "x[1] is 'a'; it must be a number\nt.yaml:1: x[2] is 'nan', which is not a number; it must "
      "be finite");
  EXPECT_EQ(error_at_x("[1, 0, 2]", vector<3>("m").above(0)), "x[1] is 0; it must be > 0");
}

TEST(Values, DynamicVectorsHaveAnySizeOrTheBoundsGiven) {
  EXPECT_EQ(value_at_x("[]", dynamic_vector()).size(), 0);
  EXPECT_EQ(value_at_x("[1, 2]", dynamic_vector("rad")), Eigen::Vector2d(1, 2));
  EXPECT_EQ(error_at_x("x", dynamic_vector()), "x is 'x'; it must be a list of numbers");
  EXPECT_EQ(error_at_x("[1]", dynamic_vector().size(2)),
            "x has 1 item; it must have exactly 2 items");
}

TEST(Values, MatricesAreThreeRows) {
  Eigen::Matrix3d M;
  M << 1, 2, 3, 4, 5, 6, 7, 8, 9;
  EXPECT_EQ(value_at_x("[[1, 2, 3], [4, 5, 6], [7, 8, 9]]", matrix3()), M);
  EXPECT_EQ(error_at_x("[[1, 2, 3]]", matrix3()),
            "x has 1 item; it must be a list of 3 rows of 3 numbers");
  EXPECT_EQ(error_at_x("1", matrix3()), "x is 1; it must be a list of 3 rows of 3 numbers");
  EXPECT_EQ(error_at_x("[[1, 2, 3], [4, 5], [7, b, 9]]", matrix3()),
            "x[1] has 2 items; it must be a list of 3 numbers\n"
            "t.yaml:1: x[2][1] is 'b'; it must be a number");
}

TEST(Values, QuaternionsAreUnitAndXyzw) {
  const Eigen::Quaterniond q = value_at_x("[0.1, 0.2, 0.3, 0.9273618]", quaternion());
  EXPECT_NEAR(q.norm(), 1.0, 4 * std::numeric_limits<double>::epsilon());
  EXPECT_NEAR(q.x(), 0.1, 1e-6);
  EXPECT_NEAR(q.w(), 0.9273618, 1e-6);
  const std::string hint = "; a rotation's [x, y, z, w] has the norm 1";
  EXPECT_EQ(error_at_x("[0, 0, 0, 0]", quaternion()), "x has the norm 0" + hint);
  EXPECT_EQ(error_at_x("[0, 0, 0, 1.00001]", quaternion()), "x has the norm 1.00001" + hint);
  EXPECT_EQ(error_at_x("[0, 0, 1]", quaternion()), "x has 3 items; it must be a list of 4 numbers");
}

TEST(Values, RatesAreRatios) {
  EXPECT_EQ(value_at_x("1000", rate()), Rate::of(1000));
  EXPECT_EQ(value_at_x("1 kHz", rate()), Rate::of(1000));
  EXPECT_EQ(value_at_x("29.97", rate()), Rate::of(2997, 100));
  EXPECT_EQ(value_at_x("30000/1001", rate()), Rate::of(30000, 1001));
  EXPECT_EQ(error_at_x("0", rate()), "x is 0; a rate of 0 Hz; it must be > 0 and finite");
  EXPECT_EQ(error_at_x("3/0", rate()), "x is 3/0; a rate of 3/0 Hz; it must be > 0");
  EXPECT_EQ(error_at_x("fast", rate()), "x is 'fast'; it must be a number in Hz");
  EXPECT_EQ(error_at_x("[]", rate()), "x is a list; it must be a number in Hz");
}

// a comma for the decimal point, as in de_DE, without that the locale be installed
struct CommaPoint : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  std::string do_grouping() const override { return "\3"; }
  char do_thousands_sep() const override { return '.'; }
};

TEST(Values, LocalesHaveNoSay) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new CommaPoint));
  const char* const c_locale = std::setlocale(LC_ALL, "de_DE.UTF-8");
  EXPECT_EQ(value_at_x("1234.5", number()), 1234.5);
  EXPECT_EQ(error_at_x("1234567.5", number("m").max(1000.5)),
            "x is 1234567.5; it must be <= 1000.5 m");
  EXPECT_EQ(error_at_x("1,5", number()), "x is 1,5; write a decimal point, not a comma");
  if (c_locale != nullptr) std::setlocale(LC_ALL, "C");
  std::locale::global(before);
}

class ValuesFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("handspan_values_{}", getpid());
    std::filesystem::create_directories(folder_ / "sub");
    std::ofstream(folder_ / "robot.xml") << "<x/>";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  template <class T>
  std::string read(const std::string& value, const Schema<T>& schema) {
    std::ofstream(folder_ / "app.yaml") << "- " << value << '\n';
    try {
      return load_yaml(folder_ / "app.yaml", list(schema))[0].string();
    } catch (const ConfigError& error) {
      return error.issues()[0].key + " " + error.issues()[0].cause + "; " + error.issues()[0].hint;
    }
  }

  std::filesystem::path folder_;
};

TEST_F(ValuesFile, PathsAreMeantFromTheFolderOfTheFile) {
  EXPECT_EQ(read("robot.xml", file()), (folder_ / "robot.xml").string());
  EXPECT_EQ(read("sub/../robot.xml", file()), (folder_ / "robot.xml").string());
  EXPECT_EQ(read((folder_ / "robot.xml").string(), file()), (folder_ / "robot.xml").string());
  EXPECT_EQ(read("sub", folder()), (folder_ / "sub").string());
}

TEST_F(ValuesFile, PathsMustBeWhatIsMeant) {
  EXPECT_EQ(read("robto.xml", file()),
            "[0] is 'robto.xml'; there is no file '" + (folder_ / "robto.xml").string() + "'");
  EXPECT_EQ(read("sbu", folder()),
            "[0] is 'sbu'; there is no folder '" + (folder_ / "sbu").string() + "'");
  // also a long path
  const std::string far = std::string(80, 'a') + ".xml";
  EXPECT_EQ(read(far, file()),
            "[0] is '" + far + "'; there is no file '" + (folder_ / far).string() + "'");
  EXPECT_EQ(read("sub", file()), "[0] is 'sub'; it must be a file, not a folder");
  EXPECT_EQ(read("robot.xml", folder()), "[0] is 'robot.xml'; it must be a folder, not a file");
  EXPECT_EQ(read("''", file()), "[0] is an empty text; it must be a text");
}

}  // namespace values_test
}  // namespace handspan
