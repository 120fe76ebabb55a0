#include "record/bytes.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <utility>

namespace handspan {

void put_map(Bytes& out, const std::map<std::string, std::string>& map) {
  std::size_t size = 0;
  for (const auto& [key, value] : map) size += 8 + key.size() + value.size();
  put(out, static_cast<std::uint32_t>(size));
  for (const auto& [key, value] : map) {
    put_text(out, key);
    put_text(out, value);
  }
}

std::uint32_t crc32_of(ByteSpan bytes, std::uint32_t crc) {
  // zlib gives the first value, not the sum so far, for a null pointer
  if (bytes.empty()) return crc;
  return static_cast<std::uint32_t>(
      crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

ByteSpan ByteCursor::take(std::uint64_t size) {
  if (size > left())
    throw BytesError(
        fmt::format("a field of {} bytes does not fit the {} that are left", size, left()));
  const ByteSpan taken = bytes_.subspan(position_, static_cast<std::size_t>(size));
  position_ += taken.size();
  return taken;
}

std::string ByteCursor::text() { return std::string(text_of(take(get<std::uint32_t>()))); }

std::map<std::string, std::string> ByteCursor::map() {
  ByteCursor pairs(take(get<std::uint32_t>()));
  std::map<std::string, std::string> map;
  while (!pairs.done()) {
    std::string key = pairs.text();
    map.insert_or_assign(std::move(key), pairs.text());
  }
  return map;
}

}  // namespace handspan
