#include "record/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.hpp"
#include "core/escape.hpp"

namespace handspan {
namespace {

std::string hint_of(int error, const std::filesystem::path& path) {
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return fmt::format("make the folder {} first", printable(folder));
    case EACCES:
    case EPERM:
    case EROFS:
      return "name a place where you may write";
    case EISDIR:
      return "name a file in it";
    case ENOSPC:
    case EDQUOT:
      return "free some space, or record to another disk";
    case EFBIG:
      return "raise the limit on the size of files (ulimit -f)";
    case EMFILE:
    case ENFILE:
      return "close some files, or raise the limit on open ones (ulimit -n)";
    default:
      return "see that the disk is well, or record to another one";
  }
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path) : name_(path.string()) {
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor_ >= 0) return;
  const int error = errno;
  throw InputError(fmt::format("{}: cannot be written ({}); {}", printable(name_),
                               std::strerror(error), hint_of(error, path)));
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::append(ByteSpan bytes) {
  if (!failure_.empty()) throw InputError(failure_);
  if (descriptor_ < 0)
    throw InputError(fmt::format("{}: is closed; nothing more can be written", printable(name_)));
  std::size_t written = 0;
  while (written < bytes.size()) {
    // the system takes at most 2 GiB at once
    const std::size_t size = std::min(bytes.size() - written, std::size_t{1} << 30U);
    const ssize_t count = ::write(descriptor_, bytes.data() + written, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail(count < 0 ? errno : ENOSPC);
    written += static_cast<std::size_t>(count);
  }
  // a file that has no name any more takes all that is written, and nobody finds it
  if (!is_there()) {
    failure_ = fmt::format(
        "{}: is not there any more after {} bytes (removed or moved, or its disk was taken off); "
        "record to a folder that stays",
        printable(name_), size_);
    throw InputError(failure_);
  }
  size_ += bytes.size();
}

bool OutputFile::is_there() const {
  struct stat open{}, named{};
  return ::fstat(descriptor_, &open) == 0 && ::stat(name_.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

void OutputFile::fail(int error) {
  failure_ = fmt::format("{}: writing failed after {} bytes ({}); {}", printable(name_), size_,
                         std::strerror(error), hint_of(error, name_));
  // a reader finds whole records only; on a device that cannot be cut there is nothing to read
  if (::ftruncate(descriptor_, static_cast<off_t>(size_)) == 0)
    ::lseek(descriptor_, static_cast<off_t>(size_), SEEK_SET);
  throw InputError(failure_);
}

void OutputFile::close() {
  if (descriptor_ < 0) return;
  const int result = ::close(descriptor_);
  const int error = errno;
  descriptor_ = -1;
  if (result != 0 && error != EINTR && failure_.empty())
    throw InputError(fmt::format("{}: closing failed ({}); {}", printable(name_),
                                 std::strerror(error), hint_of(error, name_)));
}

}  // namespace handspan
