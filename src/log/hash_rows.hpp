#pragma once
// How a log holds the hashes of ticks: 24 bits of each, quantity after quantity, since what does
// not change then packs to nothing. A difference goes unseen in its own tick once in 2^24 times.
#include <span>
#include <vector>

#include "record/messages.hpp"
#include "session/session.hpp"

namespace handspan {

/// What of a hash is in a log.
inline constexpr std::uint32_t kHashBits = 0xFFFFFF;

/// The message of ticks from `first_tick` on.
messages::TickHashes packed_hashes(std::uint64_t first_tick, std::span<const TickHashes> rows);
/// How many ticks a message has. Nothing is known of its sizes; 0: none, or it is damaged.
std::size_t hashed_ticks(const messages::TickHashes& message);
/// Its rows, in the order of ticks; the message has kQuantities.
std::vector<TickHashes> hash_rows(const messages::TickHashes& message);

}  // namespace handspan
