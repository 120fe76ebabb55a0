#include "data/data_readers.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/config.hpp"
#include "core/error.hpp"
#include "data/table_reader.hpp"
#include "record/hdf5_file_reader.hpp"

namespace handspan {

void register_data_readers(DataReaderRegistry& readers) {
  register_table_readers(readers);
  register_hdf5_readers(readers);
  register_lerobot_reader(readers);
}

std::string reader_for(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw InputError(
        fmt::format("{}: there is no such file or folder; give a file of others, or a YAML file "
                    "that names it (docs/data.md)",
                    path.string()));
  if (std::filesystem::is_directory(path, error)) {
    if (std::filesystem::exists(path / "meta/info.json", error)) return "lerobot";
    throw InputError(
        fmt::format("{}: it is a folder without meta/info.json, so that it is no data set of "
                    "LeRobot's; write a YAML file with `from: {{type: csv, folder: ...}}` or "
                    "another reader for it (docs/data.md)",
                    path.string()));
  }
  const std::string end = path.extension().string();
  if (end == ".csv" || end == ".parquet") return end.substr(1);
  if (end == ".hdf5" || end == ".h5")
    return Hdf5FileReader(path).has("/data") ? "robomimic" : "hdf5";
  throw InputError(
      fmt::format("{}: its name does not say what it is; those of data end in .hdf5, .h5, .csv or "
                  ".parquet, and of what says how they are read in .yaml",
                  path.string()));
}

std::unique_ptr<DataReader> open_data(const std::filesystem::path& path,
                                      const DataReaderRegistry& readers) {
  const std::string kind = reader_for(path);
  const auto absolute = std::filesystem::absolute(path).lexically_normal();
  const std::string yaml =
      fmt::format("{}: {}", kind == "lerobot" ? "folder" : "file",
                  nlohmann::json(absolute.string())
                      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return parse_yaml(yaml, path.string(), readers.schema_of(kind)).make();
}

}  // namespace handspan
