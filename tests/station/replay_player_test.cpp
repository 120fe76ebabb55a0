#include "station/replay_player.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "log/log_file.hpp"
#include "log/recorder.hpp"
#include "station/welcome.hpp"
#include "station_support.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace replay_player_test {

// @return whether it came to that tick; bounded
bool comes_to(ReplayPlayer& player, std::int64_t tick) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < end) {
    player.tap().latest().refresh();
    if (player.tap().latest().value().tick >= tick) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

TEST(ReplayPlayer, LeavesOutWhatIsLostAndSaysSo) {
  const test::AppFolder folder;
  const App app = folder.app(test::kServedApp);
  Session session(app);
  const auto file = folder.path() / "run.mcap";
  {
    RecorderOptions options;
    options.may_wait = true;
    options.key_frame_period = kSecond / 4;
    options.log.file.chunk_time = kSecond / 4;
    Recorder recorder(session, file, options);
    run_session(session, 2 * kSecond);
    ASSERT_TRUE(recorder.close());
  }
  const ShownLayout shown = shown_layout(session);
  {
    ReplayPlayer whole(file, test_parts(), shown);
    whole.set_factor(kMostReplayFactor);
    EXPECT_TRUE(comes_to(whole, 1990));
    EXPECT_EQ(whole.message(), "");
  }
  // one wrong bit in the middle of a chunk that has the middle of the run
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(file));
  for (std::streamoff at = size / 2;; at += 50) {
    ASSERT_LT(at, size);
    bytes.seekg(at);
    const int before = bytes.get();
    bytes.seekp(at);
    bytes.put(static_cast<char>(before ^ 4));
    bytes.flush();
    if (LogFile(file).lost().size() == 1) break;
    bytes.seekp(at);
    bytes.put(static_cast<char>(before));
    bytes.flush();
  }
  ReplayPlayer player(file, test_parts(), shown);
  player.set_factor(kMostReplayFactor);
  EXPECT_TRUE(comes_to(player, 1990));
  EXPECT_NE(player.message().find("lost: from "), std::string::npos) << player.message();
  EXPECT_NE(player.message().find(" s to "), std::string::npos) << player.message();
}

}  // namespace replay_player_test
}  // namespace handspan
