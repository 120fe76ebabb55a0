#pragma once

// Zstandard, for the chunks of a log.

#include <cstdint>
#include <memory>
#include <span>

#include "record/bytes.hpp"

namespace handspan {

/// Compresses one run of bytes after the other with the same memory.
class Compressor {
 public:
  /// `level`: 1 (quick) to 19 (small). From 16 on it weighs every match by its exact price, and
  /// searches less for them than zstd's own levels: in rows of doubles there is little to find.
  /// Throws InputError when it is another.
  explicit Compressor(int level);
  ~Compressor();
  Compressor(Compressor&&) noexcept;
  Compressor& operator=(Compressor&&) noexcept;

  /// Appends the compressed `bytes` to `out`. `parts` are where in them parts end that differ in
  /// kind, rising: each gets codes of its own.
  void append(ByteSpan bytes, Bytes& out, std::span<const std::size_t> parts = {});

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
