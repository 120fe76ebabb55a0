// One file, since it is one function for each record of the format, around one open chunk.
#include "record/mcap_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/escape.hpp"
#include "record/compression.hpp"
#include "record/output_file.hpp"

namespace handspan {
namespace {

constexpr std::size_t kMostIds = 0xFFFF;

// a record with its head: the length is set by close()
class Record {
 public:
  Record(Bytes& out, McapRecord kind) : out_(out), start_(out.size()) {
    put(out_, static_cast<std::uint8_t>(kind));
    put(out_, std::uint64_t{0});
  }
  void close() const {
    const std::uint64_t size = out_.size() - start_ - kMcapRecordHead;
    std::memcpy(out_.data() + start_ + 1, &size, sizeof size);
  }

 private:
  Bytes& out_;
  std::size_t start_;
};

void put_schema(Bytes& out, const McapSchema& schema) {
  const Record record(out, McapRecord::kSchema);
  put(out, schema.id);
  put_text(out, schema.name);
  put_text(out, schema.encoding);
  put_text(out, schema.text);
  record.close();
}

void put_channel(Bytes& out, const McapChannel& channel) {
  const Record record(out, McapRecord::kChannel);
  put(out, channel.id);
  put(out, channel.schema);
  put_text(out, channel.topic);
  put_text(out, channel.encoding);
  put_map(out, channel.metadata);
  record.close();
}

void put_statistics(Bytes& out, const McapStatistics& statistics) {
  const Record record(out, McapRecord::kStatistics);
  put(out, statistics.messages);
  put(out, statistics.schemas);
  put(out, statistics.channels);
  put(out, statistics.attachments);
  put(out, statistics.metadata);
  put(out, statistics.chunks);
  put(out, statistics.first_time);
  put(out, statistics.last_time);
  put(out, static_cast<std::uint32_t>(10 * statistics.channel_messages.size()));
  for (const auto& [channel, count] : statistics.channel_messages) {
    put(out, channel);
    put(out, count);
  }
  record.close();
}

struct Group {
  McapRecord kind;
  std::uint64_t start;
  std::uint64_t size;
};

}  // namespace

struct McapWriter::Impl {
  // where a message is in the open chunk
  struct Entry {
    Nanoseconds log_time;
    std::uint64_t offset;
  };

  explicit Impl(const std::filesystem::path& path, const McapOptions& wanted)
      : options(wanted), file(path) {
    if (options.zstd_level != 0) compressor.emplace(options.zstd_level);
  }

  [[noreturn]] void refuse(const std::string& cause) const {
    throw InputError(fmt::format("{}: {}", printable(file.name()), cause));
  }

  void check_open() const {
    if (finished) refuse("is finished; nothing more can be written");
  }

  // writes what is in `scratch` and empties it; @return where it is in the file
  std::uint64_t flush_scratch() {
    const std::uint64_t at = file.size();
    file.append(scratch);
    data_crc = crc32_of(scratch, data_crc);
    scratch.clear();
    return at;
  }

  void put_attachment(const McapAttachment& attachment);
  void put_metadata(const std::string& name, const McapMap& map);
  void put_copies();
  void sort_by_channel();
  void close_chunk();
  void write_summary();

  McapOptions options;
  OutputFile file;
  std::optional<Compressor> compressor;
  bool finished = false;
  McapStatistics statistics;
  std::vector<McapSchema> schemas;    // id is the index + 1
  std::vector<McapChannel> channels;  // id is the index

  Bytes chunk;                     // records of the open chunk
  Bytes sorted;                    // the same, channel after channel
  std::vector<std::size_t> parts;  // ends of runs of channels in it
  Nanoseconds chunk_first = 0, chunk_last = 0;
  std::vector<std::vector<Entry>> entries;  // of the open chunk, a list a channel

  // what is to be written a second time
  std::vector<McapAttachment> attachment_copies;
  std::vector<std::pair<std::string, McapMap>> metadata_copies;

  Bytes scratch;               // records on their way to the file
  std::uint32_t data_crc = 0;  // of all that is in the file
  Bytes chunk_indexes;         // records of the summary
  Bytes attachment_indexes;
  Bytes metadata_indexes;
};

// what follows one another in a channel is alike, and near for the compressor
void McapWriter::Impl::sort_by_channel() {
  constexpr std::size_t kPart = 8000;  // worth codes of its own
  sorted.clear();
  parts.clear();
  std::size_t start = 0;  // of the channel before
  const auto next_channel = [&] {
    // small channels share a part
    const std::size_t part = parts.empty() ? 0 : parts.back();
    if (start > part && sorted.size() - part > kPart) parts.push_back(start);
    start = sorted.size();
  };
  for (auto& channel : entries) {
    next_channel();
    for (Entry& entry : channel) {
      ByteCursor head(ByteSpan(chunk).subspan(entry.offset + 1));
      const std::size_t size = kMcapRecordHead + head.get<std::uint64_t>();
      const std::uint64_t at = sorted.size();
      put_bytes(sorted, ByteSpan(chunk).subspan(entry.offset, size));
      entry.offset = at;
    }
  }
  next_channel();
  std::swap(chunk, sorted);
}

void McapWriter::Impl::close_chunk() {
  if (chunk.empty()) return;
  if (options.by_channel) sort_by_channel();
  scratch.clear();
  const Record record(scratch, McapRecord::kChunk);
  put(scratch, chunk_first);
  put(scratch, chunk_last);
  put(scratch, static_cast<std::uint64_t>(chunk.size()));
  put(scratch, crc32_of(chunk));
  const std::string compression = compressor ? "zstd" : "";
  put_text(scratch, compression);
  const std::size_t size_at = scratch.size();
  put(scratch, std::uint64_t{0});
  if (compressor)
    compressor->append(chunk, scratch, parts);
  else
    put_bytes(scratch, chunk);
  const std::uint64_t compressed = scratch.size() - size_at - sizeof(std::uint64_t);
  std::memcpy(scratch.data() + size_at, &compressed, sizeof compressed);
  record.close();

  const std::uint64_t chunk_at = file.size(), chunk_size = scratch.size();
  Bytes offsets;
  for (std::size_t channel = 0; channel < entries.size(); ++channel) {
    if (entries[channel].empty()) continue;
    put(offsets, static_cast<std::uint16_t>(channel));
    put(offsets, chunk_at + scratch.size());
    const Record index(scratch, McapRecord::kMessageIndex);
    put(scratch, static_cast<std::uint16_t>(channel));
    put(scratch, static_cast<std::uint32_t>(16 * entries[channel].size()));
    for (const Entry& entry : entries[channel]) {
      put(scratch, entry.log_time);
      put(scratch, entry.offset);
    }
    index.close();
    entries[channel].clear();
  }
  const std::uint64_t indexes_size = scratch.size() - chunk_size;
  const std::uint64_t uncompressed = chunk.size();
  chunk.clear();
  flush_scratch();

  ++statistics.chunks;
  const Record index(chunk_indexes, McapRecord::kChunkIndex);
  put(chunk_indexes, chunk_first);
  put(chunk_indexes, chunk_last);
  put(chunk_indexes, chunk_at);
  put(chunk_indexes, chunk_size);
  put(chunk_indexes, static_cast<std::uint32_t>(offsets.size()));
  put_bytes(chunk_indexes, offsets);
  put(chunk_indexes, indexes_size);
  put_text(chunk_indexes, compression);
  put(chunk_indexes, compressed);
  put(chunk_indexes, uncompressed);
  index.close();
  put_copies();
}

void McapWriter::Impl::put_copies() {
  for (const McapAttachment& attachment : std::exchange(attachment_copies, {}))
    put_attachment(attachment);
  for (const auto& [name, map] : std::exchange(metadata_copies, {})) put_metadata(name, map);
}

void McapWriter::Impl::write_summary() {
  {
    const Record end(scratch, McapRecord::kDataEnd);
    put(scratch, data_crc);
    end.close();
  }
  const std::uint64_t base = file.size();
  const std::size_t summary_at = scratch.size();
  std::vector<Group> groups;
  const auto group = [&](McapRecord kind, const auto& fill) {
    const std::size_t start = scratch.size();
    fill();
    if (scratch.size() > start) groups.push_back({kind, base + start, scratch.size() - start});
  };
  group(McapRecord::kSchema, [&] {
    for (const auto& schema : schemas) put_schema(scratch, schema);
  });
  group(McapRecord::kChannel, [&] {
    for (const auto& channel : channels) put_channel(scratch, channel);
  });
  group(McapRecord::kStatistics, [&] { put_statistics(scratch, statistics); });
  group(McapRecord::kChunkIndex, [&] { put_bytes(scratch, chunk_indexes); });
  group(McapRecord::kAttachmentIndex, [&] { put_bytes(scratch, attachment_indexes); });
  group(McapRecord::kMetadataIndex, [&] { put_bytes(scratch, metadata_indexes); });

  const std::size_t offsets_at = scratch.size();
  for (const Group& one : groups) {
    const Record record(scratch, McapRecord::kSummaryOffset);
    put(scratch, static_cast<std::uint8_t>(one.kind));
    put(scratch, one.start);
    put(scratch, one.size);
    record.close();
  }
  // the checksum covers the summary and the footer up to itself
  put(scratch, static_cast<std::uint8_t>(McapRecord::kFooter));
  put(scratch, std::uint64_t{20});
  put(scratch, base + summary_at);
  put(scratch, base + offsets_at);
  put(scratch, crc32_of(ByteSpan(scratch).subspan(summary_at)));
  put_bytes(scratch, std::as_bytes(std::span(kMcapMagic)));
  flush_scratch();
}

McapWriter::McapWriter(const std::filesystem::path& path, const McapOptions& options)
    : impl_(std::make_unique<Impl>(path, options)) {
  Bytes& out = impl_->scratch;
  put_bytes(out, std::as_bytes(std::span(kMcapMagic)));
  const Record header(out, McapRecord::kHeader);
  put_text(out, options.profile);
  put_text(out, "handspan " HANDSPAN_VERSION);
  header.close();
  impl_->flush_scratch();
}

McapWriter::~McapWriter() = default;
McapWriter::McapWriter(McapWriter&&) noexcept = default;
McapWriter& McapWriter::operator=(McapWriter&&) noexcept = default;

std::uint16_t McapWriter::add_schema(const std::string& name, const std::string& encoding,
                                     const std::string& text) {
  impl_->check_open();
  const auto same = std::ranges::find_if(impl_->schemas, [&](const McapSchema& schema) {
    return schema.name == name && schema.encoding == encoding && schema.text == text;
  });
  if (same != impl_->schemas.end()) return same->id;
  if (impl_->schemas.size() == kMostIds) impl_->refuse("has 65535 schemas; MCAP has no more ids");
  const auto id = static_cast<std::uint16_t>(impl_->schemas.size() + 1);
  const McapSchema schema{id, name, encoding, text};
  // outside of chunks: they are read without decompressing, and are there from the start
  put_schema(impl_->scratch, schema);
  impl_->flush_scratch();
  impl_->schemas.push_back(schema);
  ++impl_->statistics.schemas;
  return id;
}

std::uint16_t McapWriter::add_channel(const std::string& topic, std::uint16_t schema,
                                      const McapMap& metadata, const std::string& encoding) {
  impl_->check_open();
  if (schema > impl_->schemas.size())
    impl_->refuse(fmt::format("channel {}: there is no schema {}", shown(topic), schema));
  if (impl_->channels.size() == kMostIds) impl_->refuse("has 65535 channels; MCAP has no more ids");
  const auto id = static_cast<std::uint16_t>(impl_->channels.size());
  const McapChannel channel{id, schema, topic, encoding, metadata};
  put_channel(impl_->scratch, channel);
  impl_->flush_scratch();
  impl_->channels.push_back(channel);
  impl_->entries.emplace_back();
  impl_->statistics.channel_messages[id] = 0;
  ++impl_->statistics.channels;
  return id;
}

void McapWriter::write(const McapMessage& message) {
  Impl& impl = *impl_;
  impl.check_open();
  if (message.channel >= impl.channels.size())
    impl.refuse(fmt::format("a message is of channel {}, which there is not", message.channel));
  if (message.log_time < 0)
    impl.refuse(fmt::format("log time of {} is {} ns; MCAP knows times >= 0 only",
                            shown(impl.channels[message.channel].topic), message.log_time));
  if (impl.chunk.empty()) impl.chunk_first = impl.chunk_last = message.log_time;
  impl.chunk_first = std::min(impl.chunk_first, message.log_time);
  impl.chunk_last = std::max(impl.chunk_last, message.log_time);
  impl.entries[message.channel].push_back({message.log_time, impl.chunk.size()});

  put(impl.chunk, static_cast<std::uint8_t>(McapRecord::kMessage));
  put(impl.chunk, static_cast<std::uint64_t>(22 + message.bytes.size()));
  put(impl.chunk, message.channel);
  put(impl.chunk, message.sequence);
  put(impl.chunk, message.log_time);
  put(impl.chunk, message.publish_time);
  put_bytes(impl.chunk, message.bytes);

  McapStatistics& all = impl.statistics;
  if (all.messages == 0) all.first_time = all.last_time = message.log_time;
  all.first_time = std::min(all.first_time, message.log_time);
  all.last_time = std::max(all.last_time, message.log_time);
  ++all.messages;
  ++all.channel_messages[message.channel];
  if (impl.chunk.size() >= impl.options.chunk_bytes ||
      impl.chunk_last - impl.chunk_first >= impl.options.chunk_time)
    impl.close_chunk();
}

void McapWriter::attach(const McapAttachment& attachment) {
  impl_->check_open();
  impl_->put_attachment(attachment);
  if (impl_->options.twice) impl_->attachment_copies.push_back(attachment);
}

void McapWriter::metadata(const std::string& name, const McapMap& map) {
  impl_->check_open();
  impl_->put_metadata(name, map);
  if (impl_->options.twice) impl_->metadata_copies.emplace_back(name, map);
}

void McapWriter::Impl::put_attachment(const McapAttachment& attachment) {
  Bytes& out = scratch;
  const Record record(out, McapRecord::kAttachment);
  put(out, attachment.log_time);
  put(out, attachment.create_time);
  put_text(out, attachment.name);
  put_text(out, attachment.media_type);
  put(out, static_cast<std::uint64_t>(attachment.bytes.size()));
  put_bytes(out, attachment.bytes);
  put(out, crc32_of(ByteSpan(out).subspan(kMcapRecordHead)));
  record.close();
  const std::uint64_t size = out.size(), at = flush_scratch();

  Bytes& summary = attachment_indexes;
  const Record index(summary, McapRecord::kAttachmentIndex);
  put(summary, at);
  put(summary, size);
  put(summary, attachment.log_time);
  put(summary, attachment.create_time);
  put(summary, static_cast<std::uint64_t>(attachment.bytes.size()));
  put_text(summary, attachment.name);
  put_text(summary, attachment.media_type);
  index.close();
  ++statistics.attachments;
}

void McapWriter::Impl::put_metadata(const std::string& name, const McapMap& map) {
  const Record record(scratch, McapRecord::kMetadata);
  put_text(scratch, name);
  put_map(scratch, map);
  record.close();
  const std::uint64_t size = scratch.size(), at = flush_scratch();

  const Record index(metadata_indexes, McapRecord::kMetadataIndex);
  put(metadata_indexes, at);
  put(metadata_indexes, size);
  put_text(metadata_indexes, name);
  index.close();
  ++statistics.metadata;
}

void McapWriter::close_chunk() {
  impl_->check_open();
  impl_->close_chunk();
}

void McapWriter::finish() {
  impl_->check_open();
  impl_->close_chunk();
  impl_->put_copies();
  impl_->write_summary();
  impl_->finished = true;
  impl_->file.close();
}

std::uint64_t McapWriter::bytes() const { return impl_->file.size(); }
std::size_t McapWriter::open_bytes() const { return impl_->chunk.size(); }
const McapStatistics& McapWriter::statistics() const { return impl_->statistics; }

}  // namespace handspan
