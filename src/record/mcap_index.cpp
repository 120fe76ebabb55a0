#include "record/mcap_reader_impl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <ranges>
#include <utility>

#include "core/error.hpp"
#include "core/escape.hpp"
#include "record/compression.hpp"
#include "record/metadata_checksum.hpp"

namespace handspan {

void McapIndex::note(std::uint64_t offset, const std::string& cause) {
  // a file of nothing but findings must not become a text that is larger than it
  constexpr std::size_t kMost = 16U << 10U;
  if (damage.size() > kMost) {
    if (!damage.ends_with("...")) damage += "\n...";
    return;
  }
  if (!damage.empty()) damage += '\n';
  damage += fmt::format("byte {}: {}", offset, cause);
}

void McapIndex::lose(std::uint64_t offset, const std::string& cause) {
  lacking = true;
  note(offset, cause);
}

void McapIndex::count(const McapMessage& message) {
  McapStatistics& all = statistics;
  if (all.messages == 0) all.first_time = all.last_time = message.log_time;
  all.first_time = std::min(all.first_time, message.log_time);
  all.last_time = std::max(all.last_time, message.log_time);
  ++all.messages;
  ++all.channel_messages[message.channel];
}

void for_each_record(ByteSpan records,
                     const std::function<void(McapRecord, ByteSpan, std::uint64_t)>& visit) {
  ByteCursor cursor(records);
  while (!cursor.done()) {
    const std::uint64_t at = cursor.position();
    const auto kind = static_cast<McapRecord>(cursor.get<std::uint8_t>());
    visit(kind, cursor.take(cursor.get<std::uint64_t>()), at);
  }
}

Nanoseconds parse_time(ByteCursor& cursor) {
  const auto time = cursor.get<std::uint64_t>();
  if (time > static_cast<std::uint64_t>(std::numeric_limits<Nanoseconds>::max()))
    throw BytesError(fmt::format("a time is {} ns, later than the year 2262", time));
  return static_cast<Nanoseconds>(time);
}

McapSchema parse_schema(ByteSpan content) {
  ByteCursor cursor(content);
  McapSchema schema;
  schema.id = cursor.get<std::uint16_t>();
  if (schema.id == 0) throw BytesError("a schema's id is 0, which stands for none");
  schema.name = cursor.text();
  schema.encoding = cursor.text();
  schema.text = cursor.text();
  return schema;
}

McapChannel parse_channel(ByteSpan content) {
  ByteCursor cursor(content);
  McapChannel channel;
  channel.id = cursor.get<std::uint16_t>();
  channel.schema = cursor.get<std::uint16_t>();
  channel.topic = cursor.text();
  channel.encoding = cursor.text();
  channel.metadata = cursor.map();
  return channel;
}

McapMessage parse_message(ByteSpan content) {
  ByteCursor cursor(content);
  McapMessage message;
  message.channel = cursor.get<std::uint16_t>();
  message.sequence = cursor.get<std::uint32_t>();
  message.log_time = parse_time(cursor);
  // a source's stamp may be anything, also one that stands for none
  message.publish_time = static_cast<Nanoseconds>(cursor.get<std::uint64_t>());
  message.bytes = cursor.take(cursor.left());
  return message;
}

McapAttachment parse_attachment(ByteSpan content) {
  ByteCursor cursor(content);
  McapAttachment attachment;
  attachment.log_time = static_cast<Nanoseconds>(cursor.get<std::uint64_t>());
  attachment.create_time = static_cast<Nanoseconds>(cursor.get<std::uint64_t>());
  attachment.name = cursor.text();
  attachment.media_type = cursor.text();
  const ByteSpan bytes = cursor.take(cursor.get<std::uint64_t>());
  const std::size_t size = cursor.position();
  if (const auto crc = cursor.get<std::uint32_t>();
      crc != 0 && crc != crc32_of(content.first(size)))
    throw BytesError("the attachment's checksum is not that of its content");
  attachment.bytes.assign(bytes.begin(), bytes.end());
  return attachment;
}

Bytes content_at(const ByteSource& source, std::uint64_t offset, McapRecord kind) {
  const Bytes head = source.read(offset, kMcapRecordHead);
  ByteCursor cursor(head);
  if (cursor.get<std::uint8_t>() != static_cast<std::uint8_t>(kind))
    throw BytesError("there is another record than the index has");
  return source.read(offset + kMcapRecordHead, cursor.get<std::uint64_t>());
}

McapMap parse_metadata(ByteSpan content) {
  ByteCursor cursor(content);
  cursor.text();
  McapMap map = cursor.map();
  if (!checksum_holds(map)) throw BytesError("the metadata's checksum is not that of its content");
  return map;
}

void add_schema(McapIndex& index, McapSchema schema) {
  const auto [same, added] = index.schema_of_id.try_emplace(schema.id, index.schemas.size());
  if (added)
    index.schemas.push_back(std::move(schema));
  else if (index.schemas[same->second] != schema)
    throw BytesError(fmt::format("schema {} is another than before under this id", schema.id));
}

void add_channel(McapIndex& index, McapChannel channel) {
  const auto [same, added] = index.channel_of_id.try_emplace(channel.id, index.channels.size());
  if (added)
    index.channels.push_back(std::move(channel));
  else if (index.channels[same->second] != channel)
    throw BytesError(fmt::format("channel {} is another than before under this id", channel.id));
}

Bytes read_block(const ByteSource& source, const McapBlock& block) {
  Bytes stored = source.read(block.offset, block.size);
  if (block.loose) return stored;
  ByteCursor cursor(stored);
  if (cursor.get<std::uint8_t>() != static_cast<std::uint8_t>(McapRecord::kChunk))
    throw BytesError("there is no chunk where the index has one");
  if (const auto length = cursor.get<std::uint64_t>(); length != cursor.left())
    throw BytesError(fmt::format("the chunk has {} bytes and not the {} that the index has", length,
                                 cursor.left()));
  cursor.take(2 * sizeof(std::uint64_t));  // times: the block's
  const auto size = cursor.get<std::uint64_t>();
  const auto crc = cursor.get<std::uint32_t>();
  const std::string compression = cursor.text();
  const ByteSpan compressed = cursor.take(cursor.get<std::uint64_t>());
  Bytes records;
  if (compression.empty()) {
    if (size != compressed.size())
      throw BytesError(fmt::format("the chunk has {} bytes, and says {}", compressed.size(), size));
    records.assign(compressed.begin(), compressed.end());
  } else if (compression == "zstd") {
    records = decompress(compressed, size);
  } else if (compression == "lz4") {
    throw InputError(
        fmt::format("{}: byte {}: a chunk is compressed with lz4, and zstd alone is read here; "
                    "convert it: mcap "
                    "compress {} -o OTHER.mcap --compression zstd",
                    printable(source.name()), block.offset, shell_word(source.name())));
  } else {
    throw BytesError(fmt::format("the chunk is compressed with '{}', which MCAP does not know",
                                 shown(compression)));
  }
  // 0: whoever wrote it made no checksum
  if (crc != 0 && crc32_of(records) != crc)
    throw BytesError("the chunk's checksum is not that of its content");
  return records;
}

McapIndex index_mcap(const ByteSource& source, McapReader::Open how) {
  const auto magic = std::as_bytes(std::span(kMcapMagic));
  const Bytes start = source.read(0, std::min<std::uint64_t>(source.size(), magic.size()));
  McapIndex index;
  if (!std::ranges::equal(start, magic)) {
    // a file with a wrong bit at its very beginning is still one
    const auto same = std::ranges::count_if(std::views::iota(std::size_t{0}, start.size()),
                                            [&](std::size_t i) { return start[i] == magic[i]; });
    if (start.size() < magic.size() || static_cast<std::size_t>(same) + 1 < magic.size())
      throw InputError(
          fmt::format("{}: byte 0: is not an MCAP file; name a log that handspan or another "
                      "program wrote as MCAP",
                      printable(source.name())));
    index.note(0, "the file's first bytes are not those of MCAP; nothing is lost by it");
  }
  const McapIndex before = index;
  if (how != McapReader::Open::kByReading && index_by_summary(source, index)) {
    if (how == McapReader::Open::kChecked) check_all(source, index);
    index.complete = index.damage.empty();
    return index;
  }
  // what was noted of the summary stays
  McapIndex read = before;
  read.damage = index.damage;
  index_by_reading(source, read);
  return read;
}

}  // namespace handspan
