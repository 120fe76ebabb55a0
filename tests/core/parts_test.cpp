#include "core/parts.hpp"

#include <gtest/gtest.h>

#include "core/object.hpp"
#include "core/registry.hpp"

namespace handspan {
namespace parts_test {

struct Fruit {
  static constexpr char kKind[] = "fruit";
};
struct Tool {
  static constexpr char kKind[] = "tool";
};
using Fruits = Registry<Fruit>;
using Tools = Registry<Tool, int>;

struct Nothing {};

void add_apple(Parts& parts) {
  parts.of<Fruits>().add("apple", object<Nothing>("Apple"), "",
                         [](const Nothing&) { return std::make_unique<Fruit>(); });
}

TEST(Parts, HaveOneRegistryOfEachTypeMadeOnFirstUse) {
  Parts parts;
  EXPECT_EQ(parts.of<Fruits>().kind(), "fruit");
  EXPECT_EQ(&parts.of<Fruits>(), &parts.of<Fruits>());
  add_apple(parts);
  EXPECT_TRUE(parts.of<Fruits>().contains("apple"));
  EXPECT_TRUE(parts.of<Tools>().names().empty());
  EXPECT_THROW(add_apple(parts), InputError) << "a name is taken once";
}

TEST(Parts, OfTwoObjectsHaveNothingInCommon) {
  Parts one, other;
  add_apple(one);
  EXPECT_TRUE(other.of<Fruits>().names().empty());
}

TEST(Parts, RegistriesStayAtTheirPlaceWhenTheyAreMoved) {
  Parts from;
  add_apple(from);
  const Fruits* const fruits = &from.of<Fruits>();
  const Parts to = std::move(from);
  EXPECT_EQ(&to.of<Fruits>(), fruits);
}

// a program that left out a register function learns which kind it lacks
TEST(Parts, AsAConstantTellWhatWasNeverRegistered) {
  const Parts parts;
  try {
    parts.of<Tools>();
    FAIL();
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(),
                 "no tool was ever registered in these Parts; begin with built_in_parts(), or call "
                 "the register function of the folder that has them");
  }
}

}  // namespace parts_test
}  // namespace handspan
