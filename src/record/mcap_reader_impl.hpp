#pragma once

// What is where in an MCAP file: taken from its summary, or found by reading it through. Inside
// src/record; McapReader is what others use.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "record/byte_source.hpp"
#include "record/mcap.hpp"
#include "record/mcap_reader.hpp"

namespace handspan {

/// A run of records with messages: a chunk, or messages outside of chunks that follow each other.
struct McapBlock {
  std::uint64_t offset = 0;  // of the chunk's record, or of the first loose record
  std::uint64_t size = 0;    // in the file, with the head of a chunk's record
  bool loose = false;        // no chunk
  Nanoseconds first = 0;     // the least log time in it [ns]
  Nanoseconds last = 0;      // the greatest
};

struct McapIndex {
  std::string profile;
  std::string library;
  std::vector<McapSchema> schemas;
  std::vector<McapChannel> channels;
  std::unordered_map<std::uint16_t, std::size_t> schema_of_id, channel_of_id;
  std::vector<McapBlock> blocks;  // in the order of the file
  std::vector<McapAttachmentInfo> attachments;
  std::vector<McapMetadataInfo> metadata;
  McapStatistics statistics;
  bool complete = false;
  bool read_through = false;     // every block was checked
  std::string damage;            // a line a finding
  std::vector<McapLoss> losses;  // in the order of the file
  std::uint64_t data_end = 0;    // where the data's closing record is, by the summary

  bool lacking = false;  // some of what is damaged was lost by it

  /// One more line of `damage`: "byte 123: cause".
  void note(std::uint64_t offset, const std::string& cause);
  /// The same, of what can no more be read.
  void lose(std::uint64_t offset, const std::string& cause);

  /// Counts a message that can be read.
  void count(const McapMessage& message);
};

/// By the summary where `how` allows and there is one that holds, else by reading; checked as `how`
/// asks. Throws as McapReader's constructor does.
McapIndex index_mcap(const ByteSource& source, McapReader::Open how);

// ---- parts of it, each in a file of its own

/// Whether the file ends with a summary that tells all; then `index` has it. A damaged one is
/// noted.
bool index_by_summary(const ByteSource& source, McapIndex& index);

/// Reads the file record by record from after its magic.
void index_by_reading(const ByteSource& source, McapIndex& index);

/// Reads all that the index has, leaves out of it what is damaged, and counts what is left.
void check_all(const ByteSource& source, McapIndex& index);

/// Notes it when the checksum of the data, whose closing record is at `end`, is not theirs although
/// nothing was found damaged.
void check_data(const ByteSource& source, std::uint64_t end, McapIndex& index);

/// What was lost of a file, as its repaired copy keeps it; and back into the index of that copy.
McapMap repaired_metadata(const McapReader& reader);
void add_repaired(McapIndex& index, const McapMap& map);

/// A block's records, decompressed and checked. Throws BytesError when they are damaged, InputError
/// when their compression is not read here.
Bytes read_block(const ByteSource& source, const McapBlock& block);

/// The records in a chunk's content, in a summary or in loose bytes: kind, content, offset of its
/// head. Throws BytesError when a record does not fit.
void for_each_record(ByteSpan records,
                     const std::function<void(McapRecord, ByteSpan, std::uint64_t)>& visit);

// Parsers of records' contents: throw BytesError. Bytes after the fields they know are of later
// versions, and are let be.
McapSchema parse_schema(ByteSpan content);
McapChannel parse_channel(ByteSpan content);
McapMessage parse_message(ByteSpan content);

/// The attachment, its checksum verified.
McapAttachment parse_attachment(ByteSpan content);

/// The content of the record at `offset`. Throws BytesError when it is of another kind, or none.
Bytes content_at(const ByteSource& source, std::uint64_t offset, McapRecord kind);

/// What a metadata record says; where it has a checksum, that is verified.
McapMap parse_metadata(ByteSpan content);

/// A time as MCAP has it. Throws BytesError from year 2262 on, which 63 bits of nanoseconds do not
/// reach.
Nanoseconds parse_time(ByteCursor& cursor);

/// Adds it, or says by BytesError that its id is in use for another.
void add_schema(McapIndex& index, McapSchema schema);
void add_channel(McapIndex& index, McapChannel channel);

}  // namespace handspan
