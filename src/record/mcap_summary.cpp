// An MCAP file's summary, which its last 37 bytes point to.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "record/mcap_reader_impl.hpp"

namespace handspan {
namespace {

constexpr std::uint64_t kFooterContent = 20;
constexpr std::uint64_t kFooterSize = kMcapRecordHead + kFooterContent;

McapBlock parse_chunk_index(ByteSpan content) {
  ByteCursor cursor(content);
  McapBlock block;
  block.first = parse_time(cursor);
  block.last = parse_time(cursor);
  block.offset = cursor.get<std::uint64_t>();
  block.size = cursor.get<std::uint64_t>();
  return block;
}

McapStatistics parse_statistics(ByteSpan content) {
  ByteCursor cursor(content);
  McapStatistics statistics;
  statistics.messages = cursor.get<std::uint64_t>();
  statistics.schemas = cursor.get<std::uint16_t>();
  statistics.channels = cursor.get<std::uint32_t>();
  statistics.attachments = cursor.get<std::uint32_t>();
  statistics.metadata = cursor.get<std::uint32_t>();
  statistics.chunks = cursor.get<std::uint32_t>();
  statistics.first_time = parse_time(cursor);
  statistics.last_time = parse_time(cursor);
  ByteCursor counts(cursor.take(cursor.get<std::uint32_t>()));
  while (!counts.done()) {
    const auto channel = counts.get<std::uint16_t>();
    statistics.channel_messages[channel] = counts.get<std::uint64_t>();
  }
  return statistics;
}

McapAttachmentInfo parse_attachment_index(ByteSpan content) {
  ByteCursor cursor(content);
  McapAttachmentInfo info;
  info.offset = cursor.get<std::uint64_t>();
  cursor.get<std::uint64_t>();  // the record's size, which the record itself has
  info.log_time = static_cast<Nanoseconds>(cursor.get<std::uint64_t>());
  info.create_time = static_cast<Nanoseconds>(cursor.get<std::uint64_t>());
  info.size = cursor.get<std::uint64_t>();
  info.name = cursor.text();
  info.media_type = cursor.text();
  return info;
}

void parse_summary(ByteSpan records, McapIndex& index, std::optional<McapStatistics>& statistics) {
  for_each_record(records, [&](McapRecord kind, ByteSpan content, std::uint64_t) {
    switch (kind) {
      case McapRecord::kSchema:
        add_schema(index, parse_schema(content));
        break;
      case McapRecord::kChannel:
        add_channel(index, parse_channel(content));
        break;
      case McapRecord::kChunkIndex:
        index.blocks.push_back(parse_chunk_index(content));
        break;
      case McapRecord::kStatistics:
        statistics = parse_statistics(content);
        break;
      case McapRecord::kAttachmentIndex:
        index.attachments.push_back(parse_attachment_index(content));
        break;
      case McapRecord::kMetadataIndex: {
        ByteCursor cursor(content);
        McapMetadataInfo info;
        info.offset = cursor.get<std::uint64_t>();
        cursor.get<std::uint64_t>();
        info.name = cursor.text();
        index.metadata.push_back(std::move(info));
        break;
      }
      default:
        break;
    }
  });
}

// a summary may leave things out; one that does is no help
bool tells_all(const McapIndex& index, const McapStatistics& counted) {
  return index.schemas.size() == counted.schemas && index.channels.size() == counted.channels &&
         index.attachments.size() == counted.attachments &&
         index.metadata.size() == counted.metadata && index.blocks.size() == counted.chunks &&
         (counted.messages == 0 || counted.chunks > 0);
}

// each chunk once, and before the summary: else messages would come twice; `blocks` by offset
void check_places(const std::vector<McapBlock>& blocks, std::uint64_t summary_at) {
  std::uint64_t end = kMcapMagic.size();
  for (const McapBlock& block : blocks) {
    if (block.offset < end)
      throw BytesError(fmt::format("the index has chunks that overlap at byte {}", block.offset));
    if (block.offset > summary_at || block.size > summary_at - block.offset)
      throw BytesError(fmt::format("the index has a chunk of {} bytes at byte {}, beyond the data",
                                   block.size, block.offset));
    end = block.offset + block.size;
  }
}

// the file's first record; nothing that is read depends on it
void read_header(const ByteSource& source, McapIndex& index) {
  const std::uint64_t at = kMcapMagic.size();
  try {
    const Bytes head = source.read(at, kMcapRecordHead);
    ByteCursor first(head);
    if (first.get<std::uint8_t>() != static_cast<std::uint8_t>(McapRecord::kHeader))
      throw BytesError("the file does not begin with a header");
    const Bytes header = source.read(at + kMcapRecordHead, first.get<std::uint64_t>());
    ByteCursor words(header);
    index.profile = words.text();
    index.library = words.text();
  } catch (const BytesError& error) {
    index.note(
        at, fmt::format("the file's header is damaged ({}); nothing is lost by it", error.what()));
  }
}

}  // namespace

bool index_by_summary(const ByteSource& source, McapIndex& index) {
  const std::uint64_t magic = kMcapMagic.size(), size = source.size();
  if (size < 2 * magic + kFooterSize) return false;
  const std::uint64_t footer_at = size - magic - kFooterSize;
  const Bytes tail = source.read(footer_at, kFooterSize + magic);
  if (!std::ranges::equal(ByteSpan(tail).last(kMcapMagic.size()),
                          std::as_bytes(std::span(kMcapMagic))))
    return false;
  try {
    ByteCursor footer(tail);
    if (footer.get<std::uint8_t>() != static_cast<std::uint8_t>(McapRecord::kFooter) ||
        footer.get<std::uint64_t>() != kFooterContent)
      throw BytesError("there is no footer before the file's end");
    const auto summary_at = footer.get<std::uint64_t>();
    footer.get<std::uint64_t>();  // where its parts are: all of them are read
    const auto crc = footer.get<std::uint32_t>();
    if (summary_at == 0) return false;
    if (summary_at > footer_at)
      throw BytesError(fmt::format("the footer has the summary at byte {}", summary_at));
    const Bytes summary = source.read(summary_at, footer_at - summary_at);
    const ByteSpan counted = ByteSpan(tail).first(kFooterSize - sizeof crc);
    if (crc != 0 && crc32_of(counted, crc32_of(summary)) != crc)
      throw BytesError("the summary's checksum is not that of its content");

    std::optional<McapStatistics> statistics;
    parse_summary(summary, index, statistics);
    if (!statistics || !tells_all(index, *statistics)) return false;
    std::ranges::sort(index.blocks, {}, &McapBlock::offset);
    check_places(index.blocks, summary_at);
    index.statistics = *std::move(statistics);

    constexpr std::uint64_t kDataEndSize = kMcapRecordHead + 4;
    index.data_end = summary_at - std::min(summary_at, kDataEndSize);
    read_header(source, index);
    return true;
  } catch (const BytesError& error) {
    index.note(
        footer_at,
        fmt::format("the summary is damaged ({}); the file is read through instead", error.what()));
    return false;
  }
}

}  // namespace handspan
