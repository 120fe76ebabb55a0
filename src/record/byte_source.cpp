#include "record/byte_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/files_read.hpp"

namespace handspan {
namespace {

class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path) : ByteSource(path.string()) {
    // a pipe would block until somebody writes to it
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0)
      throw InputError(
          fmt::format("{}: cannot be read ({}); see that it is there and yours to read",
                      printable(name()), std::strerror(errno)));
    struct stat about{};
    if (::fstat(descriptor_, &about) != 0 || !S_ISREG(about.st_mode)) {
      ::close(descriptor_);
      throw InputError(fmt::format("{}: is not a plain file; name a log", printable(name())));
    }
    size_ = static_cast<std::uint64_t>(about.st_size);
    InputsRead::note(path);
  }
  ~FileSource() override { ::close(descriptor_); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::uint64_t size() const override { return size_; }

 private:
  void fill(std::uint64_t offset, std::span<std::byte> out) const override {
    while (!out.empty()) {
      const ssize_t count =
          ::pread(descriptor_, out.data(), std::min(out.size(), kMost), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0)
        throw InputError(fmt::format("{}: byte {}: cannot be read ({}); copy it to another disk",
                                     printable(name()), offset,
                                     count < 0 ? std::strerror(errno) : "it became shorter"));
      out = out.subspan(static_cast<std::size_t>(count));
      offset += static_cast<std::uint64_t>(count);
    }
  }

  // the system gives at most 2 GiB at once
  static constexpr std::size_t kMost = std::size_t{1} << 30U;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

class MemorySource : public ByteSource {
 public:
  MemorySource(Bytes bytes, std::string name)
      : ByteSource(std::move(name)), bytes_(std::move(bytes)) {}
  std::uint64_t size() const override { return bytes_.size(); }

 private:
  void fill(std::uint64_t offset, std::span<std::byte> out) const override {
    if (!out.empty()) std::memcpy(out.data(), bytes_.data() + offset, out.size());
  }
  Bytes bytes_;
};

}  // namespace

std::unique_ptr<ByteSource> ByteSource::file(const std::filesystem::path& path) {
  return std::make_unique<FileSource>(path);
}

std::unique_ptr<ByteSource> ByteSource::memory(Bytes bytes, std::string name) {
  return std::make_unique<MemorySource>(std::move(bytes), std::move(name));
}

Bytes ByteSource::read(std::uint64_t offset, std::uint64_t size) const {
  if (offset > this->size() || size > this->size() - offset)
    throw BytesError(
        fmt::format("{} bytes from byte {} are not in the file's {}", size, offset, this->size()));
  Bytes bytes(static_cast<std::size_t>(size));
  fill(offset, bytes);
  return bytes;
}

}  // namespace handspan
