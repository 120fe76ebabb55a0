#include "study/variation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/random.hpp"

namespace handspan {
namespace {

constexpr int kMostDraws = 1000;  // of a normal one that must lie within

using Values = std::vector<std::pair<Drawn, std::string>>;  // with their units

struct VariationFile {
  Place place;
  std::optional<std::vector<WrittenNumber>> uniform, normal;
  std::optional<WrittenNumber> within;
  std::optional<Values> choice, list, grid;
  std::optional<std::string> key;
  bool add = false;
  std::vector<VariedKey> keys;
};

Drawn number_of(const WrittenNumber& quantity) {
  return {quantity.value, fmt::format("{}", quantity.value), std::nullopt};
}

// a number, or whatever else the node says
Schema<std::pair<Drawn, std::string>> drawn_value() {
  Description description;
  description.type = "number or any other value";
  return {[](const Node& node, Reader&) -> std::optional<std::pair<Drawn, std::string>> {
            if (node.kind() == Node::Kind::kScalar && !node.quoted())
              if (const auto quantity = parse_number_with_unit(node.scalar()))
                return std::pair{number_of(*quantity), quantity->unit};
            std::string text = node.scalar();
            if (node.kind() != Node::Kind::kScalar) {
              text = yaml_text(node);
              std::erase(text, '\n');
            }
            return std::pair{Drawn{NAN, text, node}, std::string()};
          },
          description};
}

struct Units {
  std::string unit;
  bool mixed = false;
  void add(const std::string& other) {
    mixed = mixed || (!other.empty() && !unit.empty() && other != unit);
    if (!other.empty()) unit = other;
  }
};

}  // namespace

Schema<double> number_in_si() {
  return number_with_unit().map([](const WrittenNumber& q) { return q.value; });
}

Schema<Node> any_value() {
  Description description;
  description.type = "any value";
  return {[](const Node& node, Reader&) { return std::optional<Node>(node); }, description};
}

// One function, since it is the table of all kinds of variations.
Schema<Variation> variation_schema() {
  const auto values = handspan::list(drawn_value()).min_size(1);
  const auto key =
      object<VariedKey>("Key", "gets written + (gain * drawn + offset, within bounds)")
          .required("key", &VariedKey::key, text(), "path to what changes, from the app's file")
          .optional("add", &VariedKey::add, boolean(),
                    "to what the file says there, else in its place")
          .optional("gain", &VariedKey::gain, number())
          .optional("offset", &VariedKey::offset, number_in_si())
          .optional("at_least", &VariedKey::at_least, number_in_si())
          .optional("at_most", &VariedKey::at_most, number_in_si())
          .place(&VariedKey::place);
  const auto file =
      object<VariationFile>("Variation", "a distribution and the keys that get what is drawn")
          .optional("uniform", &VariationFile::uniform, handspan::list(number_with_unit()).size(2),
                    "low, high")
          .optional("normal", &VariationFile::normal, handspan::list(number_with_unit()).size(2),
                    "mean, standard deviation")
          .optional("within", &VariationFile::within, number_with_unit(),
                    "of the mean: what is farther is drawn again; with normal")
          .optional("choice", &VariationFile::choice, values, "one of them by chance")
          .optional("list", &VariationFile::list, values,
                    "the first for the first run, and so on, in turn")
          .optional("grid", &VariationFile::grid, values,
                    "n runs of each; of several grids, of each combination")
          .optional("key", &VariationFile::key, text(),
                    "path to what changes, from the app's file: scene.objects.box.mass")
          .optional("add", &VariationFile::add, boolean(),
                    "to what the file says there, else in its place")
          .optional("keys", &VariationFile::keys, handspan::list(key),
                    "several of them, or with a gain")
          .place(&VariationFile::place)
          .check([](const VariationFile& f) -> std::optional<Fault> {
            const int given = (f.uniform ? 1 : 0) + (f.normal ? 1 : 0) + (f.choice ? 1 : 0) +
                              (f.list ? 1 : 0) + (f.grid ? 1 : 0);
            if (given != 1)
              return Fault{fmt::format("has {} distributions", given == 0 ? "no" : "several"),
                           "give one of uniform, normal, choice, list, grid"};
            if (f.key.has_value() == !f.keys.empty())
              return Fault{f.key ? "has key and keys" : "has no key",
                           "give one of key (a path) and keys (a list of objects)"};
            if (f.add && !f.key)
              return Fault{"stands beside keys", "give it to those of them that are meant", "add"};
            if (f.within && !f.normal)
              return Fault{"is of a normal distribution", "take it away", "within"};
            Units units;
            for (const auto* numbers : {&f.uniform, &f.normal})
              if (*numbers)
                for (const WrittenNumber& q : **numbers) units.add(q.unit);
            if (f.within) units.add(f.within->unit);
            for (const auto* some : {&f.choice, &f.list, &f.grid})
              if (*some)
                for (const auto& [drawn, unit] : **some) units.add(unit);
            if (units.mixed) return Fault{"has values in different units", "give all in one"};
            if (f.uniform && !((*f.uniform)[0].value < (*f.uniform)[1].value))
              return Fault{
                  fmt::format("goes from {} to {}", (*f.uniform)[0].value, (*f.uniform)[1].value),
                  "give the lower bound first", "uniform"};
            if (f.normal && !((*f.normal)[1].value > 0.0))
              return Fault{fmt::format("has the standard deviation {}", (*f.normal)[1].value),
                           "it must be > 0", "normal"};
            if (f.within && f.within->value < 0.1 * (*f.normal)[1].value)
              return Fault{"is less than a tenth of the deviation", "give at least that", "within"};
            return std::nullopt;
          });
  return file.map([](VariationFile f) {
    Variation v;
    v.place = f.place;
    Units units;
    const auto numbers = [&](const std::vector<WrittenNumber>& pair, Distribution distribution) {
      v.distribution = distribution;
      v.low = pair[0].value;
      v.high = pair[1].value;
      for (const WrittenNumber& q : pair) units.add(q.unit);
    };
    const auto list = [&](Values& some, Distribution distribution) {
      v.distribution = distribution;
      for (auto& [drawn, unit] : some) {
        units.add(unit);
        v.values.push_back(std::move(drawn));
      }
    };
    if (f.uniform) numbers(*f.uniform, Distribution::kUniform);
    if (f.normal) numbers(*f.normal, Distribution::kNormal);
    if (f.within) v.within = f.within->value;
    if (f.choice) list(*f.choice, Distribution::kChoice);
    if (f.list) list(*f.list, Distribution::kList);
    if (f.grid) list(*f.grid, Distribution::kGrid);
    v.unit = units.unit;
    v.keys = std::move(f.keys);
    if (f.key) {
      VariedKey only;
      only.place = f.place;
      only.key = *f.key;
      only.add = f.add;
      v.keys.push_back(std::move(only));
    }
    return v;
  });
}

Drawn draw(const Variation& v, std::uint64_t seed, int repeat, int level) {
  RandomStream random(seed, "vary." + v.name);
  const auto at = [&](std::uint64_t i) { return v.values[i % v.values.size()]; };
  switch (v.distribution) {
    case Distribution::kUniform:
      return number_of({random.uniform(v.low, v.high), v.unit});
    case Distribution::kNormal: {
      double x = random.normal(v.low, v.high);
      for (int i = 0; v.within && std::abs(x - v.low) > *v.within && i < kMostDraws; ++i)
        x = random.normal(v.low, v.high);
      return number_of({x, v.unit});
    }
    case Distribution::kChoice:
      return at(random.integer(v.values.size()));
    case Distribution::kList:
      return at(static_cast<std::uint64_t>(repeat));
    case Distribution::kGrid:
      break;
  }
  return at(static_cast<std::uint64_t>(level));
}

Drawn middle(const Variation& v) {
  switch (v.distribution) {
    case Distribution::kUniform:
      return number_of({0.5 * (v.low + v.high), v.unit});
    case Distribution::kNormal:
      return number_of({v.low, v.unit});
    default:
      return v.values.front();
  }
}

Node value_for(const VariedKey& key, const Drawn& drawn, const Node* written, const Place& place) {
  if (drawn.node && key.plain()) return *drawn.node;
  if (drawn.node)
    throw InputError(fmt::format("'{}' is not a number to add to or multiply", shown(drawn.text)));
  double x = key.gain * drawn.number + key.offset;
  if (key.at_least) x = std::max(x, *key.at_least);
  if (key.at_most) x = std::min(x, *key.at_most);
  if (key.add) {
    const auto base =
        written != nullptr && written->kind() == Node::Kind::kScalar && !written->quoted()
            ? parse_number_with_unit(written->scalar())
            : std::nullopt;
    if (!base)
      throw InputError(fmt::format("{}, and something is to be added to it",
                                   written == nullptr ? "is not written" : written->predicate()));
    x += base->value;
  }
  return scalar_node(fmt::format("{}", x), place);
}

}  // namespace handspan
