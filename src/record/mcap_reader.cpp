#include "record/mcap_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <utility>

#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/suggest.hpp"
#include "record/byte_source.hpp"
#include "record/mcap_reader_impl.hpp"

namespace handspan {
namespace {

// bytes of chunks that overlap in time, and are therefore in memory together
constexpr std::uint64_t kMostOpen = std::uint64_t{1} << 30U;

struct Entry {
  Nanoseconds log_time;
  std::uint64_t offset;
};

// a block that is being read
struct OpenBlock {
  std::size_t order = 0;  // in the file
  Bytes records;
  std::vector<Entry> entries;  // of wanted messages, by log time
  std::size_t next = 0;
};

// the earliest message is at the top
struct Later {
  bool operator()(const OpenBlock* a, const OpenBlock* b) const {
    const Nanoseconds ta = a->entries[a->next].log_time, tb = b->entries[b->next].log_time;
    return ta != tb ? ta > tb : a->order > b->order;
  }
};

}  // namespace

struct McapReader::Impl {
  Impl(std::unique_ptr<ByteSource> from, Open how)
      : source(std::move(from)), index(index_mcap(*source, how)) {}

  [[noreturn]] void refuse(std::uint64_t offset, const std::string& cause) const {
    throw InputError(
        fmt::format("{}: byte {}: {}; the file is damaged: a repaired copy keeps the rest",
                    printable(source->name()), offset, cause));
  }

  std::vector<const McapChannel*> chosen(const McapQuery& query) const;
  std::unique_ptr<OpenBlock> open(const McapBlock& block, std::size_t order, const McapQuery& query,
                                  const std::vector<const McapChannel*>& wanted) const;

  std::unique_ptr<ByteSource> source;
  McapIndex index;
};

McapReader::McapReader(const std::filesystem::path& path, Open how)
    : McapReader(std::make_unique<Impl>(ByteSource::file(path), how)) {}
McapReader::McapReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {
  // what a repaired copy says of its original
  const auto repaired = std::ranges::find(metadata(), kRepairedMetadata, &McapMetadataInfo::name);
  if (repaired != metadata().end()) add_repaired(impl_->index, metadata(*repaired));
}
McapReader::~McapReader() = default;
McapReader::McapReader(McapReader&&) noexcept = default;
McapReader& McapReader::operator=(McapReader&&) noexcept = default;

McapReader McapReader::of_bytes(Bytes bytes, const std::string& name, Open how) {
  return McapReader(std::make_unique<Impl>(ByteSource::memory(std::move(bytes), name), how));
}

bool McapReader::complete() const { return impl_->index.complete; }
const std::string& McapReader::damage() const { return impl_->index.damage; }
bool McapReader::lacking() const { return impl_->index.lacking; }
const std::vector<McapLoss>& McapReader::losses() const { return impl_->index.losses; }
const std::string& McapReader::profile() const { return impl_->index.profile; }
const std::string& McapReader::library() const { return impl_->index.library; }
const std::vector<McapSchema>& McapReader::schemas() const { return impl_->index.schemas; }
const std::vector<McapChannel>& McapReader::channels() const { return impl_->index.channels; }
const McapStatistics& McapReader::statistics() const { return impl_->index.statistics; }
const std::vector<McapAttachmentInfo>& McapReader::attachments() const {
  return impl_->index.attachments;
}
const std::vector<McapMetadataInfo>& McapReader::metadata() const { return impl_->index.metadata; }

const McapSchema* McapReader::schema(std::uint16_t id) const {
  const auto found = impl_->index.schema_of_id.find(id);
  return found == impl_->index.schema_of_id.end() ? nullptr : &impl_->index.schemas[found->second];
}

const McapChannel* McapReader::channel(const std::string& topic) const {
  const auto found = std::ranges::find(impl_->index.channels, topic, &McapChannel::topic);
  return found == impl_->index.channels.end() ? nullptr : &*found;
}

McapAttachment McapReader::attachment(const McapAttachmentInfo& info) const {
  try {
    return parse_attachment(content_at(*impl_->source, info.offset, McapRecord::kAttachment));
  } catch (const BytesError& error) {
    impl_->refuse(info.offset,
                  fmt::format("attachment {}: {}", printable(info.name), error.what()));
  }
}

std::optional<McapAttachment> McapReader::attachment(const std::string& name) const {
  const auto& all = impl_->index.attachments;
  const auto found = std::find_if(
      all.rbegin(), all.rend(), [&](const McapAttachmentInfo& info) { return info.name == name; });
  if (found == all.rend()) return {};
  return attachment(*found);
}

McapMap McapReader::metadata(const McapMetadataInfo& info) const {
  try {
    return parse_metadata(content_at(*impl_->source, info.offset, McapRecord::kMetadata));
  } catch (const BytesError& error) {
    impl_->refuse(info.offset, fmt::format("metadata {}: {}", shown(info.name), error.what()));
  }
}

std::optional<McapMap> McapReader::metadata(const std::string& name) const {
  const auto& all = impl_->index.metadata;
  const auto found = std::find_if(all.rbegin(), all.rend(),
                                  [&](const McapMetadataInfo& info) { return info.name == name; });
  if (found == all.rend()) return {};
  return metadata(*found);
}

// the channels of the query's topics by id; null for the others
std::vector<const McapChannel*> McapReader::Impl::chosen(const McapQuery& query) const {
  std::size_t ids = 0;
  for (const McapChannel& channel : index.channels)
    ids = std::max(ids, channel.id + std::size_t{1});
  std::vector<const McapChannel*> wanted(ids, nullptr);
  for (const McapChannel& channel : index.channels)
    if (query.topics.empty() || std::ranges::count(query.topics, channel.topic) != 0)
      wanted[channel.id] = &channel;
  for (const std::string& topic : query.topics) {
    if (std::ranges::count(index.channels, topic, &McapChannel::topic) != 0) continue;
    std::vector<std::string> topics;
    for (const McapChannel& channel : index.channels) topics.push_back(channel.topic);
    throw InputError(fmt::format("{}: there is no topic {}; {}", printable(source->name()),
                                 shown(topic), did_you_mean(topic, topics, "it has")));
  }
  return wanted;
}

std::unique_ptr<OpenBlock> McapReader::Impl::open(
    const McapBlock& block, std::size_t order, const McapQuery& query,
    const std::vector<const McapChannel*>& wanted) const {
  auto opened = std::make_unique<OpenBlock>();
  opened->order = order;
  try {
    opened->records = read_block(*source, block);
    for_each_record(opened->records, [&](McapRecord kind, ByteSpan content, std::uint64_t at) {
      if (kind != McapRecord::kMessage) return;
      const McapMessage message = parse_message(content);
      if (message.log_time < block.first || message.log_time > block.last)
        throw BytesError("a message's time is outside of those that the index has for its chunk");
      if (!index.channel_of_id.contains(message.channel) && !index.read_through)
        throw BytesError(fmt::format("a message is of channel {}, which the file does not describe",
                                     message.channel));
      if (message.channel >= wanted.size() || wanted[message.channel] == nullptr) return;
      if (message.log_time < query.from || message.log_time > query.to) return;
      opened->entries.push_back({message.log_time, at});
    });
  } catch (const BytesError& error) {
    refuse(block.offset, error.what());
  }
  std::ranges::sort(opened->entries, {},
                    [](const Entry& entry) { return std::pair(entry.log_time, entry.offset); });
  return opened;
}

void McapReader::messages(const McapQuery& query, const Visit& visit) const {
  const auto wanted = impl_->chosen(query);
  const auto& blocks = impl_->index.blocks;
  std::vector<std::size_t> due;  // blocks in question, by their first time
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (blocks[i].first <= query.to && blocks[i].last >= query.from) due.push_back(i);
  std::ranges::sort(due, {}, [&](std::size_t i) { return std::pair(blocks[i].first, i); });

  std::vector<std::unique_ptr<OpenBlock>> opened(blocks.size());  // by their order in the file
  std::priority_queue<OpenBlock*, std::vector<OpenBlock*>, Later> heads;
  std::uint64_t bytes = 0;
  for (std::size_t next = 0; next < due.size() || !heads.empty();) {
    // whatever may come before the earliest message so far
    while (next < due.size() &&
           (heads.empty() ||
            blocks[due[next]].first <= heads.top()->entries[heads.top()->next].log_time)) {
      auto block = impl_->open(blocks[due[next]], due[next], query, wanted);
      if (!block->entries.empty()) {
        bytes += block->records.size();
        if (bytes > kMostOpen)
          impl_->refuse(blocks[due[next]].offset, "more than 1 GiB of chunks overlap in time");
        heads.push(block.get());
        opened[due[next]] = std::move(block);
      }
      ++next;
    }
    if (heads.empty()) return;
    OpenBlock& block = *heads.top();
    heads.pop();
    const ByteSpan record = ByteSpan(block.records).subspan(block.entries[block.next].offset);
    ByteCursor cursor(record.subspan(1));
    const auto size = cursor.get<std::uint64_t>();
    const McapMessage message = parse_message(cursor.take(size));
    if (!visit(*wanted[message.channel], message)) return;
    if (++block.next < block.entries.size()) {
      heads.push(&block);
    } else {
      bytes -= block.records.size();
      opened[block.order].reset();
    }
  }
}

}  // namespace handspan
