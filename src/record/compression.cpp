#include "record/compression.hpp"

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "core/error.hpp"

namespace handspan {

namespace {

void check(std::size_t result) {
  if (ZSTD_isError(result) != 0)
    throw InputError(fmt::format("compressing failed ({}); see that there is memory",
                                 ZSTD_getErrorName(result)));
}

}  // namespace

struct Compressor::Impl {
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context{ZSTD_createCCtx(), ZSTD_freeCCtx};

  void set(ZSTD_cParameter parameter, int value) const {
    check(ZSTD_CCtx_setParameter(context.get(), parameter, value));
  }
};

Compressor::Compressor(int level) : impl_(new Impl) {
  if (level < 1 || level > 19)
    throw InputError(fmt::format("zstd level is {}; it must be 1 to 19", level));
  impl_->set(ZSTD_c_compressionLevel, level);
  if (level < 16) return;
  impl_->set(ZSTD_c_minMatch, 3);
  impl_->set(ZSTD_c_searchLog, 1);
  impl_->set(ZSTD_c_targetLength, 32);
}

Compressor::~Compressor() = default;
Compressor::Compressor(Compressor&&) noexcept = default;
Compressor& Compressor::operator=(Compressor&&) noexcept = default;

void Compressor::append(ByteSpan bytes, Bytes& out, std::span<const std::size_t> parts) {
  constexpr std::size_t kPart = 64;  // what the end of a part may add
  const std::size_t before = out.size();
  out.resize(before + ZSTD_compressBound(bytes.size()) + kPart * parts.size());
  ZSTD_CCtx* context = impl_->context.get();
  check(ZSTD_CCtx_reset(context, ZSTD_reset_session_only));
  // the size is then stated in what comes out
  check(ZSTD_CCtx_setPledgedSrcSize(context, bytes.size()));
  ZSTD_outBuffer to{out.data() + before, out.size() - before, 0};
  std::size_t start = 0;
  const auto put = [&](std::size_t end, ZSTD_EndDirective how) {
    ZSTD_inBuffer from{bytes.data() + start, end - start, 0};
    std::size_t left = 0;
    do {
      left = ZSTD_compressStream2(context, &to, &from, how);
      check(left);
      // there is room for all of it: never without an end
      if (left != 0 && to.pos == to.size)
        check(static_cast<std::size_t>(-ZSTD_error_dstSize_tooSmall));
    } while (left != 0);
    start = end;
  };
  for (const std::size_t end : parts) put(end, ZSTD_e_flush);
  put(bytes.size(), ZSTD_e_end);
  out.resize(before + to.pos);
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
  // what is not zstd, or holds more than stated, is known before there is room for it
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
