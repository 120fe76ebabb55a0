#pragma once

// Zstandard, for the chunks of a log.

#include <cstdint>
#include <memory>

#include "record/bytes.hpp"

namespace handspan {

/// Compresses one run of bytes after the other with the same memory.
class Compressor {
 public:
  /// `level`: 1 (quick) to 19 (small). Throws InputError when it is another.
  explicit Compressor(int level);
  ~Compressor();
  Compressor(Compressor&&) noexcept;
  Compressor& operator=(Compressor&&) noexcept;

  /// Appends the compressed `bytes` to `out`.
  void append(ByteSpan bytes, Bytes& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The most that is decompressed at once: chunks are about 1 MB, those of others seldom over 100.
inline constexpr std::uint64_t kMostDecompressed = std::uint64_t{1} << 30U;

/// The `size` bytes that were compressed to `bytes`. Throws BytesError when they are damaged, not
/// as many, or more than kMostDecompressed. Allocates at most what so few compressed bytes can
/// hold.
Bytes decompress(ByteSpan bytes, std::uint64_t size);

}  // namespace handspan
