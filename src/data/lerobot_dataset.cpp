#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/error.hpp"
#include "data/dataset.hpp"
#include "data/import_description.hpp"
#include "record/parquet_file.hpp"

// LeRobot's v3.0: rows of all episodes in data/chunk-000/file-000.parquet, one row an episode with
// its place and statistics in meta/episodes/, tasks in meta/tasks.parquet under their words, what
// the columns are in meta/info.json, statistics of all rows in meta/stats.json.

namespace handspan {
namespace {

using nlohmann::ordered_json;

constexpr char kData[] = "data/chunk-000/file-000.parquet";
constexpr char kEpisodes[] = "meta/episodes/chunk-000/file-000.parquet";
constexpr char kState[] = "observation.state", kObjects[] = "observation.environment_state",
               kAction[] = "action";
constexpr double kQuantiles[] = {0.01, 0.10, 0.50, 0.90, 0.99};
constexpr const char* kQuantileNames[] = {"q01", "q10", "q50", "q90", "q99"};

// statistics of each element over rows
struct Statistics {
  std::vector<double> min, max, mean, std;
  std::vector<std::vector<double>> quantiles;
  std::int64_t count = 0;
};

Statistics statistics_of(const std::vector<float>& values, std::size_t columns) {
  Statistics s;
  s.count = columns == 0 ? 0 : static_cast<std::int64_t>(values.size() / columns);
  s.quantiles.resize(std::size(kQuantiles));
  if (s.count == 0) return s;
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<double> x;
    for (std::size_t i = c; i < values.size(); i += columns) x.push_back(values[i]);
    std::ranges::sort(x);
    const double n = static_cast<double>(x.size());
    const double mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
    double squares = 0.0;
    for (const double value : x) squares += (value - mean) * (value - mean);
    s.min.push_back(x.front());
    s.max.push_back(x.back());
    s.mean.push_back(mean);
    s.std.push_back(std::sqrt(squares / n));
    for (std::size_t q = 0; q < std::size(kQuantiles); ++q) {
      const double at = kQuantiles[q] * (n - 1.0);
      const auto low = static_cast<std::size_t>(at);
      const std::size_t high = std::min(low + 1, x.size() - 1);
      s.quantiles[q].push_back(x[low] + (at - static_cast<double>(low)) * (x[high] - x[low]));
    }
  }
  return s;
}

ordered_json json_of(const Statistics& s) {
  ordered_json j = {
      {"min", s.min}, {"max", s.max}, {"mean", s.mean}, {"std", s.std}, {"count", {s.count}}};
  for (std::size_t q = 0; q < s.quantiles.size(); ++q) j[kQuantileNames[q]] = s.quantiles[q];
  return j;
}

struct Feature {
  std::string name, type;
  std::vector<std::string> names;  // of its elements; none: a number
  std::vector<float> values;       // row by row, of all episodes
  std::size_t size() const { return std::max<std::size_t>(1, names.size()); }
};

struct Stored {
  std::string task, outcome, source;
  std::size_t first = 0, rows = 0;  // among all
  int number = 0;
};

class LerobotDataset : public DatasetWriter {
 public:
  LerobotDataset(const std::filesystem::path& folder, const DatasetOptions& options)
      : folder_(folder), options_(options) {
    const double hz = options.rate.hz();
    if (std::abs(hz - std::round(hz)) > 1e-9)
      throw InputError(fmt::format(
          "--rate {:g}: LeRobot counts frames in whole numbers a second; ask for one", hz));
    if (options.append)
      throw InputError(
          "--append goes with hdf5; give all logs at once to export --to lerobot, which is quick");
    std::error_code none;
    if (std::filesystem::exists(folder / "meta/info.json", none)) return;
    if (std::filesystem::exists(folder, none) && !std::filesystem::is_empty(folder, none))
      throw InputError(fmt::format(
          "{}: it is there and no data set of LeRobot's; name another folder", folder.string()));
  }

  void add(Demonstration&& demo, const DemonstrationLayout& layout) override {
    if (features_.empty()) declare(layout);
    layout_ = layout;
    Stored episode{demo.episode.task.empty() ? "unnamed" : demo.episode.task,
                   demo.episode.outcome,
                   demo.source,
                   rows_,
                   demo.rows,
                   demo.number};
    for (std::size_t k = 0; k < demo.rows; ++k) {
      for (std::size_t o = 0; o < layout.observations.size(); ++o) {
        const std::size_t n = layout.observations[o].columns.size();
        auto& to = features_[feature_of_[o]].values;
        for (std::size_t e = 0; e < n; ++e)
          to.push_back(static_cast<float>(demo.observations[o][k * n + e]));
      }
      const std::size_t n = layout.action_columns.size();
      for (std::size_t e = 0; e < n; ++e)
        features_.back().values.push_back(static_cast<float>(demo.actions[k * n + e]));
    }
    rows_ += demo.rows;
    episodes_.push_back(std::move(episode));
  }

  void close() override {
    if (episodes_.empty())
      throw InputError(fmt::format("{}: nothing was exported", folder_.string()));
    for (const auto& episode : episodes_)
      if (std::ranges::count(tasks_, episode.task) == 0) tasks_.push_back(episode.task);
    std::error_code failed;
    for (const char* file : {kData, kEpisodes}) {
      const auto parent = (folder_ / file).parent_path();
      std::filesystem::create_directories(parent, failed);
      // a data set that was there is replaced: no file of it stays
      for (const auto& entry : std::filesystem::directory_iterator(parent, failed))
        if (entry.path().extension() == ".parquet") std::filesystem::remove(entry.path(), failed);
    }
    // last: without it there is no data set
    std::filesystem::remove(folder_ / "meta/info.json", failed);
    write_rows();
    write_episodes();
    write_tasks();
    write_json("meta/stats.json", statistics());
    write_json(kImportFile, ordered_json::parse(description()));
    write_json("meta/info.json", info());
  }

 private:
  void declare(const DemonstrationLayout& layout) {
    Feature state{kState, "float32", {}, {}}, objects{kObjects, "float32", {}, {}},
        action{kAction, "float32", layout.action_columns, {}};
    std::vector<bool> of_objects;
    for (const auto& o : layout.observations) {
      of_objects.push_back(o.channel.starts_with("object."));
      auto& names = (of_objects.back() ? objects : state).names;
      for (const auto& column : o.columns)
        names.push_back(o.channel + "." + column.substr(0, column.find(" [")));
    }
    if (!state.names.empty()) features_.push_back(state);
    if (!objects.names.empty()) features_.push_back(objects);
    for (const bool of : of_objects) feature_of_.push_back(of ? features_.size() - 1 : 0);
    features_.push_back(action);
  }

  double time(std::size_t frame) const { return static_cast<double>(frame) / options_.rate.hz(); }

  // the columns that every data set has, each a number a row
  std::vector<Feature> counts() const {
    std::vector<Feature> all = {
        {"next.reward", "float32", {}, {}}, {"next.done", "bool", {}, {}},
        {"next.success", "bool", {}, {}},   {"timestamp", "float32", {}, {}},
        {"frame_index", "int64", {}, {}},   {"episode_index", "int64", {}, {}},
        {"index", "int64", {}, {}},         {"task_index", "int64", {}, {}}};
    for (std::size_t e = 0; e < episodes_.size(); ++e)
      for (std::size_t k = 0; k < episodes_[e].rows; ++k) {
        const bool last = k + 1 == episodes_[e].rows;
        const bool success = last && episodes_[e].outcome == "success";
        const double values[] = {success ? 1.0 : 0.0,
                                 last ? 1.0 : 0.0,
                                 success ? 1.0 : 0.0,
                                 time(k),
                                 static_cast<double>(k),
                                 static_cast<double>(e),
                                 static_cast<double>(episodes_[e].first + k),
                                 static_cast<double>(task_of(episodes_[e]))};
        for (std::size_t c = 0; c < all.size(); ++c)
          all[c].values.push_back(static_cast<float>(values[c]));
      }
    return all;
  }

  std::size_t task_of(const Stored& episode) const {
    return static_cast<std::size_t>(std::ranges::find(tasks_, episode.task) - tasks_.begin());
  }

  std::vector<Feature> all_features() const {
    std::vector<Feature> all = features_;
    for (Feature& count : counts()) all.push_back(std::move(count));
    return all;
  }

  void write_rows() const {
    std::vector<ParquetColumn> columns;
    for (const Feature& feature : all_features()) {
      ParquetColumn column{feature.name, std::vector<float>()};
      const auto& values = feature.values;
      if (!feature.names.empty())
        column.values = ParquetVectors{feature.size(), values};
      else if (feature.type == "float32")
        column.values = values;
      else if (feature.type == "bool")
        column.values = std::vector<bool>(values.begin(), values.end());
      else if (feature.name == "index")  // beyond what a float counts
        column.values = indices();
      else
        column.values = std::vector<std::int64_t>(values.begin(), values.end());
      columns.push_back(std::move(column));
    }
    write_parquet(folder_ / kData, columns);
  }

  std::vector<std::int64_t> indices() const {
    std::vector<std::int64_t> all(rows_);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  void write_episodes() const {
    std::vector<std::int64_t> index, zero, length, first, last, number;
    std::vector<std::vector<std::string>> tasks;
    std::vector<std::string> outcome, source;
    for (std::size_t e = 0; e < episodes_.size(); ++e) {
      const Stored& episode = episodes_[e];
      index.push_back(static_cast<std::int64_t>(e));
      zero.push_back(0);
      tasks.push_back({episode.task});
      length.push_back(static_cast<std::int64_t>(episode.rows));
      first.push_back(static_cast<std::int64_t>(episode.first));
      last.push_back(static_cast<std::int64_t>(episode.first + episode.rows));
      outcome.push_back(episode.outcome);
      source.push_back(episode.source);
      number.push_back(episode.number);
    }
    std::vector<ParquetColumn> columns = {{"episode_index", index},
                                          {"tasks", tasks},
                                          {"length", length},
                                          {"data/chunk_index", zero},
                                          {"data/file_index", zero},
                                          {"dataset_from_index", first},
                                          {"dataset_to_index", last},
                                          {"meta/episodes/chunk_index", zero},
                                          {"meta/episodes/file_index", zero},
                                          {"outcome", outcome},
                                          {"log", source},
                                          {"log_episode", number}};
    for (const Feature& feature : all_features()) {
      std::vector<std::vector<double>> lists[4 + std::size(kQuantiles)];
      std::vector<std::vector<std::int64_t>> count;
      for (const Stored& episode : episodes_) {
        const auto at = [&](std::size_t row) {
          return feature.values.begin() + static_cast<std::ptrdiff_t>(row * feature.size());
        };
        const Statistics s =
            statistics_of({at(episode.first), at(episode.first + episode.rows)}, feature.size());
        lists[0].push_back(s.min);
        lists[1].push_back(s.max);
        lists[2].push_back(s.mean);
        lists[3].push_back(s.std);
        for (std::size_t q = 0; q < std::size(kQuantiles); ++q)
          lists[4 + q].push_back(s.quantiles[q]);
        count.push_back({s.count});
      }
      const char* names[] = {"min", "max", "mean", "std"};
      for (std::size_t i = 0; i < std::size(lists); ++i)
        columns.push_back(
            {fmt::format("stats/{}/{}", feature.name, i < 4 ? names[i] : kQuantileNames[i - 4]),
             lists[i]});
      columns.push_back({fmt::format("stats/{}/count", feature.name), count});
    }
    write_parquet(folder_ / kEpisodes, columns);
  }

  // as pandas writes a table whose index is the task's words
  void write_tasks() const {
    std::vector<std::int64_t> index(tasks_.size());
    std::iota(index.begin(), index.end(), 0);
    const auto column = [](const char* name, const char* type, const char* numpy) {
      return ordered_json{{"name", name},
                          {"field_name", name},
                          {"pandas_type", type},
                          {"numpy_type", numpy},
                          {"metadata", nullptr}};
    };
    const ordered_json pandas = {
        {"index_columns", {"task"}},
        {"column_indexes", ordered_json::array()},
        {"columns", {column("task_index", "int64", "int64"), column("task", "unicode", "object")}},
        {"creator", {{"library", "pyarrow"}, {"version", "22.0.0"}}},
        {"pandas_version", "2.0.0"}};
    write_parquet(folder_ / "meta/tasks.parquet", {{"task_index", index}, {"task", tasks_}},
                  {{"pandas", pandas.dump()}});
  }

  ordered_json statistics() const {
    ordered_json all;
    for (const Feature& feature : all_features())
      all[feature.name] = json_of(statistics_of(feature.values, feature.size()));
    return all;
  }

  ordered_json info() const {
    ordered_json features;
    for (const Feature& feature : all_features()) {
      features[feature.name] = {{"dtype", feature.type}, {"shape", {feature.size()}}};
      features[feature.name]["names"] =
          feature.names.empty() ? ordered_json(nullptr) : ordered_json(feature.names);
    }
    return {{"codebase_version", "v3.0"},
            {"robot_type", "handspan"},
            {"total_episodes", episodes_.size()},
            {"total_frames", rows_},
            {"total_tasks", tasks_.size()},
            {"chunks_size", 1000},
            {"data_files_size_in_mb", 100},
            {"video_files_size_in_mb", 200},
            {"fps", std::lround(options_.rate.hz())},
            {"splits", {{"train", fmt::format("0:{}", episodes_.size())}}},
            {"data_path", "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"},
            {"video_path", nullptr},
            {"features", features}};
  }

  std::string description() const {
    ImportDescription of;
    of.rate = options_.rate.hz();
    of.relative = options_.frame == ActionFrame::kRelative;
    of.observations = [&](std::size_t o, std::size_t first, std::size_t count) {
      // those of one feature stand in it one after the other
      for (std::size_t before = 0; before < o; ++before)
        if (feature_of_[before] == feature_of_[o])
          first += layout_.observations[before].columns.size();
      return fmt::format("{}[{}:{}]", features_[feature_of_[o]].name, first, first + count);
    };
    of.actions = [&](std::size_t a, std::size_t first, std::size_t count) {
      for (std::size_t before = 0; before < a; ++before)
        first += layout_.actions[before].columns.size();
      return fmt::format("{}[{}:{}]", kAction, first, first + count);
    };
    return import_description(layout_, of);
  }

  void write_json(const char* name, const ordered_json& json) const {
    std::ofstream out(folder_ / name, std::ios::binary);
    out << json.dump(4) << '\n';
    out.close();
    if (!out)
      throw InputError(
          fmt::format("{}: it cannot be written; see that the folder may be written "
                      "to and has space",
                      (folder_ / name).string()));
  }

  std::filesystem::path folder_;
  DatasetOptions options_;
  DemonstrationLayout layout_;
  std::vector<Feature> features_;        // state, objects, and last the action
  std::vector<std::size_t> feature_of_;  // by observation
  std::vector<Stored> episodes_;
  std::vector<std::string> tasks_;
  std::size_t rows_ = 0;
};

}  // namespace

std::unique_ptr<DatasetWriter> lerobot_dataset(const std::filesystem::path& folder,
                                               const DatasetOptions& options) {
  return std::make_unique<LerobotDataset>(folder, options);
}

}  // namespace handspan
