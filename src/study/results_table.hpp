#pragma once
// Results as a table that other programs open: Parquet.
#include <filesystem>

#include "study/results.hpp"

namespace handspan {

/// The rows and columns of results_csv(): numbers in SI with all bits, what did not happen as NaN,
/// "good" as a boolean, drawn values as numbers where all are, else as words. The unit of a column
/// NAME is in the file's metadata under "unit NAME".
/// @throws InputError with the path when it cannot be written
void write_results_parquet(const std::filesystem::path& file, const Results& results);

}  // namespace handspan
