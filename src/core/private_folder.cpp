#include "core/private_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.hpp"

namespace handspan {
namespace {

std::filesystem::path made(const std::filesystem::path& in, const std::string& name) {
  std::string path = (in / (name + "XXXXXX")).string();
  if (::mkdtemp(path.data()) == nullptr) {
    const int error = errno;
    throw InputError(
        fmt::format("cannot write {}: no folder can be made there ({}); see that it may be written "
                    "to and has space, or name another (for temporary files: TMPDIR)",
                    in.string(), std::strerror(error)));
  }
  return path;
}

std::filesystem::path temporary() {
  std::error_code error;
  auto path = std::filesystem::temp_directory_path(error);
  return error ? std::filesystem::path("/tmp") : path;
}

}  // namespace

PrivateFolder::PrivateFolder(const std::string& name) : PrivateFolder(temporary(), name) {}

PrivateFolder::PrivateFolder(const std::filesystem::path& in, const std::string& name)
    : path_(made(in, name)) {}

PrivateFolder::~PrivateFolder() {
  std::error_code none;
  std::filesystem::remove_all(path_, none);
}

}  // namespace handspan
