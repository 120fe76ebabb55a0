// One wrong bit anywhere in a log, as a bad cable or an old disk leaves it: it is told, it costs a
// chunk at most, and what is run again is what happened.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/files_read.hpp"
#include "log/recorder.hpp"
#include "log/replay.hpp"
#include "record/mcap_writer.hpp"
#include "record/repair.hpp"
#include "session/session_support.hpp"
#include "support/parts.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace damaged_log_test {

using test::AppFolder;

Bytes file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const ByteSpan bytes = bytes_of(text);
  return {bytes.begin(), bytes.end()};
}

void write_bytes(const std::filesystem::path& path, ByteSpan bytes) {
  std::ofstream(path, std::ios::binary) << text_of(bytes);
}

// a log of a shipped app, in chunks of a quarter of a second
class DamagedLog : public testing::TestWithParam<const char*> {
 protected:
  DamagedLog() {
    App app =
        load_app(std::filesystem::path(HANDSPAN_SOURCE_DIR) / "apps" / GetParam(), test_parts());
    Session session(app);
    RecorderOptions options;
    options.may_wait = true;
    options.key_frame_period = kSecond / 4;
    options.log.file.chunk_time = kSecond / 4;
    Recorder recorder(session, file(), options);
    run_session(session, 2 * kSecond);
    EXPECT_TRUE(recorder.close());
    whole_ = file_bytes(file());
    ticks_ = session.ticks();
  }
  std::filesystem::path file() const { return folder_.path() / "run.mcap"; }
  std::filesystem::path copy() const { return folder_.path() / "copy.mcap"; }

  // what of a damaged log can be run again is the same run
  void expect_right(LogFile& log, const std::string& what) const {
    ReplayOptions how;
    how.verify = true;
    const ReplayReport report = replay(log, test_parts(), how);
    EXPECT_TRUE(report.same()) << what;
    EXPECT_LE(report.gaps.size(), 1U) << what;
    if (log.lost().empty()) {
      EXPECT_EQ(report.compared, ticks_) << what << ": " << log.damage();
    } else {
      // a chunk, and what comes before the next key frame
      EXPECT_GE(report.compared, ticks_ - 3 * ticks_ / 8) << what << ": " << log.damage();
      EXPECT_LE(report.compared, log.ticks()) << what;
      EXPECT_EQ(report.gaps.size(), 1U) << what;
    }
  }

  std::int64_t ticks_ = 0;
  AppFolder folder_;
  Bytes whole_;
};

TEST_P(DamagedLog, AWrongBitCostsAChunkAtMostAndIsTold) {
  std::mt19937_64 random(17);
  for (int k = 0; k < test::sized(200); ++k) {
    Bytes bytes = whole_;
    const std::size_t at = random() % bytes.size();
    const auto bit = static_cast<unsigned>(random() % 8);
    bytes[at] ^= static_cast<std::byte>(1U << bit);
    const std::string what = fmt::format("bit {} of byte {} of {}", bit, at, bytes.size());
    write_bytes(copy(), bytes);
    try {
      LogFile log(copy());
      EXPECT_FALSE(log.damage().empty()) << what;
      EXPECT_LE(log.reader().losses().size(), 1U) << what << ": " << log.damage();
      expect_right(log, what);
      repair_log(copy(), file());
      LogFile repaired(file());
      EXPECT_EQ(repaired.lost(), log.lost()) << what;
      EXPECT_EQ(repaired.damage().empty(), !log.reader().lacking()) << what << repaired.damage();
      expect_right(repaired, what + ", repaired");
    } catch (const std::exception& error) {
      ADD_FAILURE() << what << ": " << error.what();
    }
  }
}

// each byte of what there is once in a file, and of what stands between its records
TEST_P(DamagedLog, NoRecordsHeadIsIndispensable) {
  std::vector<std::size_t> heads;
  std::size_t at = kMcapMagic.size();
  while (at + kMcapRecordHead < whole_.size()) {
    heads.push_back(at);
    ByteCursor head(ByteSpan(whole_).subspan(at + 1));
    at += kMcapRecordHead + head.get<std::uint64_t>();
    if (whole_[heads.back()] == std::byte{0x02}) break;
  }
  heads.push_back(whole_.size() - 1);
  heads.push_back(0);
  std::mt19937_64 random(18);
  std::ranges::shuffle(heads, random);
  heads.resize(std::min<std::size_t>(heads.size(), static_cast<std::size_t>(test::sized(400))));
  for (const std::size_t head : heads) {
    Bytes bytes = whole_;
    const std::size_t byte = std::min(head + random() % 3, bytes.size() - 1);
    bytes[byte] ^= std::byte{0x10};
    write_bytes(copy(), bytes);
    const std::string what = fmt::format("byte {} of {}", byte, bytes.size());
    try {
      LogFile log(copy());
      EXPECT_FALSE(log.damage().empty()) << what;
      EXPECT_LE(log.reader().losses().size(), 1U) << what << ": " << log.damage();
      EXPECT_FALSE(log.app(test_parts()).files.empty());
      for (const LostTicks& lost : log.lost())
        EXPECT_LE(std::min(lost.last, ticks_) - lost.first, ticks_ / 4)
            << what << ": " << log.damage();
    } catch (const std::exception& error) {
      ADD_FAILURE() << what << ": " << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Apps, DamagedLog, testing::Values("grab.yaml", "toss.yaml"),
                         [](const auto& app) { return std::string(app.param, 4); });

}  // namespace damaged_log_test
}  // namespace handspan
