// An MCAP file without a summary, or damaged, read through from its beginning.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "record/compression.hpp"
#include "record/mcap_reader_impl.hpp"

namespace handspan {
namespace {

struct Head {
  McapRecord kind{};
  std::uint64_t content = 0;  // bytes
  std::uint64_t size() const { return kMcapRecordHead + content; }
};

class Scan {
 public:
  Scan(const ByteSource& source, McapIndex& index)
      : source_(source), index_(index), search_left_(16 * source.size() + kMostDecompressed) {}

  void run();

 private:
  std::optional<Head> head_at(std::uint64_t at) const;
  void record(std::uint64_t at, const Head& head);
  void chunk(std::uint64_t at, const Head& head);
  void loose_message(std::uint64_t at, const Head& head, ByteSpan content);
  void attachment(std::uint64_t at, ByteSpan content);
  std::uint64_t after_damage(std::uint64_t at, const std::string& cause);
  bool chunk_holds(std::uint64_t at, const Head& head);
  std::optional<std::uint64_t> next_chunk(std::uint64_t from);
  void check_end(std::uint64_t at);
  void bound_losses();

  const ByteSource& source_;
  McapIndex& index_;
  // bytes that may still be looked at for a chunk after damage: heads inside one another, each up
  // to the file's end, would make the search quadratic
  std::uint64_t search_left_ = 0;
};

// the head of a record that fits the file; none where there is no such
std::optional<Head> Scan::head_at(std::uint64_t at) const {
  if (at > source_.size() || source_.size() - at < kMcapRecordHead) return {};
  const Bytes bytes = source_.read(at, kMcapRecordHead);
  ByteCursor cursor(bytes);
  Head head;
  head.kind = static_cast<McapRecord>(cursor.get<std::uint8_t>());
  head.content = cursor.get<std::uint64_t>();
  if (head.kind == McapRecord{} || head.content > source_.size() - at - kMcapRecordHead) return {};
  return head;
}

void Scan::run() {
  index_.read_through = true;
  const std::string before = index_.damage;
  std::uint64_t at = kMcapMagic.size();
  bool ended = false;
  while (!ended && at < source_.size()) {
    const std::optional<Head> head = head_at(at);
    if (!head) {
      at = after_damage(at, "no whole record begins here");
      continue;
    }
    if (head->kind == McapRecord::kDataEnd || head->kind == McapRecord::kFooter) {
      ended = true;
      break;
    }
    try {
      record(at, *head);
      at += head->size();
    } catch (const BytesError& error) {
      // its length is trusted if a record follows it
      const std::uint64_t next = at + head->size();
      if (next == source_.size() || head_at(next)) {
        index_.lose(at,
                    fmt::format("{}; lost: this record of {} bytes", error.what(), head->size()));
        if (head->kind == McapRecord::kChunk || head->kind == McapRecord::kMessage)
          index_.losses.push_back({at, head->size()});
        at = next;
      } else {
        at = after_damage(at, error.what());
      }
    }
  }
  if (ended) {
    check_data(source_, at, index_);
    check_end(at);
  }
  if (!ended && index_.damage == before)
    index_.lose(source_.size(),
                "the file ends without its closing records: the recording was ended hard; lost: "
                "what was not yet written");
  for (const auto& [id, messages] : index_.statistics.channel_messages)
    if (!index_.channel_of_id.contains(id)) {
      index_.lose(source_.size(),
                  fmt::format("lost: {} messages of channel {}, which the file does not describe",
                              messages, id));
      index_.losses.push_back({source_.size(), 0});
    }
  std::erase_if(index_.statistics.channel_messages, [&](const auto& count) {
    if (index_.channel_of_id.contains(count.first)) return false;
    index_.statistics.messages -= count.second;
    return true;
  });
  bound_losses();
  index_.statistics.schemas = static_cast<std::uint16_t>(index_.schemas.size());
  index_.statistics.channels = static_cast<std::uint32_t>(index_.channels.size());
  index_.complete = index_.damage.empty();
}

void Scan::record(std::uint64_t at, const Head& head) {
  if (head.kind == McapRecord::kChunk) return chunk(at, head);
  // an index of messages is not needed by who has read the messages
  if (head.kind == McapRecord::kMessageIndex) return;
  const Bytes content = source_.read(at + kMcapRecordHead, head.content);
  ByteCursor cursor(content);
  switch (head.kind) {
    case McapRecord::kHeader:
      index_.profile = cursor.text();
      index_.library = cursor.text();
      break;
    case McapRecord::kSchema:
      add_schema(index_, parse_schema(content));
      break;
    case McapRecord::kChannel:
      add_channel(index_, parse_channel(content));
      break;
    case McapRecord::kMessage:
      loose_message(at, head, content);
      break;
    case McapRecord::kAttachment:
      attachment(at, content);
      break;
    case McapRecord::kMetadata: {
      McapMetadataInfo info{cursor.text(), at};
      parse_metadata(content);
      index_.metadata.push_back(std::move(info));
      ++index_.statistics.metadata;
      break;
    }
    default:  // of a later version
      break;
  }
}

void Scan::chunk(std::uint64_t at, const Head& head) {
  McapBlock block{at, head.size(), false, 0, 0};
  const Bytes records = read_block(source_, block);
  // all of it is understood before any of it counts
  std::vector<McapMessage> messages;
  for_each_record(records, [&](McapRecord kind, ByteSpan content, std::uint64_t) {
    if (kind == McapRecord::kSchema) add_schema(index_, parse_schema(content));
    if (kind == McapRecord::kChannel) add_channel(index_, parse_channel(content));
    if (kind == McapRecord::kMessage) messages.push_back(parse_message(content));
  });
  ++index_.statistics.chunks;
  if (messages.empty()) return;
  for (const McapMessage& message : messages) index_.count(message);
  const auto [first, last] = std::ranges::minmax(messages, {}, &McapMessage::log_time);
  block.first = first.log_time;
  block.last = last.log_time;
  index_.blocks.push_back(block);
}

void Scan::loose_message(std::uint64_t at, const Head& head, ByteSpan content) {
  constexpr std::uint64_t kMost = 1U << 20U;
  const McapMessage message = parse_message(content);
  index_.count(message);
  const bool follows = !index_.blocks.empty() && index_.blocks.back().loose &&
                       index_.blocks.back().offset + index_.blocks.back().size == at &&
                       index_.blocks.back().size < kMost;
  if (!follows) index_.blocks.push_back({at, 0, true, message.log_time, message.log_time});
  McapBlock& block = index_.blocks.back();
  block.size += head.size();
  block.first = std::min(block.first, message.log_time);
  block.last = std::max(block.last, message.log_time);
}

void Scan::attachment(std::uint64_t at, ByteSpan content) {
  McapAttachmentInfo info;
  const McapAttachment all = parse_attachment(content);
  info.name = all.name;
  info.media_type = all.media_type;
  info.log_time = all.log_time;
  info.create_time = all.create_time;
  info.size = all.bytes.size();
  info.offset = at;
  index_.attachments.push_back(std::move(info));
  ++index_.statistics.attachments;
}

// notes what is lost from `at`, and gives the place where reading goes on
std::uint64_t Scan::after_damage(std::uint64_t at, const std::string& cause) {
  const std::uint64_t next = next_chunk(at + 1).value_or(source_.size());
  // a file that ends in the middle of a record is cut: it had no more
  if (next != source_.size()) index_.losses.push_back({at, next - at});
  index_.lose(at, next == source_.size()
                      ? fmt::format("{}; lost: the last {} bytes", cause, next - at)
                      : fmt::format("{}; lost: {} bytes, up to the next chunk that holds", cause,
                                    next - at));
  return next;
}

bool Scan::chunk_holds(std::uint64_t at, const Head& head) {
  constexpr std::uint64_t kFixed = 40;  // its fields before the records, without texts
  if (head.content < kFixed) return false;
  try {
    const Bytes start =
        source_.read(at + kMcapRecordHead, std::min<std::uint64_t>(head.content, 64));
    ByteCursor cursor(start);
    cursor.take(2 * sizeof(std::uint64_t));
    const auto content = cursor.get<std::uint64_t>();
    // without a checksum any bytes might pass
    if (cursor.get<std::uint32_t>() == 0) return false;
    const std::string compression = cursor.text();
    if (compression != "zstd" && !compression.empty()) return false;
    if (cursor.get<std::uint64_t>() != head.content - kFixed - compression.size()) return false;
    if (content > kMostDecompressed) return false;
    search_left_ -= std::min(search_left_, head.size() + content);
    read_block(source_, {at, head.size(), false, 0, 0});
    return true;
  } catch (const BytesError&) {
    return false;
  }
}

std::optional<std::uint64_t> Scan::next_chunk(std::uint64_t from) {
  constexpr std::uint64_t kWindow = 1U << 20U;
  for (std::uint64_t at = from; at < source_.size(); at += kWindow) {
    const Bytes window = source_.read(at, std::min(kWindow, source_.size() - at));
    for (std::uint64_t i = 0; i < window.size(); ++i) {
      if (static_cast<McapRecord>(window[i]) != McapRecord::kChunk) continue;
      if (search_left_ == 0) return {};
      const std::optional<Head> head = head_at(at + i);
      if (head && chunk_holds(at + i, *head)) return at + i;
    }
  }
  return {};
}

// what is lost was recorded after what is before it and before what follows it
void Scan::bound_losses() {
  for (McapLoss& loss : index_.losses)
    for (const McapBlock& block : index_.blocks) {
      if (block.offset < loss.offset) loss.from = std::max(loss.from, block.last);
      if (block.offset > loss.offset) {
        loss.to = std::max(loss.from, block.first);
        break;
      }
    }
}

// the data have ended where they should: is the rest there?
void Scan::check_end(std::uint64_t at) {
  const auto magic = std::as_bytes(std::span(kMcapMagic));
  if (source_.size() - at >= magic.size() &&
      std::ranges::equal(source_.read(source_.size() - magic.size(), magic.size()), magic))
    return;
  index_.note(at, "the file's closing records are cut off; no message is lost");
}

}  // namespace

void index_by_reading(const ByteSource& source, McapIndex& index) { Scan(source, index).run(); }

}  // namespace handspan
