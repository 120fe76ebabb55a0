#include "station/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>

#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/text_checks.hpp"

namespace handspan {
namespace {

constexpr char kExtension[] = ".mcap";
constexpr std::size_t kLongestWish = 60;

std::string name_part(const std::string& wish) {
  std::string name;
  for (const char c : wish) {
    const auto u = static_cast<unsigned char>(c);
    const bool plain = u < 0x80 && (std::isalnum(u) != 0 || c == '-' || c == '_');
    // what is not allowed becomes one '-'
    if (plain)
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
    if (name.size() == kLongestWish) break;
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "recording" : name;
}

RecordInfo read(const std::filesystem::path& file) {
  RecordInfo info;
  info.name = file.filename().string();
  try {
    const LogFile log(file, McapReader::Open::kBySummary);
    info.base_period = log.base_period();
    info.seconds = seconds((log.ticks() - log.first_tick()) * log.base_period());
    info.episodes = log.episodes();
    info.imported = log.imported().value_or("");
  } catch (const std::exception& error) {
    info.damage = error.what();
  }
  return info;
}

}  // namespace

bool is_file_name(std::string_view name) {
  return !name.empty() && name.size() <= 200 && name.front() != '.' &&
         valid_utf8_prefix(name) == name.size() && std::ranges::all_of(name, [](char c) {
           return static_cast<unsigned char>(c) >= 0x20U && c != 0x7F && c != '/' && c != '\\' &&
                  c != '"';
         });
}

std::optional<std::filesystem::path> Records::find(std::string_view name) const {
  if (!is_file_name(name)) return {};
  const std::filesystem::path file = folder_ / name;
  std::error_code error;
  // a link may point out of the folder
  if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(file, error))) return {};
  return file;
}

std::filesystem::path Records::new_file(const std::string& wish) const {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error)
    throw InputError(
        fmt::format("{}: the folder cannot be made ({}); choose another with --records",
                    folder_.string(), error.message()));
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char date[32] = {};
  std::strftime(date, sizeof date, "%Y%m%d-%H%M%S", &local);
  const std::string stem = fmt::format("{}-{}", name_part(wish), date);
  for (int i = 1; i < 1000; ++i) {
    std::filesystem::path file =
        folder_ / (i == 1 ? stem + kExtension : fmt::format("{}-{}{}", stem, i, kExtension));
    if (!std::filesystem::exists(std::filesystem::symlink_status(file, error))) return file;
  }
  throw InputError(fmt::format("{}: has a thousand recordings of this second", folder_.string()));
}

std::filesystem::path Records::thumbnail(std::string_view name) const {
  return (folder_ / name).replace_extension(".png");
}

std::vector<RecordInfo> Records::list(const std::string& recorded) {
  std::vector<RecordInfo> all;
  std::map<std::string, Known> still;
  std::vector<std::pair<std::filesystem::file_time_type, std::size_t>> order;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != kExtension || name == recorded || !find(name)) continue;
    const std::uint64_t bytes = entry.file_size(error);
    const auto time = entry.last_write_time(error);
    Known& known = still[name];
    if (const auto before = known_.find(name);
        before != known_.end() && before->second.bytes == bytes && before->second.time == time)
      known = before->second;
    else
      known = {bytes, time, read(entry.path())};
    known.info.bytes = bytes;
    known.info.thumbnail =
        std::filesystem::exists(thumbnail(name), error) ? thumbnail(name).filename().string() : "";
    order.emplace_back(time, all.size());
    all.push_back(known.info);
  }
  known_ = std::move(still);
  std::ranges::sort(order, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<RecordInfo> sorted;
  for (const auto& [time, index] : order) sorted.push_back(std::move(all[index]));
  return sorted;
}

void Records::remove(const std::string& name) {
  const auto file = find(name);
  if (!file || file->extension() != kExtension)
    throw InputError(
        fmt::format("there is no recording '{}' in {}", printable(name), folder_.string()));
  std::error_code error;
  if (!std::filesystem::remove(*file, error) || error)
    throw InputError(fmt::format("{}: cannot be deleted ({})", file->string(), error.message()));
  std::filesystem::remove(thumbnail(name), error);
}

}  // namespace handspan
