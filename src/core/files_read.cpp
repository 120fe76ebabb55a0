#include "core/files_read.hpp"

#include <algorithm>

namespace handspan {
namespace {

thread_local FilesRead* innermost = nullptr;

}  // namespace

FilesRead::FilesRead() : outer_(innermost) { innermost = this; }
FilesRead::~FilesRead() { innermost = outer_; }

void FilesRead::note(const std::filesystem::path& file) {
  if (innermost == nullptr) return;
  std::error_code none;
  auto path = std::filesystem::absolute(file, none).lexically_normal();
  if (std::ranges::count(innermost->files_, path) == 0)
    innermost->files_.push_back(std::move(path));
}

}  // namespace handspan
