#include "core/own_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace handspan {

bool write_own_file(const std::filesystem::path& file, const std::string& text, mode_t mode) {
  if (::unlink(file.c_str()) != 0 && errno != ENOENT) return false;
  const int made = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  bool whole = made >= 0 && ::fchmod(made, mode) == 0;
  for (std::size_t at = 0; whole && at < text.size();) {
    const ssize_t count = ::write(made, text.data() + at, text.size() - at);
    if (count < 0 && errno == EINTR) continue;
    whole = count > 0;
    if (whole) at += static_cast<std::size_t>(count);
  }
  if (made >= 0) whole = ::close(made) == 0 && whole;
  return whole;
}

}  // namespace handspan
