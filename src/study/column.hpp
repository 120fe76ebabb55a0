#pragma once
// What runs of a study give: numbers by column, and time series.
#include <string>
#include <vector>

namespace handspan {

/// A number that every run gives. SI.
struct Column {
  std::string name;
  std::string unit;  // "" for none
  std::string doc;
};

/// How a column's unit is shown to people: angles in degrees, lengths in millimetres.
struct ShownUnit {
  std::string unit;
  double factor = 1.0;  // of a value in SI
};
ShownUnit shown_unit(const std::string& unit);

/// A quantity over time, of one run.
struct TimeSeries {
  std::string name, unit;
  std::vector<double> time, values;  // [s], SI; of one size
};

}  // namespace handspan
