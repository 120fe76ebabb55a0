#pragma once
// How two columns go together.
#include <span>

#include "core/schema.hpp"
#include "study/bootstrap.hpp"

namespace handspan {

enum class CorrelationKind {
  kPearson,   // of values: how near to a straight line
  kSpearman,  // of ranks (Spearman 1904)
  kKendall    // tau-b: pairs in the same order less those in the opposite one (Kendall 1945)
};
/// "pearson", "spearman", "kendall".
const char* name_of(CorrelationKind kind);
Schema<CorrelationKind> correlation_kind_schema();

struct Correlation {
  Estimate r;      // -1 to 1; NaN where one of the two does not vary
  double p = 1.0;  // two-sided, that there is none; NaN with r
};

/// Intervals at 95 %: Pearson's by Fisher's transformation (Fisher 1921), of the others by the
/// bootstrap (BCa). P-values: Student's t for Pearson's and Spearman's; Kendall's is exact without
/// ties up to 33 samples, else by the normal distribution with the variance corrected for ties.
/// @throws std::invalid_argument for unequal lengths
Correlation correlation(CorrelationKind kind, std::span<const double> x, std::span<const double> y,
                        const BootstrapOptions& options = {});

}  // namespace handspan
