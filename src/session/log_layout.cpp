#include "session/log_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "record/bytes.hpp"

namespace handspan {

std::string topic_of(std::string_view channel) {
  std::string topic = "/" + std::string(channel);
  std::ranges::replace(topic, '.', '/');
  return topic;
}

std::string checksum_of(const McapMap& about) {
  Bytes bytes;
  for (const auto& [key, value] : about) {
    if (key == kChecksumKey) continue;
    put_text(bytes, key);
    put_text(bytes, value);
  }
  return fmt::format("{:08x}", crc32_of(bytes));
}

}  // namespace handspan
