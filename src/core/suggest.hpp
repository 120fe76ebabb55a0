#pragma once

// "Did you mean": the name nearest to one that does not exist.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace handspan {

/// Insertions, deletions, substitutions and swaps of neighbours (bytes) that turn `a` into `b`,
/// each byte being touched once (optimal string alignment). Case counts.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name`, without regard to case and to '-' for '_', when it is near
/// enough to be a slip (distance at most 1 + a quarter of its length, and less than its length).
/// The first of equals.
std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string>& candidates);

/// What to tell who wrote `name`: "did you mean 'x'?", else "WHAT: a, b, c" with all candidates,
/// else
/// "" when there are none.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates,
                         std::string_view what);

/// "a, b, c".
std::string joined(const std::vector<std::string>& names);

}  // namespace handspan
