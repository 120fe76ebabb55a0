// An MCAP file that was opened by its summary, read through: what of it holds.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "record/mcap_reader_impl.hpp"

namespace handspan {
namespace {

constexpr char kLossKey[] = "loss.", kWordsKey[] = "words";

// @return its messages; throws BytesError
std::vector<McapMessage> messages_of(const McapIndex& index, const McapBlock& block,
                                     ByteSpan records) {
  std::vector<McapMessage> messages;
  for_each_record(records, [&](McapRecord kind, ByteSpan content, std::uint64_t) {
    if (kind != McapRecord::kMessage) return;
    const McapMessage message = parse_message(content);
    if (message.log_time < block.first || message.log_time > block.last)
      throw BytesError("a message's time is outside of those that the index has for its chunk");
    if (!index.channel_of_id.contains(message.channel))
      throw BytesError(fmt::format("a message is of channel {}, which the file does not describe",
                                   message.channel));
    messages.push_back(message);
  });
  return messages;
}

void check_blocks(const ByteSource& source, McapIndex& index) {
  McapStatistics& all = index.statistics;
  all.messages = 0;
  all.first_time = all.last_time = 0;
  for (auto& [channel, count] : all.channel_messages) count = 0;
  std::erase_if(index.blocks, [&](const McapBlock& block) {
    try {
      const Bytes records = read_block(source, block);
      for (const McapMessage& message : messages_of(index, block, records)) index.count(message);
      return false;
    } catch (const BytesError& error) {
      index.lose(block.offset,
                 fmt::format("{}; lost: the chunk's messages, from {:.3f} s to {:.3f} s",
                             error.what(), seconds(block.first), seconds(block.last)));
      index.losses.push_back({block.offset, block.size, block.first, block.last});
      return true;
    }
  });
  all.chunks = static_cast<std::uint32_t>(index.blocks.size());
}

// leaves out what `parse` refuses; a second copy under the same name stands for the first
template <class Info, class Parse>
void check_records(std::vector<Info>& all, const char* what, McapIndex& index, const Parse& parse) {
  std::vector<std::pair<Info, std::string>> damaged;
  std::erase_if(all, [&](const Info& info) {
    try {
      parse(info);
      return false;
    } catch (const BytesError& error) {
      damaged.emplace_back(info, error.what());
      return true;
    }
  });
  for (const auto& [info, cause] : damaged) {
    const std::string of = fmt::format("{} {}: {}; ", what, info.name, cause);
    if (std::ranges::count(all, info.name, &Info::name) > 0)
      index.note(info.offset, of + "nothing is lost: its other copy holds");
    else
      index.lose(info.offset, of + "lost: this " + what);
  }
}

}  // namespace

void check_all(const ByteSource& source, McapIndex& index) {
  check_blocks(source, index);
  check_records(index.attachments, "attachment", index, [&](const McapAttachmentInfo& info) {
    parse_attachment(content_at(source, info.offset, McapRecord::kAttachment));
  });
  check_records(index.metadata, "metadata", index, [&](const McapMetadataInfo& info) {
    parse_metadata(content_at(source, info.offset, McapRecord::kMetadata));
  });
  index.statistics.attachments = static_cast<std::uint32_t>(index.attachments.size());
  index.statistics.metadata = static_cast<std::uint32_t>(index.metadata.size());
  check_data(source, index.data_end, index);
  index.read_through = true;
}

void check_data(const ByteSource& source, std::uint64_t end, McapIndex& index) {
  if (!index.damage.empty()) return;
  constexpr std::uint64_t kPart = 1U << 20U;
  try {
    const Bytes content = content_at(source, end, McapRecord::kDataEnd);
    ByteCursor cursor(content);
    if (content.size() != sizeof(std::uint32_t)) throw BytesError("its size is another");
    const auto crc = cursor.get<std::uint32_t>();
    if (crc == 0) return;  // whoever wrote it made none
    std::uint32_t is = 0;
    for (std::uint64_t at = 0; at < end; at += kPart)
      is = crc32_of(source.read(at, std::min(kPart, end - at)), is);
    if (is != crc)
      index.note(end,
                 "the checksum of all data is not theirs, and each chunk and attachment has its "
                 "own: a record between them is damaged; nothing is lost that is read by the "
                 "summary");
  } catch (const BytesError& error) {
    index.note(end, fmt::format("the data have no end ({}); nothing is lost by it", error.what()));
  }
}

McapMap repaired_metadata(const McapReader& reader) {
  McapMap map = {{kWordsKey, reader.damage()}};
  for (std::size_t i = 0; i < reader.losses().size(); ++i) {
    const McapLoss& loss = reader.losses()[i];
    map[kLossKey + std::to_string(i)] =
        fmt::format("{} {} {} {}", loss.offset, loss.size, loss.from, loss.to);
  }
  return map;
}

void add_repaired(McapIndex& index, const McapMap& map) {
  const auto words = map.find(kWordsKey);
  if (!index.damage.empty()) index.damage += '\n';
  index.damage += "it is a repaired copy of a damaged file, which had lost this:\n";
  if (words != map.end()) index.damage += words->second;
  for (const auto& [key, text] : map) {
    if (!key.starts_with(kLossKey)) continue;
    McapLoss loss;
    const char *at = text.data(), *const end = at + text.size();
    bool whole = true;
    const auto number = [&](auto& value) {
      const auto [after, error] = std::from_chars(at, end, value);
      whole = whole && error == std::errc{};
      at = after < end ? after + 1 : end;
    };
    number(loss.offset);
    number(loss.size);
    number(loss.from);
    number(loss.to);
    // numbers that are damaged say the least: it may be anywhere
    index.losses.push_back(whole ? loss : McapLoss{});
  }
  index.complete = false;
  index.lacking = true;
}

}  // namespace handspan
