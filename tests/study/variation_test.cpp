#include "study/variation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace handspan {
namespace variation_test {

Variation variation(const std::string& text, const std::string& name = "v") {
  Variation v = parse_yaml(text, "s.yaml", variation_schema());
  v.name = name;
  return v;
}

std::string error(const std::string& text) {
  try {
    variation(text);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "";
}

TEST(Variation, DrawsWhatItSays) {
  const Variation uniform = variation("{uniform: [-2 cm, 2 cm], key: a}");
  EXPECT_EQ(uniform.unit, "m");
  const Variation normal = variation("{normal: [1.0, 0.5], within: 0.6, key: a}");
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < 4000; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const double u = draw(uniform, seed, i, 0).number;
    EXPECT_LT(std::abs(u), 0.02);
    sum += u;
    squares += u * u;
    EXPECT_LE(std::abs(draw(normal, seed, i, 0).number - 1.0), 0.6);
  }
  EXPECT_NEAR(sum / 4000, 0.0, 4.0 * 0.02 / std::sqrt(3.0 * 4000));
  EXPECT_NEAR(std::sqrt(squares / 4000), 0.02 / std::sqrt(3.0), 5e-4);
}

TEST(Variation, IsAFunctionOfSeedAndNameAlone) {
  const Variation a = variation("{uniform: [0, 1], key: x}", "a");
  const Variation b = variation("{uniform: [0, 1], key: x}", "b");
  EXPECT_EQ(draw(a, 5, 0, 0).number, draw(a, 5, 17, 3).number);
  EXPECT_NE(draw(a, 5, 0, 0).number, draw(a, 6, 0, 0).number);
  EXPECT_NE(draw(a, 5, 0, 0).number, draw(b, 5, 0, 0).number);
  // scaled, not drawn anew: common random numbers
  const Variation wide = variation("{uniform: [0, 2], key: x}", "a");
  EXPECT_DOUBLE_EQ(draw(wide, 5, 0, 0).number, 2.0 * draw(a, 5, 0, 0).number);
}

TEST(Variation, ListsComeInTurnAndGridsByLevel) {
  const Variation list = variation("{list: [1 deg, 2 deg, box, [1, 2]], key: x}");
  EXPECT_DOUBLE_EQ(draw(list, 9, 1, 0).number, 2.0 * std::numbers::pi / 180.0);
  EXPECT_EQ(draw(list, 9, 2, 0).text, "box");
  EXPECT_EQ(draw(list, 9, 3, 0).text, "[1, 2]");
  EXPECT_EQ(draw(list, 9, 4, 0).number, draw(list, 1, 0, 0).number);
  const Variation grid = variation("{grid: [3, 4, 5], key: x}");
  EXPECT_EQ(draw(grid, 9, 0, 2).number, 5.0);
  const Variation choice = variation("{choice: [3, 4, 5], key: x}");
  int seen[3] = {0, 0, 0};
  for (std::uint64_t seed = 0; seed < 300; ++seed)
    ++seen[static_cast<int>(draw(choice, seed, 0, 0).number) - 3];
  for (const int n : seen) EXPECT_NEAR(n, 100, 35);
}

TEST(Variation, KeysGetWhatWasDrawn) {
  const Place place{"s.yaml", 3, 0};
  VariedKey key;
  const auto value = [&](const char* written) {
    const Node node = scalar_node(written, {});
    return value_for(key, {0.02, "0.02", {}}, &node, place);
  };
  EXPECT_EQ(value("0.59").scalar(), "0.02");
  EXPECT_EQ(value("0.59").place().text(), "s.yaml:3");
  key.add = true;
  EXPECT_EQ(value("1").scalar(), "1.02");
  EXPECT_EQ(value("10 mm").scalar(), "0.03");
  EXPECT_THROW(value("box"), InputError);
  key.add = false;
  key.gain = -1.0;
  key.at_least = 0.0;
  EXPECT_EQ(value("").scalar(), "0");
  const Drawn word{NAN, "box", scalar_node("box", {})};
  EXPECT_THROW(value_for(key, word, nullptr, place), InputError);
  EXPECT_EQ(value_for(VariedKey{}, word, nullptr, place).scalar(), "box");
}

TEST(Variation, ErrorsNamePlaceCauseAndHint) {
  EXPECT_EQ(error("{uniform: [0, 1], normal: [0, 1], key: a}"),
            "s.yaml:1: the file has several distributions; give one of uniform, normal, choice, "
            "list, grid");
  EXPECT_EQ(error("{uniform: [0, 1]}"),
            "s.yaml:1: the file has no key; give one of key (a path) and keys (a list of objects)");
  EXPECT_EQ(error("{uniform: [2, 1], key: a}"),
            "s.yaml:1: uniform goes from 2 to 1; give the lower bound first");
  EXPECT_EQ(error("{uniform: [1 mm, 3 s], key: a}"),
            "s.yaml:1: the file has values in different units; give all in one");
  EXPECT_EQ(error("{normal: [1, 0], key: a}"),
            "s.yaml:1: normal has the standard deviation 0; it must be > 0");
  EXPECT_EQ(error("{uniform: [0, 1], key: a, within: 2}"),
            "s.yaml:1: within is of a normal distribution; take it away");
  EXPECT_EQ(error("{normal: [0, 1], key: a, within: 0.01}"),
            "s.yaml:1: within is less than a tenth of the deviation; give at least that");
  EXPECT_EQ(error("{uniform: [0, 1], add: true, keys: [{key: a}]}"),
            "s.yaml:1: add stands beside keys; give it to those of them that are meant");
  EXPECT_NE(error("{unifrom: [0, 1], key: a}").find("did you mean 'uniform'?"), std::string::npos);
}

}  // namespace variation_test
}  // namespace handspan
