#pragma once

// Little-endian fields in a run of bytes, as MCAP's records are made of: appended, and read with
// every size checked before it is used.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace handspan {

static_assert(std::endian::native == std::endian::little,
              "numbers are copied as they lie in memory");

using Bytes = std::vector<std::byte>;
using ByteSpan = std::span<const std::byte>;

/// The bytes of a text.
inline ByteSpan bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

/// The text of some bytes.
inline std::string_view text_of(ByteSpan bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <std::integral T>
void put(Bytes& out, T value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), first, first + sizeof(T));
}

inline void put_bytes(Bytes& out, ByteSpan bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

/// Its length as 32 bits, then the text. Its size must fit 32 bits.
inline void put_text(Bytes& out, std::string_view text) {
  put(out, static_cast<std::uint32_t>(text.size()));
  put_bytes(out, bytes_of(text));
}

/// The length in bytes as 32 bits, then the pairs.
void put_map(Bytes& out, const std::map<std::string, std::string>& map);

/// CRC-32 (ISO 3309, as zlib's) of `bytes`, going on from `crc`.
std::uint32_t crc32_of(ByteSpan bytes, std::uint32_t crc = 0);

/// Bytes that do not say what they should. Inside src/record: who knows the file adds the place.
class BytesError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads fields one after the other. Throws BytesError ("ends within ...") when they do not
/// suffice; allocates never more than there are bytes.
class ByteCursor {
 public:
  explicit ByteCursor(ByteSpan bytes) : bytes_(bytes) {}

  std::size_t position() const { return position_; }
  std::size_t left() const { return bytes_.size() - position_; }
  bool done() const { return left() == 0; }

  template <std::integral T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  /// The next `size` bytes, which stay where they are.
  ByteSpan take(std::uint64_t size);

  /// What put_text and put_map wrote. A key that comes twice keeps its last value.
  std::string text();
  std::map<std::string, std::string> map();

 private:
  ByteSpan bytes_;
  std::size_t position_ = 0;
};

}  // namespace handspan
