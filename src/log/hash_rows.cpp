#include "log/hash_rows.hpp"

namespace handspan {
namespace {

constexpr std::size_t kBytes = 3;  // a hash

}  // namespace

messages::TickHashes packed_hashes(std::uint64_t first_tick, std::span<const TickHashes> rows) {
  messages::TickHashes message{first_tick, kQuantities, {}};
  message.hashes.reserve(kBytes * kQuantities * rows.size());
  for (std::size_t q = 0; q < kQuantities; ++q)
    for (const TickHashes& row : rows)
      for (std::size_t byte = 0; byte < kBytes; ++byte)
        message.hashes.push_back(static_cast<std::uint8_t>(row[q] >> (8 * byte)));
  return message;
}

std::size_t hashed_ticks(const messages::TickHashes& message) {
  const std::size_t tick = kBytes * std::size_t{message.quantities};
  return tick == 0 || message.hashes.size() % tick != 0 ? 0 : message.hashes.size() / tick;
}

std::vector<TickHashes> hash_rows(const messages::TickHashes& message) {
  std::vector<TickHashes> rows(hashed_ticks(message), TickHashes{});
  std::size_t at = 0;
  for (std::size_t q = 0; q < kQuantities; ++q)
    for (TickHashes& row : rows)
      for (std::size_t byte = 0; byte < kBytes; ++byte)
        row[q] |= static_cast<std::uint32_t>(message.hashes[at++]) << (8 * byte);
  return rows;
}

}  // namespace handspan
