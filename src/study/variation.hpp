#pragma once
// What varies from run to run: a distribution, and the keys that get what was drawn.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/config.hpp"
#include "core/tree_edit.hpp"

namespace handspan {

/// A value that a key gets: a number in SI, or anything that YAML can say.
struct Drawn {
  double number = 0.0;       // NaN: it is not a number
  std::string text;          // as results.csv has it
  std::optional<Node> node;  // none: the number
};

enum class Distribution { kUniform, kNormal, kChoice, kList, kGrid };

/// A key that gets what was drawn: written + min(max(gain * drawn + offset, at_least), at_most),
/// `written` being 0 unless add.
struct VariedKey {
  Place place;
  std::string key;
  bool add = false;  // to what the file says there
  double gain = 1.0, offset = 0.0;
  std::optional<double> at_least, at_most;
  /// Whether words and lists, which have no arithmetic, would come through unchanged.
  bool plain() const { return !add && gain == 1.0 && offset == 0.0 && !at_least && !at_most; }
};

struct Variation {
  std::string name;
  Place place;
  std::string unit;  // SI, of its numbers; "" when none was written
  Distribution distribution = Distribution::kUniform;
  double low = 0.0, high = 0.0;  // uniform: bounds; normal: mean and deviation
  std::optional<double> within;  // normal: no farther from the mean than this, drawn again
  std::vector<Drawn> values;     // choice, list, grid
  std::vector<VariedKey> keys;
};

/// The value of run `repeat` (from 0), of the stream "vary.NAME" of the run's seed: other
/// variations and cells change nothing of it. Of a list the values come in turn; of a grid it is
/// values[level].
Drawn draw(const Variation& variation, std::uint64_t seed, int repeat, int level);

/// The middle of what is drawn from: of a distribution its mean, of values the first.
Drawn middle(const Variation& variation);

/// What the key gets. @param written what the file says there: when add, a number
/// @throws InputError when arithmetic is asked for what is not a number
Node value_for(const VariedKey& key, const Drawn& drawn, const Node* written, const Place& place);

/// A number with or without a unit, in SI.
Schema<double> number_in_si();

/// Any value of YAML, as it stands.
Schema<Node> any_value();

/// The keys of one variation; its name is that of its entry.
Schema<Variation> variation_schema();

}  // namespace handspan
