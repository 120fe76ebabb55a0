#include "core/registry.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/config_helpers.hpp"

namespace handspan {
namespace registry_test {

struct Source {
  virtual ~Source() = default;
  virtual double value() const = 0;
};

struct ConstantConfig {
  double value = 1.0;
};

struct Constant : Source {
  Constant(const ConstantConfig& config, int scale) : value_(config.value * scale) {}
  double value() const override { return value_; }
  double value_;
};

ObjectSchema<ConstantConfig> constant_schema() {
  return object<ConstantConfig>("Constant").optional("value", &ConstantConfig::value, number("m"));
}

std::unique_ptr<Source> make_constant(const ConstantConfig& config, int scale) {
  if (scale == 0) throw InputError("a scale of 0");
  return std::make_unique<Constant>(config, scale);
}

using Sources = Registry<Source, int>;

Sources sources() {
  Sources registry("source");
  registry.add("constant", constant_schema(), "always the same", &make_constant);
  registry.add("another", constant_schema(), "as well", &make_constant);
  return registry;
}

template <class Function>
std::string error_of(Function function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Registry, TheTypePicksTheFactoryAndItsSchema) {
  const auto parts = parse_yaml("- type: constant\n  value: 2\n- {type: another}\n", "t.yaml",
                                list(sources().schema()));
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].name, "constant");
  EXPECT_EQ(parts[1].place.text(), "t.yaml:3");
  EXPECT_EQ(parts[0].make(10)->value(), 20.0);
  // each call makes a new one
  EXPECT_EQ(parts[0].make(1)->value(), 2.0);
  EXPECT_EQ(parts[1].make(3)->value(), 3.0);
}

TEST(Registry, ProductsMayBeMadeWhileReading) {
  const auto made =
      parse_yaml("[{type: constant, value: 4}]", "t", list(sources().product_schema("type", 2)));
  EXPECT_EQ(made[0]->value(), 8.0);
  EXPECT_EQ(test::errors_of("- {type: constant}", list(sources().product_schema("type", 0))),
            "t.yaml:1: [0] cannot be made: a scale of 0");
}

TEST(Registry, ErrorsOfAPartAreThoseOfItsSchema) {
  EXPECT_EQ(test::errors_of("{type: constant, valeu: 2}", sources().schema()),
            "t.yaml:1: unknown key 'valeu'; did you mean 'value'?");
  EXPECT_EQ(test::errors_of("{type: constent}", sources().schema()),
            "t.yaml:1: type is 'constent'; did you mean 'constant'?");
}

TEST(Registry, NamesAreSortedAndDocumented) {
  EXPECT_EQ(sources().names(), (std::vector<std::string>{"another", "constant"}));
  EXPECT_EQ(sources().doc("constant"), "always the same");
  EXPECT_TRUE(sources().contains("another"));
  EXPECT_FALSE(sources().contains("none"));
  EXPECT_EQ(describe(sources().schema()),
            "by its key 'type':\n"
            "  type another: Constant\n"
            "      as well\n"
            "        value: number [m] (default 1)\n"
            "  type constant: Constant\n"
            "      always the same\n");
}

TEST(Registry, UnknownNamesListTheOthers) {
  const Sources registry = sources();
  EXPECT_EQ(error_of([&] { registry.doc("constnat"); }),
            "there is no source 'constnat'; did you mean 'constant'?");
  EXPECT_EQ(error_of([&] { registry.schema_of("wave"); }),
            "there is no source 'wave'; there are: another, constant");
  EXPECT_EQ(error_of([] { Sources("source").doc("wave"); }), "there is no source 'wave'");
}

TEST(Registry, NamesTwiceOrImproperAreErrors) {
  Sources registry = sources();
  EXPECT_EQ(error_of([&] { registry.add("constant", constant_schema(), "", &make_constant); }),
            "the source 'constant' is registered twice; choose another name");
  EXPECT_EQ(
      error_of([&] { registry.add("a b", constant_schema(), "", &make_constant); }),
      "the source 'a b' has no proper name; use letters, digits, '_', '-' and '.', at least one");
}

TEST(Registry, SchemasKnowTheNamesOfTheirTime) {
  Sources registry = sources();
  const auto before = registry.schema();
  registry.add("later", constant_schema(), "", &make_constant);
  EXPECT_EQ(test::errors_of("{type: later}", before),
            "t.yaml:1: type is 'later'; it must be one of: another, constant");
  EXPECT_EQ(test::errors_of("{type: later}", registry.schema()), "no error");
}

}  // namespace registry_test
}  // namespace handspan
