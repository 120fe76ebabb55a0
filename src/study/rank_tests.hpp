#pragma once
// Tests without a distribution assumed, of samples that go together by their seed: blocks. P-values
// are two-sided, but for Page's.
#include <cstddef>
#include <span>
#include <vector>

namespace handspan {

/// Ranks from 1; equal ones have the mean of their ranks.
std::vector<double> ranks_of(std::span<const double> x);

/// Wilcoxon's signed-rank test that `differences` are symmetric about 0 (Wilcoxon 1945); those that
/// are 0 are left out. Exact, given the ties, up to 50 differences, else by the normal
/// distribution with the variance corrected for ties. 1 when nothing differs.
double wilcoxon_p(std::span<const double> differences);

/// McNemar's exact test that two shares are equal (McNemar 1947): of blocks in which only one is
/// not 0, as many have the one as the other. 1 when no block differs.
/// @throws std::invalid_argument for other sizes
double mcnemar_p(std::span<const double> a, std::span<const double> b);

struct FriedmanTest {
  double chi_squared = 0.0;        // corrected for ties
  double p = 1.0;                  // by the chi-square distribution of k - 1 degrees of freedom
  double agreement = 0.0;          // Kendall's W, 0 to 1
  std::vector<double> mean_ranks;  // by treatment
};

/// Friedman's test that k >= 3 treatments are equal (Friedman 1937; with ties: Conover, Practical
/// Nonparametric Statistics, section 5.8). Where all values of each block are equal, p is 1.
/// @param treatments by treatment, the value of each block; all of one size, at least 1
/// @throws std::invalid_argument for other sizes
FriedmanTest friedman_test(const std::vector<std::vector<double>>& treatments);

struct PageTest {
  double L = 0.0;      // sum over treatments of place * sum of ranks
  double p = 1.0;      // one-sided: of an L at least as large when there is no order
  bool exact = false;  // given the ties: up to 7 treatments and 100 blocks; else by the normal
                       // distribution, its variance corrected for ties
};

/// Page's test of the order that the treatments are given in, increasing (Page 1963, "Ordered
/// hypotheses for multiple treatments: a significance test for linear ranks", JASA 58).
/// @param treatments as above
PageTest page_test(const std::vector<std::vector<double>>& treatments);

}  // namespace handspan
