// What parsers of MCAP's records take and refuse, byte by byte.
#include "record/mcap_reader_impl.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "core/error.hpp"
#include "record/metadata_checksum.hpp"
#include "record_support.hpp"

namespace handspan {
namespace mcap_index_test {

using test::error_of;

std::string bytes_error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const BytesError& error) {
    return error.what();
  }
  return "no error";
}

Bytes schema_bytes(std::uint16_t id, const std::string& name) {
  Bytes bytes;
  put(bytes, id);
  put_text(bytes, name);
  put_text(bytes, "ros2msg");
  put_text(bytes, "string data\n");
  return bytes;
}

Bytes attachment_bytes(const std::string& content, std::int32_t crc_off = 0, bool has_crc = true) {
  Bytes bytes;
  put(bytes, std::uint64_t{5});
  put(bytes, std::uint64_t{3});
  put_text(bytes, "app.yaml");
  put_text(bytes, "application/yaml");
  put(bytes, static_cast<std::uint64_t>(content.size()));
  put_bytes(bytes, bytes_of(content));
  put(bytes, has_crc ? crc32_of(bytes) + static_cast<std::uint32_t>(crc_off) : std::uint32_t{0});
  return bytes;
}

// a chunk's record
Bytes chunk_bytes(const std::string& records, const std::string& compression,
                  std::uint64_t said_size, std::uint32_t crc) {
  Bytes content;
  put(content, std::uint64_t{10});
  put(content, std::uint64_t{20});
  put(content, said_size);
  put(content, crc);
  put_text(content, compression);
  put(content, static_cast<std::uint64_t>(records.size()));
  put_bytes(content, bytes_of(records));
  Bytes bytes;
  put(bytes, static_cast<std::uint8_t>(McapRecord::kChunk));
  put(bytes, static_cast<std::uint64_t>(content.size()));
  put_bytes(bytes, content);
  return bytes;
}

TEST(McapIndex, EveryRecordThatIsCutIsRefusedAndBytesAfterItAreLetBe) {
  Bytes channel;
  put(channel, std::uint16_t{4});
  put(channel, std::uint16_t{0});
  put_text(channel, "/a");
  put_text(channel, "cdr");
  put_map(channel, {{"k", "v"}});
  const auto each = [](const Bytes& whole, const std::function<void(ByteSpan)>& parse) {
    for (std::size_t n = 0; n < whole.size(); ++n)
      EXPECT_NE(bytes_error_of([&] { parse(ByteSpan(whole).first(n)); }), "no error") << n;
    Bytes later = whole;
    put_text(later, "a field of a later version");
    EXPECT_EQ(bytes_error_of([&] { parse(later); }), "no error");
  };
  each(schema_bytes(3, "a/B"), [](ByteSpan bytes) {
    const McapSchema expected{3, "a/B", "ros2msg", "string data\n"};
    EXPECT_EQ(parse_schema(bytes), expected);
  });
  each(channel, [](ByteSpan bytes) {
    const McapChannel expected{4, 0, "/a", "cdr", {{"k", "v"}}};
    EXPECT_EQ(parse_channel(bytes), expected);
  });
  each(attachment_bytes("name: a\n"), [](ByteSpan bytes) {
    const McapAttachment read = parse_attachment(bytes);
    EXPECT_EQ(read.name, "app.yaml");
    EXPECT_EQ(read.media_type, "application/yaml");
    EXPECT_EQ(read.log_time, 5);
    EXPECT_EQ(read.create_time, 3);
    EXPECT_EQ(text_of(read.bytes), "name: a\n");
  });
}

TEST(McapIndex, AMessageMayBeEmptyAndItsStampAnything) {
  Bytes bytes;
  put(bytes, std::uint16_t{7});
  put(bytes, std::uint32_t{0xffffffffU});
  put(bytes, std::numeric_limits<std::int64_t>::max());
  put(bytes, std::int64_t{-1});
  const McapMessage message = parse_message(bytes);
  EXPECT_EQ(message.channel, 7);
  EXPECT_EQ(message.sequence, 0xffffffffU);
  EXPECT_EQ(message.log_time, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(message.publish_time, -1);
  EXPECT_TRUE(message.bytes.empty());
  for (std::size_t n = 0; n < bytes.size(); ++n)
    EXPECT_NE(bytes_error_of([&] { parse_message(ByteSpan(bytes).first(n)); }), "no error") << n;
}

TEST(McapIndex, ATimeIsOfSixtyThreeBits) {
  const auto time_of = [](std::uint64_t time) {
    Bytes bytes;
    put(bytes, time);
    ByteCursor cursor(bytes);
    return parse_time(cursor);
  };
  constexpr auto kLast = static_cast<std::uint64_t>(std::numeric_limits<Nanoseconds>::max());
  EXPECT_EQ(time_of(kLast), std::numeric_limits<Nanoseconds>::max());
  EXPECT_EQ(bytes_error_of([&] { time_of(kLast + 1); }),
            "a time is 9223372036854775808 ns, later than the year 2262");
}

TEST(McapIndex, ASchemaWithoutAnIdIsRefused) {
  EXPECT_EQ(bytes_error_of([] { parse_schema(schema_bytes(0, "a/B")); }),
            "a schema's id is 0, which stands for none");
}

TEST(McapIndex, AnAttachmentsChecksumIsVerifiedWhereItHasOne) {
  EXPECT_EQ(bytes_error_of([] { parse_attachment(attachment_bytes("x", 1)); }),
            "the attachment's checksum is not that of its content");
  EXPECT_EQ(text_of(parse_attachment(attachment_bytes("x", 0, false)).bytes), "x");
  const Bytes whole = attachment_bytes("name: a\n");
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    Bytes damaged = whole;
    damaged[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    EXPECT_NE(bytes_error_of([&] { parse_attachment(damaged); }), "no error") << "bit " << bit;
  }
}

TEST(McapIndex, MetadataWithAWrongChecksumIsRefused) {
  const auto metadata = [](const McapMap& map) {
    Bytes bytes;
    put_text(bytes, "handspan");
    put_map(bytes, map);
    return bytes;
  };
  McapMap map = {{"seed", "7"}};
  EXPECT_EQ(parse_metadata(metadata(map)), map);
  map[kChecksumKey] = checksum_of(map);
  EXPECT_EQ(parse_metadata(metadata(map)), map);
  map["seed"] = "8";
  EXPECT_EQ(bytes_error_of([&] { parse_metadata(metadata(map)); }),
            "the metadata's checksum is not that of its content");
}

TEST(McapIndex, AnIdStandsForOneSchemaAndOneChannel) {
  McapIndex index;
  const McapSchema schema{3, "a/B", "ros2msg", ""};
  add_schema(index, schema);
  add_schema(index, schema);
  EXPECT_EQ(index.schemas.size(), 1U);
  McapSchema other = schema;
  other.text = "x";
  EXPECT_EQ(bytes_error_of([&] { add_schema(index, other); }),
            "schema 3 is another than before under this id");
  other.id = 4;
  add_schema(index, other);
  EXPECT_EQ(index.schemas[index.schema_of_id.at(4)], other);
  const McapChannel channel{1, 3, "/a", "cdr", {}};
  add_channel(index, channel);
  add_channel(index, channel);
  EXPECT_EQ(index.channels.size(), 1U);
  McapChannel changed = channel;
  changed.metadata["k"] = "v";
  EXPECT_EQ(bytes_error_of([&] { add_channel(index, changed); }),
            "channel 1 is another than before under this id");
}

TEST(McapIndex, CountsMessagesAndTheTimesBetweenWhichTheyAre) {
  McapIndex index;
  for (const auto& [channel, time] :
       std::vector<std::pair<std::uint16_t, Nanoseconds>>{{2, 50}, {1, 30}, {2, 90}, {2, 40}})
    index.count({channel, 0, time, 0, {}});
  EXPECT_EQ(index.statistics.messages, 4U);
  EXPECT_EQ(index.statistics.first_time, 30);
  EXPECT_EQ(index.statistics.last_time, 90);
  EXPECT_EQ(index.statistics.channel_messages,
            (std::map<std::uint16_t, std::uint64_t>{{1, 1}, {2, 3}}));
}

TEST(McapIndex, FindingsAreLinesAndTheirTextHasAnEnd) {
  McapIndex index;
  index.note(12, "odd");
  EXPECT_FALSE(index.lacking);
  index.lose(34, "gone");
  EXPECT_TRUE(index.lacking);
  EXPECT_EQ(index.damage, "byte 12: odd\nbyte 34: gone");
  for (std::uint64_t i = 0; i < 100'000; ++i) index.lose(i, "one more finding");
  EXPECT_LT(index.damage.size(), 17U << 10U);
  EXPECT_TRUE(index.damage.ends_with("\n..."));
  EXPECT_FALSE(index.damage.ends_with("...\n..."));
}

TEST(McapIndex, RecordsAreVisitedWithTheirPlaces) {
  Bytes records;
  const auto record = [&](McapRecord kind, const std::string& content) {
    put(records, static_cast<std::uint8_t>(kind));
    put(records, static_cast<std::uint64_t>(content.size()));
    put_bytes(records, bytes_of(content));
  };
  record(McapRecord::kSchema, "abc");
  record(McapRecord::kMessage, "");
  record(McapRecord::kChannel, "d");
  std::ostringstream seen;
  const auto visit = [&](McapRecord kind, ByteSpan content, std::uint64_t at) {
    seen << static_cast<int>(kind) << text_of(content) << "@" << at << " ";
  };
  for_each_record(records, visit);
  EXPECT_EQ(seen.str(), "3abc@0 5@12 4d@21 ");
  for (std::size_t n = 22; n < records.size(); ++n)
    EXPECT_NE(bytes_error_of([&] { for_each_record(ByteSpan(records).first(n), visit); }),
              "no error");
  records[13] = std::byte{200};
  EXPECT_NE(bytes_error_of([&] { for_each_record(records, visit); }), "no error");
}

TEST(McapIndex, TheContentAtAPlaceIsOfTheKindThatIsAskedFor) {
  Bytes bytes(3);
  put_bytes(bytes, chunk_bytes("", "", 0, 0));
  const std::size_t size = bytes.size();
  const auto source = ByteSource::memory(bytes, "log.mcap");
  EXPECT_EQ(content_at(*source, 3, McapRecord::kChunk).size(), size - 3 - kMcapRecordHead);
  EXPECT_EQ(bytes_error_of([&] { content_at(*source, 3, McapRecord::kMetadata); }),
            "there is another record than the index has");
  EXPECT_NE(bytes_error_of([&] { content_at(*source, size - 2, McapRecord::kChunk); }), "no error");
}

TEST(McapIndex, ABlockIsWhatItsChunkSaysOrAnErrorWithTheCause) {
  const std::string records = "records of some kind";
  const auto read = [](const Bytes& file, std::uint64_t less = 0) {
    const auto source = ByteSource::memory(file, "log.mcap");
    const Bytes block = read_block(*source, {0, file.size() - less, false, 0, 0});
    return std::string(text_of(block));
  };
  const std::uint32_t crc = crc32_of(bytes_of(records));
  const auto n = records.size();
  EXPECT_EQ(read(chunk_bytes(records, "", n, crc)), records);
  EXPECT_EQ(read(chunk_bytes(records, "", n, 0)), records);  // no checksum was made
  EXPECT_EQ(bytes_error_of([&] { read(chunk_bytes(records, "", n, crc + 1)); }),
            "the chunk's checksum is not that of its content");
  EXPECT_EQ(bytes_error_of([&] { read(chunk_bytes(records, "", n + 1, crc)); }),
            "the chunk has 20 bytes, and says 21");
  EXPECT_EQ(bytes_error_of([&] { read(chunk_bytes(records, "brotli", n, crc)); }),
            "the chunk is compressed with 'brotli', which MCAP does not know");
  EXPECT_EQ(bytes_error_of([&] { read(chunk_bytes(records, "", n, crc), 1); }),
            "the chunk has 60 bytes and not the 59 that the index has");
  EXPECT_EQ(error_of([&] { read(chunk_bytes(records, "lz4", n, crc)); }),
            "log.mcap: byte 0: a chunk is compressed with lz4, and zstd alone is read here; "
            "convert it: mcap compress log.mcap -o OTHER.mcap --compression zstd");
  Bytes other = chunk_bytes(records, "", n, crc);
  other[0] = std::byte{5};
  EXPECT_EQ(bytes_error_of([&] { read(other); }), "there is no chunk where the index has one");
  // loose records are what they are
  const auto source = ByteSource::memory(other, "log.mcap");
  EXPECT_EQ(read_block(*source, {0, other.size(), true, 0, 0}), other);
}

// one wrong bit of the magic is let be and said; two are another file
TEST(McapIndex, OneWrongByteOfTheMagicIsStillALog) {
  const test::Folder folder;
  {
    McapWriter writer(folder / "log.mcap");
    test::write_turns(writer, 10);
    writer.finish();
  }
  const Bytes whole = test::file_bytes(folder / "log.mcap");
  for (std::size_t at = 0; at < kMcapMagic.size(); ++at) {
    Bytes damaged = whole;
    damaged[at] ^= std::byte{0x10};
    const McapIndex index =
        index_mcap(*ByteSource::memory(damaged, "log.mcap"), McapReader::Open::kBySummary);
    EXPECT_EQ(index.statistics.messages, 10U);
    EXPECT_FALSE(index.complete);
    EXPECT_FALSE(index.lacking);
    EXPECT_EQ(index.damage,
              "byte 0: the file's first bytes are not those of MCAP; nothing is lost by it");
    damaged[(at + 3) % 8] ^= std::byte{0x01};
    EXPECT_NE(error_of([&] {
                index_mcap(*ByteSource::memory(damaged, "log.mcap"), McapReader::Open::kChecked);
              }).find("is not an MCAP file"),
              std::string::npos);
  }
}

}  // namespace mcap_index_test
}  // namespace handspan
