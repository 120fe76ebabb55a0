// Random access, and files that are incomplete or damaged. Files of others: readers_test.cpp.
#include "record/mcap_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "record/mcap_reader_impl.hpp"
#include "record_support.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace mcap_reader_test {

using test::error_of;
using test::Folder;
using Open = McapReader::Open;

// a log of several chunks, and what is in it
struct Log {
  Folder folder;
  std::filesystem::path path = folder / "log.mcap";
  std::vector<test::Read> written;
  Bytes bytes;

  explicit Log(int count = 300, const McapOptions& options = {.chunk_bytes = 1500}) {
    McapWriter writer(path, options);
    writer.metadata("build", {{"compiler", "g++"}});
    writer.attach({"app.yaml", "application/yaml", 1, 2, Bytes(40, std::byte{9})});
    written = test::write_turns(writer, count);
    writer.finish();
    bytes = test::file_bytes(path);
  }
};

// a chunk up to its records, of which there are `stored` bytes and should come `size`
void put_chunk_head(Bytes& file, std::uint64_t size, const std::string& compression,
                    std::uint64_t stored) {
  put(file, static_cast<std::uint8_t>(McapRecord::kChunk));
  put(file, 40 + compression.size() + stored);
  put(file, std::uint64_t{0});
  put(file, std::uint64_t{0});
  put(file, size);
  put(file, std::uint32_t{1});  // wrong, and not 0 which stands for none
  put_text(file, compression);
  put(file, stored);
}

McapReader reader_of(Bytes bytes, Open how = Open::kBySummary) {
  return McapReader::of_bytes(std::move(bytes), "log.mcap", how);
}

TEST(McapReader, GivesTheTopicsAndTimesThatAreAskedFor) {
  const Log log;
  const McapReader reader(log.path);
  std::vector<test::Read> expected;
  for (const auto& one : log.written)
    if (one.topic == "/b" && one.log_time >= 50'000'000 && one.log_time <= 151'000'000)
      expected.push_back(one);
  ASSERT_EQ(expected.size(), 51u);
  EXPECT_EQ(test::read_all(reader, {{"/b"}, 50'000'000, 151'000'000}), expected);
  EXPECT_TRUE(test::read_all(reader, {{}, 10 * kSecond, 11 * kSecond}).empty());
}

TEST(McapReader, EndsWhenTheVisitorSaysSo) {
  const Log log;
  int seen = 0;
  McapReader(log.path).messages({}, [&](const auto&, const auto&) { return ++seen < 3; });
  EXPECT_EQ(seen, 3);
}

TEST(McapReader, OrdersByLogTimeAcrossChunksThatOverlap) {
  const Folder folder;
  McapWriter writer(folder / "log.mcap", {.chunk_bytes = 200});
  const auto channel = writer.add_channel("/a", 0);
  std::mt19937 random(3);
  std::vector<Nanoseconds> times(400);
  for (auto& time : times) time = static_cast<Nanoseconds>(random() % 50);
  for (std::uint32_t i = 0; i < times.size(); ++i) writer.write({channel, i, times[i], 0, {}});
  writer.finish();
  // equal times in the order of the file
  std::vector<std::uint32_t> expected(times.size());
  for (std::uint32_t i = 0; i < expected.size(); ++i) expected[i] = i;
  std::ranges::stable_sort(expected, {}, [&](std::uint32_t i) { return times[i]; });
  for (const Open how : {Open::kBySummary, Open::kByReading}) {
    std::vector<std::uint32_t> got;
    for (const auto& one : test::read_all(McapReader(folder / "log.mcap", how)))
      got.push_back(one.sequence);
    EXPECT_EQ(got, expected);
  }
}

TEST(McapReader, SaysWhichTopicsThereAre) {
  const Log log;
  const McapReader reader(log.path);
  EXPECT_EQ(error_of([&] { test::read_all(reader, {{"/aa"}}); }),
            log.path.string() + ": there is no topic /aa; did you mean '/a'?");
}

TEST(McapReader, ByReadingIsTheSameAsBySummary) {
  const Log log;
  const McapReader by_summary(log.path), by_reading(log.path, Open::kByReading);
  EXPECT_TRUE(by_reading.complete()) << by_reading.damage();
  EXPECT_EQ(test::read_all(by_reading), test::read_all(by_summary));
  EXPECT_EQ(by_reading.channels(), by_summary.channels());
  EXPECT_EQ(by_reading.schemas(), by_summary.schemas());
  EXPECT_EQ(by_reading.metadata("build"), by_summary.metadata("build"));
  EXPECT_EQ(by_reading.attachment("app.yaml")->bytes, by_summary.attachment("app.yaml")->bytes);
  EXPECT_EQ(by_reading.statistics().channel_messages, by_summary.statistics().channel_messages);
  EXPECT_EQ(by_reading.statistics().chunks, by_summary.statistics().chunks);
}

TEST(McapReader, AFileCutAnywhereHasAPrefixOfItsMessages) {
  const Log log(60, {.chunk_bytes = 600});
  std::size_t least = 0;
  for (std::size_t size = 0; size < log.bytes.size(); ++size) {
    SCOPED_TRACE("cut at " + std::to_string(size));
    Bytes cut(log.bytes.begin(), log.bytes.begin() + static_cast<std::ptrdiff_t>(size));
    if (size < kMcapMagic.size()) {
      ASSERT_NE(error_of([&] { reader_of(cut); }).find("log.mcap: byte 0: is not an MCAP file"),
                std::string::npos);
      continue;
    }
    const McapReader reader = reader_of(cut);
    ASSERT_FALSE(reader.complete());
    ASSERT_TRUE(reader.damage().starts_with("byte ")) << reader.damage();
    const auto read = test::read_all(reader);
    // never less than from a shorter file
    ASSERT_GE(read.size(), least);
    ASSERT_TRUE(std::equal(read.begin(), read.end(), log.written.begin()));
    least = read.size();
  }
  EXPECT_EQ(least, log.written.size());
}

TEST(McapReader, TellsWhereAFileIsCut) {
  const Log log(60, {.chunk_bytes = 600});
  const McapReader whole(log.path);
  // into the second chunk: its head is found by its message index's neighbour, so search the magic
  // kind
  const Bytes cut(log.bytes.begin(), log.bytes.begin() + 700);
  const McapReader reader = reader_of(cut);
  EXPECT_NE(reader.damage().find("no whole record begins here; lost: the last "), std::string::npos)
      << reader.damage();
  EXPECT_LT(reader.statistics().messages, whole.statistics().messages);
}

// any one byte changed: an error with a place, a finding, or a byte that carries nothing to check
TEST(McapReader, AChangedByteIsAnErrorOrIsFound) {
  const Log log(60, {.chunk_bytes = 600});
  const auto chunk_only = [&](const McapReader& reader) { return test::read_all(reader); };
  int found = 0;
  for (std::size_t at = 0; at < log.bytes.size(); ++at) {
    for (const unsigned mask : {0x01U, 0xFFU}) {
      Bytes bytes = log.bytes;
      bytes[at] ^= static_cast<std::byte>(mask);
      for (const Open how : {Open::kBySummary, Open::kByReading}) {
        const std::string said = error_of([&] {
          const McapReader reader = reader_of(bytes, how);
          const auto read = chunk_only(reader);
          for (const auto& one : reader.attachments()) reader.attachment(one);
          for (const auto& one : reader.metadata()) reader.metadata(one);
          found += reader.complete() ? 0 : 1;
          // what is read is what was written, some of it missing
          for (const auto& one : read) {
            const auto same = std::ranges::find(log.written, one.sequence, &test::Read::sequence);
            if (one.topic != "/a" && one.topic != "/b") continue;  // its name was changed
            ASSERT_TRUE(same != log.written.end() && same->bytes == one.bytes) << at;
          }
        });
        if (said == "no error") continue;
        ASSERT_TRUE(said.starts_with("log.mcap: byte ")) << said;
        ++found;
      }
    }
  }
  EXPECT_GT(found, static_cast<int>(2 * log.bytes.size()));
}

TEST(McapReader, ADamagedChunkIsLeftOutAndTheNextIsRead) {
  const Log log(300, {.chunk_bytes = 600, .zstd_level = 0});
  const std::string word = "word 100";
  const auto at = std::ranges::search(log.bytes, bytes_of(word)).begin();
  ASSERT_TRUE(at != log.bytes.end());
  Bytes bytes = log.bytes;
  bytes[static_cast<std::size_t>(at - log.bytes.begin())] = std::byte{'W'};

  const McapReader by_reading = reader_of(bytes, Open::kByReading);
  EXPECT_NE(by_reading.damage().find("the chunk's checksum is not that of its content; lost: this "
                                     "record of "),
            std::string::npos);
  const auto rest = test::read_all(by_reading);
  EXPECT_LT(rest.size(), log.written.size());
  EXPECT_GT(rest.size(), log.written.size() - 15);
  EXPECT_EQ(rest.back(), log.written.back());

  // by its summary the file opens at once, and the damage is met where it is
  const McapReader by_summary = reader_of(bytes);
  const std::string said = error_of([&] { test::read_all(by_summary); });
  EXPECT_TRUE(said.starts_with("log.mcap: byte ")) << said;
  EXPECT_NE(said.find("checksum"), std::string::npos) << said;
  EXPECT_EQ(test::read_all(by_summary, {{}, 200'000'000, 210'000'000}).size(), 11u);
}

TEST(McapReader, GoesOnAfterALengthThatIsGarbage) {
  const Log log(300, {.chunk_bytes = 600});
  Bytes bytes = log.bytes;
  // 500 bytes in the middle become noise
  std::mt19937 random(5);
  for (std::size_t i = 0; i < 500; ++i)
    bytes[bytes.size() / 2 + i] = static_cast<std::byte>(random() & 0xFFU);
  const McapReader reader = reader_of(bytes, Open::kByReading);
  EXPECT_FALSE(reader.complete());
  const auto read = test::read_all(reader);
  EXPECT_LT(read.size(), log.written.size());
  EXPECT_EQ(read.back(), log.written.back());
}

TEST(McapReader, ADamagedSummaryIsReplacedByReading) {
  const Log log;
  Bytes bytes = log.bytes;
  bytes[bytes.size() - 60] ^= std::byte{0xFF};
  const McapReader reader = reader_of(bytes);
  EXPECT_FALSE(reader.complete());
  EXPECT_NE(reader.damage().find("the summary is damaged"), std::string::npos) << reader.damage();
  EXPECT_EQ(test::read_all(reader), log.written);
}

TEST(McapReader, RefusesWhatIsNoLog) {
  const Folder folder;
  EXPECT_NE(error_of([&] {
              McapReader reader(folder / "none.mcap");
            }).find("none.mcap: cannot be read (No such file or directory); see that it is there"),
            std::string::npos);
  EXPECT_NE(
      error_of([&] { McapReader reader(folder / "."); }).find("is not a plain file; name a log"),
      std::string::npos);
  EXPECT_NE(error_of([&] { McapReader reader("/dev/zero"); }).find("is not a plain file"),
            std::string::npos);
  EXPECT_EQ(
      error_of([&] { reader_of(Bytes(100)); }),
      "log.mcap: byte 0: is not an MCAP file; name a log that handspan or another program wrote as "
      "MCAP");
}

// sizes that lie: nothing large may be allocated for them (the limit on memory makes that an error)
TEST(McapReader, AChunkThatClaimsTooMuchIsRefused) {
  Bytes file;
  put_bytes(file, std::as_bytes(std::span(kMcapMagic)));
  put(file, std::uint8_t{6});
  const std::size_t length_at = file.size();
  put(file, std::uint64_t{0});
  put(file, std::uint64_t{0});
  put(file, std::uint64_t{0});
  put(file, std::uint64_t{1} << 60U);
  put(file, std::uint32_t{0});
  put_text(file, "zstd");
  put(file, std::uint64_t{10});
  put_bytes(file, Bytes(10));
  const std::uint64_t length = file.size() - length_at - 8;
  std::memcpy(file.data() + length_at, &length, sizeof length);
  const McapReader reader = reader_of(file);
  EXPECT_NE(reader.damage().find("1152921504606846976 bytes cannot be in 10 compressed ones"),
            std::string::npos)
      << reader.damage();
}

// 1 MiB can hold 32 GiB of zeros, and a test must not have to try
TEST(McapReader, AChunkOfMoreThanOneGibibyteIsRefused) {
  Bytes file;
  put_bytes(file, std::as_bytes(std::span(kMcapMagic)));
  put_chunk_head(file, std::uint64_t{32} << 30U, "zstd", 1U << 20U);
  put_bytes(file, Bytes(1U << 20U));
  EXPECT_NE(reader_of(file).damage().find("34359738368 bytes are compressed in one piece; at most "
                                          "1073741824 are read; lost: this record of "),
            std::string::npos)
      << reader_of(file).damage();
}

// a summary that names a chunk twice would give its messages twice
TEST(McapReader, ASummaryWithAChunkTwiceIsReplacedByReading) {
  const Log log(20, {.chunk_bytes = 600});
  // the second chunk's index becomes the first's, and the footer has no checksum
  Bytes bytes = log.bytes;
  const std::size_t footer_at = bytes.size() - kMcapMagic.size() - 29;
  ByteCursor footer(ByteSpan(bytes).subspan(footer_at + kMcapRecordHead));
  const auto summary_at = static_cast<std::size_t>(footer.get<std::uint64_t>());
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(footer_at + 25), 4, std::byte{0});
  std::vector<std::size_t> places;
  for_each_record(ByteSpan(log.bytes).subspan(summary_at, footer_at - summary_at),
                  [&](McapRecord kind, ByteSpan, std::uint64_t at) {
                    if (kind == McapRecord::kChunkIndex) places.push_back(summary_at + at);
                  });
  ASSERT_GE(places.size(), 2u);
  // its times, its place and its size
  std::copy_n(log.bytes.begin() + static_cast<std::ptrdiff_t>(places[0] + kMcapRecordHead), 32,
              bytes.begin() + static_cast<std::ptrdiff_t>(places[1] + kMcapRecordHead));
  const McapReader reader = reader_of(bytes);
  EXPECT_FALSE(reader.complete());
  EXPECT_NE(reader.damage().find("the summary is damaged (the index has chunks that overlap at"),
            std::string::npos)
      << reader.damage();
  EXPECT_EQ(test::read_all(reader), log.written);

  // a chunk that reaches into the summary is none either
  bytes = log.bytes;
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(footer_at + 25), 4, std::byte{0});
  const std::uint64_t huge = ~std::uint64_t{0};
  std::memcpy(bytes.data() + places.back() + kMcapRecordHead + 24, &huge, sizeof huge);
  const McapReader beyond = reader_of(bytes);
  EXPECT_NE(beyond.damage().find("beyond the data"), std::string::npos) << beyond.damage();
  EXPECT_EQ(test::read_all(beyond), log.written);
}

// chunk heads inside one another, each of which seems to reach to the file's end: looked through
// one by one, these 20 MB would take many minutes
TEST(McapReader, FalseBeginningsDoNotMakeItHang) {
  constexpr std::size_t kHeads = 400'000, kHead = 49;
  Bytes file;
  put_bytes(file, std::as_bytes(std::span(kMcapMagic)));
  put(file, std::uint8_t{3});
  put(file, ~std::uint64_t{0});
  for (std::size_t left = kHeads; left-- > 0;) put_chunk_head(file, left * kHead, "", left * kHead);
  const std::string damage = reader_of(file).damage();
  EXPECT_NE(damage.find("no whole record begins here; lost: the last "), std::string::npos)
      << damage;
}

TEST(McapReader, TimesThatDoNotFitAreRefused) {
  Bytes file;
  put_bytes(file, std::as_bytes(std::span(kMcapMagic)));
  put(file, std::uint8_t{5});
  put(file, std::uint64_t{22});
  put(file, std::uint16_t{0});
  put(file, std::uint32_t{0});
  put(file, ~std::uint64_t{0});
  put(file, std::uint64_t{0});
  EXPECT_NE(reader_of(file).damage().find("a time is 18446744073709551615 ns, later than the year"),
            std::string::npos);
}

}  // namespace mcap_reader_test
}  // namespace handspan
