#pragma once
// How much room a folder's disk has, looked at by a thread of its own: a disk that is cut off may
// take long to answer, and nobody waits for it.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

namespace handspan {

class DiskWatch {
 public:
  /// @param folder that need not be there yet: its disk is that of the nearest one above it
  explicit DiskWatch(const std::filesystem::path& folder);
  ~DiskWatch();
  DiskWatch(const DiskWatch&) = delete;
  DiskWatch& operator=(const DiskWatch&) = delete;

  /// At most a second ago, of what this user may fill [bytes]; none: the disk does not say. From
  /// any thread.
  std::optional<std::uint64_t> free_bytes() const;

 private:
  void look();
  void run();

  std::filesystem::path folder_;
  std::atomic<std::int64_t> free_{-1};
  std::mutex mutex_;
  std::condition_variable ends_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace handspan
