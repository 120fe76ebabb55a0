#include "core/text_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/files_read.hpp"

namespace handspan {
namespace {

ConfigError file_error(const std::filesystem::path& path, std::string cause, std::string hint) {
  return ConfigError({{{path.string(), 0, 0}, "", std::move(cause), std::move(hint)}});
}

}  // namespace

std::string read_text_file(const std::filesystem::path& path) {
  FilesRead::note(path);
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw file_error(path, "the file does not exist", "correct its name");
  }
  if (std::filesystem::is_directory(status)) {
    throw file_error(path, "this is a folder", "name a file in it");
  }
  // a pipe or a device could block or never end
  if (!error && !std::filesystem::is_regular_file(status)) {
    throw file_error(path, "this is not a regular file", "name a file");
  }
  const auto too_large = [&] {
    return file_error(path, fmt::format("the file is larger than {} MiB", kMaxTextBytes >> 20U),
                      "split it");
  };
  if (!error && std::filesystem::file_size(path, error) > kMaxTextBytes && !error)
    throw too_large();
  std::ifstream stream(path, std::ios::binary);
  std::string bytes;
  std::vector<char> chunk(1U << 16U);
  while (stream && bytes.size() <= kMaxTextBytes) {
    stream.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    bytes.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (error || !stream.is_open() || stream.bad()) {
    throw file_error(path, "the file cannot be read", "check its permissions");
  }
  // it may have grown, or be one whose size the system does not tell
  if (bytes.size() > kMaxTextBytes) throw too_large();
  return bytes;
}

}  // namespace handspan
