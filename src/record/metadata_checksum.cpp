#include "record/metadata_checksum.hpp"

#include <fmt/format.h>

#include "record/bytes.hpp"

namespace handspan {

std::string checksum_of(const McapMap& map) {
  Bytes bytes;
  for (const auto& [key, value] : map) {
    if (key == kChecksumKey) continue;
    put_text(bytes, key);
    put_text(bytes, value);
  }
  return fmt::format("{:08x}", crc32_of(bytes));
}

bool checksum_holds(const McapMap& map) {
  const auto checksum = map.find(kChecksumKey);
  return checksum == map.end() || checksum->second == checksum_of(map);
}

}  // namespace handspan
