#include "core/overwritten.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <fstream>
#include <string>

#include "core/error.hpp"
#include "core/escape.hpp"

namespace handspan {
namespace {

std::atomic<bool> allowed = false;

// What replaces a link, and does not follow it, loses nothing of what it leads to.
bool replaced(const std::filesystem::path& output, std::string_view option) {
  std::error_code none;
  return option == kTokenFileOption && std::filesystem::is_symlink(output, none);
}

bool ours(const std::filesystem::path& file) {
  std::array<char, 256> bytes{};
  std::ifstream in(file, std::ios::binary);
  in.read(bytes.data(), bytes.size());
  const std::string_view start(bytes.data(), static_cast<std::size_t>(in.gcount()));
  if (start.empty()) return true;
  for (const std::string_view magic : {"\x89MCAP0\r\n", "\x89PNG\r\n", "\x89HDF\r\n", kWrittenStl})
    if (start.starts_with(magic)) return true;
  if (start.starts_with("Authorization: Bearer ")) return true;
  if (start.starts_with("<?xml") && start.find(kWrittenXml) != start.npos) return true;
  const std::size_t key = start.find_first_not_of("{ \r\n\t");
  return start.starts_with('{') && key != start.npos &&
         start.substr(key).starts_with('"' + std::string(kWriterKey) + '"');
}

}  // namespace

void allow_overwriting() { allowed = true; }

void refuse_foreign(const std::filesystem::path& output, std::string_view option) {
  std::error_code none;
  if (allowed || replaced(output, option)) return;
  if (!std::filesystem::is_regular_file(output, none) || ours(output)) return;
  throw InputError(
      fmt::format("{} {}: is a file that handspan did not write: it would be lost; name another "
                  "file, or say --force",
                  option, printable(output.string())));
}

}  // namespace handspan
