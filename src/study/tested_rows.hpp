#pragma once
// The values of a stage that makes a test for each of its rows: with the p-value of each stands the
// one that is corrected for how many rows there are.
#include <string>
#include <vector>

#include "study/correction.hpp"
#include "study/stage.hpp"

namespace handspan {

class TestedRows {
 public:
  /// What is added from here on is of this row: "ROW.NAME".
  void row(std::string name) { row_ = std::move(name); }
  void add(const std::string& name, double value, const std::string& unit = "") {
    values_.push_back({row_ + "." + name, value, unit, row_});
  }
  /// The row's p-value, "p" and "p_corrected".
  void add_p(double p) {
    add("p", p);
    p_.push_back(p);
    corrected_.push_back(values_.size());
    add("p_corrected", p);
  }
  /// All rows, when there are no more.
  std::vector<StageValue> take(Correction correction) {
    const auto all = corrected(correction, p_);
    for (std::size_t i = 0; i < corrected_.size(); ++i) values_[corrected_[i]].value = all[i];
    return std::move(values_);
  }

 private:
  std::string row_;
  std::vector<StageValue> values_;
  std::vector<double> p_;               // by row
  std::vector<std::size_t> corrected_;  // where in values_ the corrected ones are, by row
};

}  // namespace handspan
