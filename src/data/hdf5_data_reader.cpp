#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/channel.hpp"
#include "core/config.hpp"
#include "core/error.hpp"
#include "core/files_read.hpp"
#include "core/suggest.hpp"
#include "data/data_readers.hpp"
#include "data/import_description.hpp"
#include "record/hdf5_file_reader.hpp"

// HDF5: a group of data sets is an episode (robomimic's data/demo_0, data/demo_1, ...), or a whole
// file is one (as ALOHA writes them).

namespace handspan {
namespace {

constexpr char kActions[] = "actions";

struct Hdf5DataConfig {
  std::optional<std::filesystem::path> file, folder;
  std::string groups;
  std::string filter;
};

// demo_2 comes before demo_10
std::pair<std::string, std::uint64_t> natural(const std::string& name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  std::uint64_t number = 0;
  std::from_chars(name.data() + digits, name.data() + name.size(), number);
  return {name.substr(0, digits), number};
}

std::size_t width_of(const Hdf5Item& item) {
  std::size_t width = 1;
  for (std::size_t d = 1; d < item.shape.size(); ++d) width *= item.shape[d];
  return width;
}

struct Hdf5Episode {
  std::size_t file = 0;
  std::string group;  // "/data/demo_0"; "/" is the file
};

class Hdf5DataReader : public DataReader {
 public:
  explicit Hdf5DataReader(const Hdf5DataConfig& config) {
    std::vector<std::filesystem::path> files;
    if (config.file) files = {*config.file};
    if (config.folder) files = files_in(*config.folder);
    source_ = config.folder ? config.folder->string() : files.front().string();
    for (const auto& file : files) {
      InputsRead::note(file);
      files_.push_back(std::make_unique<Hdf5FileReader>(file));
      add_episodes(file, config);
    }
    // what handspan scaled it says how to take back
    offset_ =
        files_.front()->numbers_attribute("/data", "action_offset").value_or(std::vector<double>());
    scale_ =
        files_.front()->numbers_attribute("/data", "action_scale").value_or(std::vector<double>());
  }

  std::string source() const override { return source_; }
  const std::vector<DataEpisode>& episodes() const override { return episodes_; }

  std::vector<DataColumn> columns(std::size_t episode) override {
    const auto& [file, group] = groups_.at(episode);
    std::vector<DataColumn> all;
    for (const Hdf5Item& item : files_[file]->items(group)) {
      DataColumn column;
      column.name = item.path;
      column.type = item.type;
      column.rows = item.shape.empty() ? 1 : item.shape[0];
      column.width = width_of(item);
      column.numbers = item.numbers && !item.shape.empty() && column.width > 0;
      all.push_back(std::move(column));
    }
    return all;
  }

  std::vector<double> values(std::size_t episode, const std::string& column) override {
    const auto& [file, group] = groups_.at(episode);
    auto values = files_[file]->numbers(group == "/" ? "/" + column : group + "/" + column).values;
    if (column == kActions && !scale_.empty() && scale_.size() == offset_.size() &&
        values.size() % scale_.size() == 0)
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = offset_[i % offset_.size()] + scale_[i % scale_.size()] * values[i];
    return values;
  }

  // robosuite's environments say it
  std::optional<double> rate() const override {
    const auto text = files_.front()->text_attribute("/data", "env_args");
    if (!text) return std::nullopt;
    const auto env = nlohmann::json::parse(*text, nullptr, false);
    if (!env.is_object() || !env.contains("env_kwargs") || !env["env_kwargs"].is_object())
      return std::nullopt;
    for (const char* key : {"control_freq", "rate"}) {
      const auto found = env["env_kwargs"].find(key);
      if (found == env["env_kwargs"].end() || !found->is_number()) continue;
      const double hz = found->get<double>();
      if (hz > 0.0 && hz <= 1e6) return hz;
    }
    return std::nullopt;
  }

  std::optional<ImportPlan> plan() const override {
    const auto text = files_.front()->text_attribute("/data", kImportAttribute);
    if (!text) return std::nullopt;
    return parse_yaml(*text, fmt::format("{} (its attribute {})", source_, kImportAttribute),
                      import_object<ImportPlan>("Import"));
  }

 private:
  static std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
      if (entry.path().extension() == ".hdf5" || entry.path().extension() == ".h5")
        files.push_back(entry.path());
    if (files.empty())
      throw InputError(fmt::format(
          "{}: it has no files that end in .hdf5 or .h5; name another folder", folder.string()));
    std::ranges::sort(files, {}, [](const auto& file) { return natural(file.stem().string()); });
    return files;
  }

  void add_episodes(const std::filesystem::path& path, const Hdf5DataConfig& config) {
    const Hdf5FileReader& file = *files_.back();
    if (config.groups.empty()) {
      groups_.push_back({files_.size() - 1, "/"});
      episodes_.push_back({path.filename().string(), "", "", ""});
      return;
    }
    const std::size_t slash = config.groups.rfind('/');
    const std::string parent =
        slash == std::string::npos ? "/" : "/" + config.groups.substr(0, slash);
    const std::string pattern = config.groups.substr(slash == std::string::npos ? 0 : slash + 1);
    if (!file.has(parent))
      throw InputError(fmt::format("{}: it has no group {}; {}", path.string(), parent,
                                   did_you_mean(parent, file.groups("/"), "its groups are")));
    std::vector<std::string> names = file.groups(parent);
    if (!config.filter.empty()) {
      const std::vector<std::string> kept = file.words("/mask/" + config.filter);
      std::erase_if(names, [&](const auto& name) { return std::ranges::count(kept, name) == 0; });
    }
    std::ranges::sort(names, {}, natural);
    for (const std::string& name : names) {
      if (!matches(pattern, name)) continue;
      const std::string group = parent == "/" ? "/" + name : parent + "/" + name;
      groups_.push_back({files_.size() - 1, group});
      const auto about = [&](const char* key) {
        return file.text_attribute(group, key).value_or("");
      };
      episodes_.push_back({name, about("task"), about("outcome"), about("operator")});
    }
  }

  std::string source_;
  std::vector<std::unique_ptr<Hdf5FileReader>> files_;
  std::vector<Hdf5Episode> groups_;
  std::vector<DataEpisode> episodes_;
  std::vector<double> offset_, scale_;
};

ObjectSchema<Hdf5DataConfig> hdf5_object(const char* name, const char* doc) {
  using H = Hdf5DataConfig;
  return object<H>(name, doc)
      .optional("file", &H::file, handspan::file())
      .optional("folder", &H::folder, handspan::folder(), "all of its files, in their order")
      .check([](const H& config) -> std::optional<Fault> {
        if (config.file.has_value() != config.folder.has_value()) return std::nullopt;
        return Fault{config.file ? "names a file and a folder" : "names no file",
                     "give `file`, or `folder`"};
      });
}

}  // namespace

void register_hdf5_readers(DataReaderRegistry& readers) {
  readers.add("hdf5",
              hdf5_object("Hdf5Data", "any HDF5 file")
                  .optional("groups", &Hdf5DataConfig::groups, text(),
                            "which groups are an episode each, such as data/demo_*; left out: each "
                            "file is one"),
              "any HDF5 file: a group or a file is an episode", [](const Hdf5DataConfig& config) {
                return std::make_unique<Hdf5DataReader>(config);
              });
  readers.add("robomimic",
              hdf5_object("RobomimicData", "robomimic's data/demo_0, data/demo_1, ...")
                  .optional("filter", &Hdf5DataConfig::filter, text(),
                            "those of a mask of the file: train, valid, ..."),
              "demonstrations in robomimic's layout", [](Hdf5DataConfig config) {
                config.groups = "data/*";
                return std::make_unique<Hdf5DataReader>(config);
              });
}

}  // namespace handspan
