#pragma once
// P-values of many comparisons, corrected for how many they are.
#include <span>
#include <vector>

#include "core/schema.hpp"

namespace handspan {

enum class Correction {
  kNone,
  kBonferroni,        // each times how many: no false one in 95 of 100 studies
  kHolm,              // Holm 1979, "A simple sequentially rejective multiple test procedure": the
                      // same promise, never larger than Bonferroni's
  kBenjaminiHochberg  // Benjamini and Hochberg 1995: of those found, 5 % are false on average
};
/// "none", "bonferroni", "holm", "benjamini_hochberg".
const char* name_of(Correction correction);
Schema<Correction> correction_schema();

/// In the order given, at most 1. What is not finite stays so and is not counted.
std::vector<double> corrected(Correction correction, std::span<const double> p);

}  // namespace handspan
