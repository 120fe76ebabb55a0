#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/config.hpp"
#include "core/error.hpp"
#include "core/files_read.hpp"
#include "data/data_readers.hpp"
#include "data/import_description.hpp"
#include "record/parquet_file_reader.hpp"

// LeRobot's v3.0: meta/info.json says what columns ("features") there are and where the rows lie,
// meta/episodes/ which rows of which file are an episode. Pictures and videos are left out.

namespace handspan {
namespace {

using nlohmann::json;

constexpr char kVersion[] = "v3.0";
constexpr std::size_t kMostWidth = 100'000, kMostFiles = 100'000;
constexpr double kMostRate = 1e6;

struct LerobotConfig {
  std::filesystem::path folder;
};

struct LerobotFeature {
  std::string name, type;
  std::size_t width = 1;
  bool numbers = true;
  std::vector<std::string> elements;
};

struct LerobotEpisode {
  std::int64_t index = 0, chunk = 0, file = 0;
  std::size_t length = 0;
};

// "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet" with its numbers
std::string filled(std::string pattern, const std::string& name, std::int64_t number) {
  const std::size_t from = pattern.find("{" + name);
  const std::size_t to = pattern.find('}', from);
  if (from == std::string::npos || to == std::string::npos) return pattern;
  const std::string how = pattern.substr(from + 1 + name.size(), to - from - 1 - name.size());
  std::size_t digits = 0;
  if (how.size() == 4 && how.starts_with(":0") && how.ends_with("d"))
    digits = static_cast<std::size_t>(how[2] - '0') % 10;
  std::string text = std::to_string(number);
  if (text.size() < digits) text.insert(0, digits - text.size(), '0');
  return pattern.replace(from, to - from + 1, text);
}

class LerobotReader : public DataReader {
 public:
  explicit LerobotReader(const LerobotConfig& config) : folder_(config.folder) {
    read_info();
    read_episodes();
  }

  std::string source() const override { return folder_.string(); }
  const std::vector<DataEpisode>& episodes() const override { return episodes_; }
  std::optional<double> rate() const override { return rate_; }

  std::vector<DataColumn> columns(std::size_t episode) override {
    std::vector<DataColumn> all;
    for (const LerobotFeature& feature : features_) {
      DataColumn column;
      column.name = feature.name;
      column.type = feature.type;
      column.numbers = feature.numbers;
      column.width = feature.width;
      column.rows = places_.at(episode).length;
      column.elements = feature.elements;
      all.push_back(std::move(column));
    }
    return all;
  }

  std::vector<double> values(std::size_t episode, const std::string& column) override {
    const LerobotEpisode& place = places_.at(episode);
    open(place);
    const auto& indices = numbers("episode_index").values;
    const auto index = static_cast<double>(place.index);
    const auto first = std::ranges::find(indices, index);
    const auto last = std::find_if(first, indices.end(), [&](double i) { return i != index; });
    if (static_cast<std::size_t>(last - first) != place.length)
      throw InputError(fmt::format(
          "{}: it has {} rows of episode {} one after the other, and meta/episodes says {}; the "
          "data set is cut off or mixed up: get it anew, or leave the episode out with 'episodes'",
          open_file_.string(), last - first, place.index, place.length));
    const ParquetNumbers& all = numbers(column);
    const auto feature = std::ranges::find(features_, column, &LerobotFeature::name);
    if (feature != features_.end() && feature->width != all.width)
      throw InputError(fmt::format(
          "{}: its column '{}' has {} numbers a row, and meta/info.json says {}; get it anew",
          open_file_.string(), shown(column), all.width, feature->width));
    const auto at = [&](auto row) {
      return all.values.begin() + (row - indices.begin()) * static_cast<std::ptrdiff_t>(all.width);
    };
    return {at(first), at(last)};
  }

  std::string place(std::size_t episode, std::size_t row) const override {
    return fmt::format("{}: episode {}, frame {}", folder_.string(), places_.at(episode).index,
                       row);
  }

  std::optional<ImportPlan> plan() const override {
    const auto file = folder_ / kImportFile;
    std::error_code error;
    if (!std::filesystem::exists(file, error)) return std::nullopt;
    return load_yaml(file, import_object<ImportPlan>("Import"));
  }

 private:
  [[noreturn]] void damaged(const std::string& what) const {
    throw InputError(
        fmt::format("{}: {}; the data set is damaged or of another version: get it anew",
                    info_file().string(), what));
  }
  std::filesystem::path info_file() const { return folder_ / "meta/info.json"; }

  void read_info() {
    InputsRead::note(info_file());
    std::error_code error;
    if (!std::filesystem::exists(info_file(), error))
      throw InputError(fmt::format(
          "{}: it has no meta/info.json, so that it is no data set of LeRobot's; name the folder "
          "that has meta, data and videos in it",
          folder_.string()));
    const json info = json::parse(read_text_file(info_file()), nullptr, false);
    if (!info.is_object()) damaged("it is not JSON");
    const std::string version = text_of(info, "codebase_version");
    if (version != kVersion)
      throw InputError(fmt::format(
          "{}: its version is '{}', and {} is read; LeRobot brings an older one up to date: python "
          "-m lerobot.scripts.convert_dataset_v21_to_v30 --repo-id=NAME",
          info_file().string(), shown(version), kVersion));
    const auto fps = info.find("fps");
    if (fps == info.end() || !fps->is_number()) damaged("it does not say its 'fps'");
    rate_ = fps->get<double>();
    if (!(rate_ > 0.0 && rate_ <= kMostRate))
      damaged(fmt::format("its 'fps' is {}, and no rate", rate_));
    data_path_ = text_of(info, "data_path");
    const std::filesystem::path normal = std::filesystem::path(data_path_).lexically_normal();
    if (normal.empty() || normal.is_absolute() || *normal.begin() == "..")
      damaged(
          fmt::format("its 'data_path' is '{}', which leads out of the folder", shown(data_path_)));
    const auto features = info.find("features");
    if (features == info.end() || !features->is_object()) damaged("it has no 'features'");
    for (const auto& [name, feature] : features->items()) add_feature(name, feature);
  }

  std::string text_of(const json& info, const char* key) const {
    const auto found = info.find(key);
    if (found == info.end() || !found->is_string())
      damaged(fmt::format("it does not say its '{}'", key));
    return found->get<std::string>();
  }

  void add_feature(const std::string& name, const json& from) {
    LerobotFeature feature;
    feature.name = name;
    if (!from.is_object()) damaged(fmt::format("its feature '{}' is no object", shown(name)));
    feature.type = text_of(from, "dtype");
    feature.numbers =
        feature.type != "video" && feature.type != "image" && feature.type != "string";
    const auto shape = from.find("shape");
    if (shape != from.end() && shape->is_array()) {
      // lists of lists are not read
      feature.numbers = feature.numbers && shape->size() <= 1;
      for (const json& size : *shape) {
        if (!size.is_number_unsigned() || size.get<std::size_t>() > kMostWidth)
          damaged(fmt::format("the shape of its feature '{}' is {}", shown(name),
                              shown(shape->dump())));
        feature.width *= size.get<std::size_t>();
        if (feature.width > kMostWidth * kMostWidth) feature.width = kMostWidth * kMostWidth;
      }
    }
    feature.numbers = feature.numbers && feature.width > 0;
    // a list of words, or one under a key such as "motors"
    const auto names = from.find("names");
    const json* list = names == from.end() ? nullptr : &*names;
    if (list != nullptr && list->is_object() && list->size() == 1) list = &list->front();
    if (list != nullptr && list->is_array() && list->size() == feature.width)
      for (const json& word : *list)
        if (word.is_string()) feature.elements.push_back(word.get<std::string>());
    if (feature.elements.size() != feature.width) feature.elements.clear();
    features_.push_back(std::move(feature));
  }

  void read_episodes() {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    const auto below = folder_ / "meta/episodes";
    for (auto at = std::filesystem::recursive_directory_iterator(below, error);
         !error && at != std::filesystem::recursive_directory_iterator(); at.increment(error))
      if (at->path().extension() == ".parquet" && files.size() < kMostFiles)
        files.push_back(at->path());
    if (files.empty())
      throw InputError(fmt::format(
          "{}: it has no Parquet files, so that nothing says what an episode is; get the data set "
          "anew, with all of its folder meta",
          below.string()));
    std::ranges::sort(files);
    for (const auto& path : files) add_episodes(path);
  }

  void add_episodes(const std::filesystem::path& path) {
    InputsRead::note(path);
    const ParquetFileReader file(path);
    const auto whole = [&](const char* column) {
      const ParquetNumbers numbers = file.numbers(column);
      if (numbers.width != 1)
        throw InputError(
            fmt::format("{}: its column '{}' has lists, and not a number a row; get it "
                        "anew",
                        path.string(), column));
      for (const double value : numbers.values)
        if (!(value >= 0.0 && value < 1e9 && value == std::floor(value)))
          throw InputError(fmt::format("{}: its column '{}' has {}, which is no count; get it anew",
                                       path.string(), column, value));
      return numbers.values;
    };
    const auto index = whole("episode_index"), length = whole("length"),
               chunk = whole("data/chunk_index"), number = whole("data/file_index");
    const auto words = [&](const char* column) {
      return file.has(column) ? file.words(column) : std::vector<std::vector<std::string>>();
    };
    const auto tasks = words("tasks"), outcomes = words("outcome");
    const auto word = [](const auto& rows, std::size_t row) {
      return row < rows.size() && !rows[row].empty() ? rows[row].front() : std::string();
    };
    for (std::size_t row = 0; row < index.size(); ++row) {
      LerobotEpisode place;
      place.index = static_cast<std::int64_t>(index[row]);
      place.chunk = static_cast<std::int64_t>(chunk.at(row));
      place.file = static_cast<std::int64_t>(number.at(row));
      place.length = static_cast<std::size_t>(length.at(row));
      places_.push_back(place);
      episodes_.push_back(
          {fmt::format("episode {}", place.index), word(tasks, row), word(outcomes, row), ""});
    }
  }

  void open(const LerobotEpisode& place) {
    const auto file =
        folder_ / filled(filled(data_path_, "chunk_index", place.chunk), "file_index", place.file);
    if (data_ && file == open_file_) return;
    InputsRead::note(file);
    data_ = std::make_unique<ParquetFileReader>(file);
    open_file_ = file;
    read_.clear();
  }

  const ParquetNumbers& numbers(const std::string& column) {
    const auto known = read_.find(column);
    if (known != read_.end()) return known->second;
    return read_.emplace(column, data_->numbers(column)).first->second;
  }

  std::filesystem::path folder_;
  double rate_ = 0.0;
  std::string data_path_;
  std::vector<LerobotFeature> features_;
  std::vector<DataEpisode> episodes_;
  std::vector<LerobotEpisode> places_;
  std::filesystem::path open_file_;
  std::unique_ptr<ParquetFileReader> data_;
  std::map<std::string, ParquetNumbers> read_;  // of the open file
};

}  // namespace

void register_lerobot_reader(DataReaderRegistry& readers) {
  readers.add(
      "lerobot",
      object<LerobotConfig>("LerobotData", "a data set of LeRobot's, v3.0")
          .required("folder", &LerobotConfig::folder, folder(), "that has meta and data in it"),
      "a data set of LeRobot's, v3.0",
      [](const LerobotConfig& config) { return std::make_unique<LerobotReader>(config); });
}

}  // namespace handspan
