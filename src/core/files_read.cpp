#include "core/files_read.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/overwritten.hpp"

namespace handspan {
namespace {

thread_local FilesRead* innermost_read = nullptr;
thread_local InputsRead* inputs = nullptr;

std::filesystem::path plain(const std::filesystem::path& file) {
  std::error_code none;
  return std::filesystem::absolute(file, none).lexically_normal();
}

void add(std::vector<std::filesystem::path>& files, const std::filesystem::path& file) {
  auto path = plain(file);
  if (std::ranges::count(files, path) == 0) files.push_back(std::move(path));
}

// also of files that are not there yet
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code none;
  // what is written to a terminal or a pipe is written over nothing
  if (std::filesystem::is_other(a, none)) return false;
  if (std::filesystem::equivalent(a, b, none)) return true;
  const auto place = std::filesystem::weakly_canonical(plain(a), none);
  return !place.empty() && place == std::filesystem::weakly_canonical(plain(b), none);
}

// A file that is there must be writable; one that is not, the nearest folder above it that is.
// @throws InputError with the reason, before what is to be written has cost its time
void refuse_unwritable(const std::filesystem::path& output, std::string_view option) {
  std::error_code none;
  std::filesystem::path at = plain(output);
  // who writes a folder's name is told so when it is opened
  if (std::filesystem::is_directory(at, none)) return;
  if (std::filesystem::exists(at, none)) {
    if (::access(at.c_str(), W_OK) == 0) return;
    throw InputError(fmt::format("{} {}: cannot be written ({}); name another file", option,
                                 printable(output.string()), std::strerror(errno)));
  }
  do {
    at = at.parent_path();
  } while (!std::filesystem::exists(at, none) && at != at.parent_path());
  if (std::filesystem::is_directory(at, none) && ::access(at.c_str(), W_OK | X_OK) == 0) return;
  const std::string why =
      std::filesystem::is_directory(at, none) ? std::strerror(errno) : "it is not a folder";
  throw InputError(
      fmt::format("{} {}: nothing can be written in {} ({}); name a file in a folder of yours, or "
                  "run from there",
                  option, printable(output.string()), printable(at.string()), why));
}

}  // namespace

FilesRead::FilesRead() : outer_(innermost_read) { innermost_read = this; }
FilesRead::~FilesRead() { innermost_read = outer_; }

void FilesRead::note(const std::filesystem::path& file) {
  if (innermost_read != nullptr) add(innermost_read->files_, file);
  InputsRead::note(file);
}

InputsRead::InputsRead() : outer_(inputs) { inputs = this; }
InputsRead::~InputsRead() { inputs = outer_; }

void InputsRead::note(const std::filesystem::path& file) {
  for (InputsRead* read = inputs; read != nullptr; read = read->outer_) add(read->files_, file);
}

void refuse_overwriting(const std::filesystem::path& output, std::string_view option) {
  if (inputs == nullptr) return;
  for (const auto& input : inputs->files())
    if (same_file(input, output))
      throw InputError(
          fmt::format("{} {}: is the file {}, which is read: it would be lost; name another file",
                      option, printable(output.string()), printable(input.string())));
}

void refuse_replacing(const std::filesystem::path& folder, std::string_view option) {
  if (inputs == nullptr) return;
  std::error_code none;
  const auto within = std::filesystem::weakly_canonical(plain(folder), none);
  for (const auto& input : inputs->files()) {
    const auto file = std::filesystem::weakly_canonical(input, none);
    for (auto above = file.parent_path(); above != above.parent_path(); above = above.parent_path())
      if (above == within)
        throw InputError(fmt::format(
            "{} {}: holds the file {}, which is read: it would be lost; name another folder",
            option, printable(folder.string()), printable(input.string())));
  }
}

void check_outputs(std::span<const OutputOption> outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].file.empty()) continue;
    refuse_overwriting(outputs[i].file, outputs[i].option);
    refuse_foreign(outputs[i].file, outputs[i].option);
    refuse_unwritable(outputs[i].file, outputs[i].option);
    for (std::size_t j = 0; j < i; ++j)
      if (!outputs[j].file.empty() && same_file(outputs[i].file, outputs[j].file))
        throw InputError(fmt::format("{} {}: is the file of {} too; name another file",
                                     outputs[i].option, printable(outputs[i].file.string()),
                                     outputs[j].option));
  }
}

}  // namespace handspan
