#pragma once
// What data adds to the parts of a program.
#include "core/parts.hpp"

namespace handspan {

/// Formats of export: csv, parquet, hdf5, lerobot; readers of import-data: csv, parquet, hdf5,
/// robomimic, lerobot.
void register_data(Parts& parts);

}  // namespace handspan
