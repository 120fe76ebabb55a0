#pragma once
// A study's results beside earlier ones of the same study, seed by seed.
#include <string>
#include <vector>

#include "study/paired_difference.hpp"
#include "study/stored_results.hpp"

namespace handspan {

/// One statistic of a column in a cell: here less there.
struct ComparedStatistic {
  std::string cell, column, unit;
  StatisticKind kind = StatisticKind::kMean;  // or a deviation; of yes and no: a share
  PairedDifference paired;                    // a: here, b: there
  double p_corrected = 1.0;                   // Holm's, for all of the comparison
  std::size_t left_out = 0;                   // pairs: a run failed, or has no value
  bool changed = false;                       // the interval of the difference is beside 0, and
                                              // by more than rounding
  bool same = false;                          // every sample has the same bits
};

struct StudyComparison {
  std::string folder;       // that it is against
  std::string build;        // that did what is there
  std::size_t changed = 0;  // statistics
  std::vector<ComparedStatistic> statistics;
  std::vector<std::string> notes;  // what is on one side only, in whole sentences
};

/// Whether a cell's runs go together by their seeds.
/// @param here columns and cells, and runs of which only cell and seed are looked at
/// @throws ConfigError with the place in the stored results: no cell, no column or no seed of a
/// cell in common, or a seed with other numbers of runs
void check_comparable(const Results& here, const StoredResults& there);

/// Of every cell and column that both have: means and deviations, or shares of what is yes or no.
/// @param overrides that `here` was done with, by --param @throws as check_comparable()
StudyComparison compare_results(const Results& here,
                                const std::vector<std::pair<std::string, std::string>>& overrides,
                                const StoredResults& there);

}  // namespace handspan
