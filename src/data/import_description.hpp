#pragma once
// What our own data sets say of themselves, so that `handspan import-data` needs no YAML for them:
// the keys of an import plan (data/import_plan.hpp), as JSON.
#include <cstddef>
#include <functional>
#include <string>

#include "data/demonstrations.hpp"

namespace handspan {

/// Attribute of /data in an HDF5 file, and the file in a folder of LeRobot's.
inline constexpr char kImportAttribute[] = "handspan_import";
inline constexpr char kImportFile[] = "meta/handspan_import.json";

/// Where a data set has numbers: of which part, from which number on, how many.
using ColumnName =
    std::function<std::string(std::size_t index, std::size_t first, std::size_t count)>;

struct ImportDescription {
  double rate = 20.0;       // [Hz]; where `time` is ""
  std::string time;         // the column of the rows' times [s]
  bool relative = false;    // poses of actions are seen from where the tool was measured
  ColumnName observations;  // of layout.observations
  ColumnName actions;       // of layout.actions
};

/// The plan of a data set with that layout. Joints that are relative to a reference which the data
/// set has not are left out.
std::string import_description(const DemonstrationLayout& layout, const ImportDescription& of);

}  // namespace handspan
