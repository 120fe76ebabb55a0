#include "device/headset_csv.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "device/headset.hpp"

namespace handspan {
namespace headset_csv_test {

const std::string kSide = "source,S_x,S_y,S_z,S_qx,S_qy,S_qz,S_qw";

std::string columns(char side) {
  std::string text = "S_" + kSide;
  for (auto& c : text)
    if (c == 'S') c = side;
  return text;
}

std::vector<Input> parse(const std::string& text) { return parse_headset_csv(text, "s.csv", "h"); }

std::string error(const std::string& text) {
  try {
    parse(text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(HeadsetCsv, ReadsOneSideInAnyOrderOfColumns) {
  const auto samples = parse("r_trigger,note,t," + columns('r') +
                             "\n0.25,hello,0.5,controller,1,2,3,0,0,0,1\n"
                             "1,,0.6,none,,,,,,,\n");
  ASSERT_EQ(samples.size(), 2U);
  const Input& first = samples[0];
  EXPECT_EQ(first.to, "h");
  EXPECT_EQ(first.stamp, 500'000'000);
  ASSERT_EQ(first.count, headset_layout().numbers());
  EXPECT_EQ(first.numbers[0], 0.0) << "the left side is not there";
  const std::vector<double> right(first.numbers.begin() + 8, first.numbers.begin() + 16);
  EXPECT_EQ(right, (std::vector<double>{1, 1, 2, 3, 0, 0, 0, 1}));
  EXPECT_EQ(first.numbers[16], 0.0) << "no head";
  const auto& axes = headset_layout().axes;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const double value = first.numbers[headset_layout().first_axis() + a];
    if (axes[a] == "right.trigger")
      EXPECT_EQ(value, 0.25);
    else
      EXPECT_TRUE(std::isnan(value)) << axes[a];
  }
  EXPECT_EQ(samples[1].numbers[8], 0.0);
}

TEST(HeadsetCsv, AStickPushedAwayIsPositive) {
  const auto samples = parse("t,r_stick_x,r_stick_y," + columns('r') +
                             "\n0.5,0.25,-0.75,controller,1,2,3,0,0,0,1\n");
  ASSERT_EQ(samples.size(), 1U);
  const std::size_t first = headset_layout().first_axis();
  EXPECT_EQ(samples[0].numbers[first + 6], 0.25);
  EXPECT_EQ(samples[0].numbers[first + 7], 0.75);
}

TEST(HeadsetCsv, WindowsLinesSpacesAndTheLastLineWithoutAnEnd) {
  const auto samples =
      parse("t , " + columns('l') + "\r\n 1.5 ,hand, 1 ,2,3,0,0,0,1\r\n2,none,,,,,,,");
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].stamp, 1'500'000'000);
  EXPECT_EQ(samples[0].numbers[0], 2.0);
  EXPECT_EQ(samples[0].numbers[1], 1.0);
}

TEST(HeadsetCsv, WhatIsWrongHasItsPlace) {
  const std::string head = "t," + columns('l') + "\n";
  EXPECT_EQ(
      error("a,b\n1,2\n"),
      "s.csv:1: there is no column 't'; a recording of a headset has t [s], and l_source, l_x "
      "... l_qw or r_source, r_x ... r_qw");
  EXPECT_EQ(error("t,l_source,l_x\n1,none,\n"),
            "s.csv:1: there is no column 'l_y'; a recording of a headset has t [s], and l_source, "
            "l_x ... l_qw or r_source, r_x ... r_qw");
  EXPECT_EQ(error("t,head_x\n1,2\n"),
            "s.csv:1: there is neither a left nor a right side; a recording of a headset has the "
            "columns l_source, l_x ... l_qw or r_source, r_x ... r_qw");
  EXPECT_EQ(error(head + "0,none,,,,,,,\n1,controller,1,x,3,0,0,0,1\n"),
            "s.csv:3: l_y is 'x'; it must be a number or empty");
  EXPECT_EQ(error(head + "1,finger,1,2,3,0,0,0,1\n"),
            "s.csv:2: l_source is 'finger'; it must be controller, hand or none");
  EXPECT_EQ(error(head + ",none,,,,,,,\n"), "s.csv:2: t is ''; it must be a time [s]");
  EXPECT_EQ(error(head + "nan,none,,,,,,,\n"), "s.csv:2: t is 'nan'; it must be a time [s]");
  EXPECT_EQ(error(head + "1e300,none,,,,,,,\n"), "s.csv:2: t is '1e300'; it must be a time [s]");
  EXPECT_EQ(error(head), "s.csv: there are no rows");
  EXPECT_NE(error(head + "1,none,,,\n").find("line 2"), std::string::npos);
  EXPECT_NE(error(head + "1,none,,,,,,,,,,\n").find("line 2"), std::string::npos);
  EXPECT_NE(error("t,t," + columns('l') + "\n1,1,none,,,,,,,\n"), "");
  EXPECT_NE(error(""), "");
  EXPECT_THROW(read_headset_csv("/nowhere/s.csv", "h"), InputError);
}

TEST(HeadsetCsv, SemicolonsAndDecimalCommasAreNamedWithTheirLineAndHint) {
  std::string head = "t;" + columns('r') + "\n";
  for (char& c : head)
    if (c == ',') c = ';';
  EXPECT_EQ(error(head + "0;none;;;;;;;\n0,5;controller;1,25;2;3;0;0;0;1\n"),
            "s.csv:3: numbers have decimal commas, and semicolons are between the columns; write "
            "decimal points and commas: sed 's/,/./g; s/;/,/g' s.csv > OTHER.csv");
  EXPECT_EQ(error(head + "0.5;controller;1;2;3;0;0;0;1\n"),
            "s.csv:1: semicolons are between the columns; write commas: sed 's/;/,/g' s.csv > "
            "OTHER.csv");
  // a text with commas is not a number
  EXPECT_EQ(error(head + "0;none, so far;;;;;;;\n").rfind("s.csv:1: semicolons", 0), 0U);
  // decimal commas between commas are columns too many
  const std::string both = error("t," + columns('r') + "\n0,5,controller,1,2,3,0,0,0,1\n");
  EXPECT_NE(both.find("line 2"), std::string::npos) << both;
  EXPECT_NE(both.find("with decimal points"), std::string::npos) << both;
}

TEST(HeadsetCsv, SecondsSince1970AreRelativeToTheFirst) {
  const std::string head = "t," + columns('l') + "\n";
  const auto samples = parse(head +
                             "1764283200.000000,none,,,,,,,\n"
                             "1764283200.022222,none,,,,,,,\n"
                             "1764283201.5,none,,,,,,,\n");
  ASSERT_EQ(samples.size(), 3U);
  EXPECT_EQ(samples[0].stamp, 0);
  // a double has 0.24 us there
  EXPECT_NEAR(static_cast<double>(samples[1].stamp), 22'222'000.0, 500.0);
  EXPECT_EQ(samples[2].stamp, 1'500'000'000);
  // others are played at their own times
  EXPECT_EQ(parse(head + "100,none,,,,,,,\n101,none,,,,,,,\n")[0].stamp, 100'000'000'000);
}

TEST(HeadsetCsv, TimesThatCannotBePlayedAreNamedWithTheirLine) {
  const std::string head = "t," + columns('l') + "\n", row = ",none,,,,,,,\n";
  EXPECT_EQ(error(head + "1" + row + "1.02" + row + "1.01" + row),
            "s.csv:4: t is 1.01, 0.01 s before that of the row before; times must rise: sort the "
            "rows, or cut the recording here");
  EXPECT_EQ(
      error(head + "1" + row + "3601" + row),
      "s.csv:3: t is 3601, 3600 s after that of the row before; t is in seconds, and a gap at "
      "most 60 s: correct the unit, or cut the recording here");
  // milliseconds since 1970
  EXPECT_NE(error(head + "1764283200000" + row + "1764283200011" + row + "1764283260033" + row)
                .find("s.csv:4: t is 1764283260033"),
            std::string::npos);
  std::string same = head;
  for (int i = 0; i < 40; ++i) same += "2.5" + row;
  EXPECT_EQ(error(same),
            "s.csv:7: 6 rows in a row are of t = 2.5; times must rise: give each row "
            "the time of its frame");
  // a coarse clock has some of one time
  EXPECT_EQ(error(head + "1" + row + "1" + row + "1" + row + "1.1" + row + "1.1" + row), "");
}

TEST(HeadsetCsv, ReadsTheRealRecording) {
  const auto file =
      std::filesystem::path(HANDSPAN_SOURCE_DIR) / "../shared/data/quest-session/session.csv";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "the recording is not on this machine";
  const auto samples = read_headset_csv(file, "headset");
  ASSERT_EQ(samples.size(), 1796U);
  EXPECT_NEAR(static_cast<double>(samples.back().stamp), 20.07e9, 0.01e9);
  int repeated = 0, controllers = 0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const auto& n = samples[i].numbers;
    controllers += n[0] == 1.0 ? 1 : 0;
    repeated +=
        n[0] == 1.0 && std::equal(n.begin() + 1, n.begin() + 8, samples[i - 1].numbers.begin() + 1);
    if (n[0] != 0.0) {
      EXPECT_NEAR(Eigen::Map<const Eigen::Vector4d>(n.data() + 4).norm(), 1.0, 5e-3);
    }
  }
  // about half of the frames equal the one before
  EXPECT_GT(repeated, controllers / 3);
}

}  // namespace headset_csv_test
}  // namespace handspan
