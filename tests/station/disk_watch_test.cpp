#include "station/disk_watch.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace handspan {
namespace disk_watch_test {

TEST(DiskWatch, SaysHowMuchRoomThereIsAlsoBeforeTheFolderIsThere) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  for (const std::filesystem::path& there : {folder, folder / "handspan not yet/there"}) {
    const DiskWatch watch(there);
    std::optional<std::uint64_t> free;
    for (int i = 0; i < 1000 && !free; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      free = watch.free_bytes();
    }
    ASSERT_TRUE(free) << there;
    EXPECT_LE(*free, std::filesystem::space(folder).capacity);
  }
}

}  // namespace disk_watch_test
}  // namespace handspan
