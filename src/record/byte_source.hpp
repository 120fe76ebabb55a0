#pragma once

// Bytes at any place: of a file, or of memory.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "record/bytes.hpp"

namespace handspan {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Opens a file. Throws InputError (path, cause, hint) when it is missing, is not a plain file or
  /// unreadable.
  static std::unique_ptr<ByteSource> file(const std::filesystem::path& path);

  /// Bytes in memory; `name` is said in messages.
  static std::unique_ptr<ByteSource> memory(Bytes bytes, std::string name);

  virtual std::uint64_t size() const = 0;
  const std::string& name() const { return name_; }

  /// `size` bytes from `offset`. Throws BytesError, before it allocates, when they are not within
  /// the size, and InputError when the system cannot read them.
  Bytes read(std::uint64_t offset, std::uint64_t size) const;

 protected:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}

 private:
  // fills `out` from `offset`; the range is within size()
  virtual void fill(std::uint64_t offset, std::span<std::byte> out) const = 0;

  std::string name_;
};

}  // namespace handspan
