#include "record/compression.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include "core/error.hpp"

namespace handspan {

struct Compressor::Impl {
  int level;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context{ZSTD_createCCtx(), ZSTD_freeCCtx};
};

Compressor::Compressor(int level) : impl_(new Impl{level}) {
  if (level < 1 || level > 19)
    throw InputError(fmt::format("zstd level is {}; it must be 1 to 19", level));
}

Compressor::~Compressor() = default;
Compressor::Compressor(Compressor&&) noexcept = default;
Compressor& Compressor::operator=(Compressor&&) noexcept = default;

void Compressor::append(ByteSpan bytes, Bytes& out) {
  const std::size_t before = out.size();
  out.resize(before + ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compressCCtx(impl_->context.get(), out.data() + before, out.size() - before,
                        bytes.data(), bytes.size(), impl_->level);
  if (ZSTD_isError(size) != 0)
    throw InputError(
        fmt::format("compressing failed ({}); see that there is memory", ZSTD_getErrorName(size)));
  out.resize(before + size);
}

Bytes decompress(ByteSpan bytes, std::uint64_t size) {
  // a block has at least 4 bytes and gives at most 128 KiB: more cannot be in so few
  constexpr std::uint64_t kBlock = 4, kBlockContent = 1U << 17U;
  if (size / kBlockContent > bytes.size() / kBlock)
    throw BytesError(fmt::format("{} bytes cannot be in {} compressed ones", size, bytes.size()));
  if (size > kMostDecompressed)
    throw BytesError(fmt::format("{} bytes are compressed in one piece; at most {} are read", size,
                                 kMostDecompressed));
  if (size == 0 && bytes.empty()) return {};
  // what is no zstd, or holds more than stated, is known before there is room for it
  const unsigned long long held = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (held == ZSTD_CONTENTSIZE_ERROR)
    throw BytesError("decompressing failed (the bytes are not of zstd)");
  if (held != ZSTD_CONTENTSIZE_UNKNOWN && held > size)
    throw BytesError(fmt::format("{} bytes were compressed, not the stated {}", held, size));
  Bytes content(static_cast<std::size_t>(size));
  const std::size_t got =
      ZSTD_decompress(content.data(), content.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(got) != 0)
    throw BytesError(fmt::format("decompressing failed ({})", ZSTD_getErrorName(got)));
  if (got != size)
    throw BytesError(fmt::format("{} bytes were compressed, not the stated {}", got, size));
  return content;
}

}  // namespace handspan
