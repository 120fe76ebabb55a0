#pragma once
// Series over time of one run as a file: "series,unit,time,value", a line for each value.
#include <filesystem>
#include <vector>

#include "study/column.hpp"

namespace handspan {

/// series/run-00017.csv of a study's folder.
std::filesystem::path series_file(const std::filesystem::path& folder, int run);

/// @throws InputError when it cannot be written
void write_series_file(const std::vector<TimeSeries>& series, const std::filesystem::path& file);

/// What write_series_file() wrote. @throws InputError when it cannot be read
std::vector<TimeSeries> read_series_file(const std::filesystem::path& file);

}  // namespace handspan
