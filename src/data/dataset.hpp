#pragma once
// Data sets that other programs train on, made of demonstrations.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/demonstrations.hpp"

namespace handspan {

/// Where demonstrations go, one after the other.
class DatasetWriter {
 public:
  virtual ~DatasetWriter() = default;
  virtual void add(Demonstration&& demonstration, const DemonstrationLayout& layout) = 0;
  /// Everything is there under its name. @throws InputError when it is not, or nothing was added
  virtual void close() = 0;
};

struct DatasetOptions {
  Rate rate = {20, 1};
  ActionFrame frame = ActionFrame::kAbsolute;
  bool append = false;      // to a data set that is there
  double validation = 0.1;  // share of the demonstrations, for robomimic's masks
};

/// One file in the layout of robomimic 0.3: data/demo_N with obs, next_obs, actions within [-1, 1],
/// states, rewards and dones; mask/train, valid, successes, failures. What is not complete never
/// stands under the file's name.
std::unique_ptr<DatasetWriter> hdf5_dataset(const std::filesystem::path& file,
                                            const DatasetOptions& options);

/// A folder in the layout of LeRobot v3.0: data/, meta/info.json, meta/stats.json,
/// meta/tasks.parquet and meta/episodes/. @throws InputError when the rate is not a whole number
std::unique_ptr<DatasetWriter> lerobot_dataset(const std::filesystem::path& folder,
                                               const DatasetOptions& options);

/// A column of actions scaled to [-1, 1]: (x - offset) / scale.
struct ActionScale {
  double offset = 0.0, scale = 1.0;
};
/// Of values row by row: their middle, and half of their range. A column that does not change
/// becomes zero.
std::vector<ActionScale> action_scales(const std::vector<double>& values, std::size_t columns);

}  // namespace handspan
