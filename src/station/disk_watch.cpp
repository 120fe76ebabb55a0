#include "station/disk_watch.hpp"

#include <chrono>

namespace handspan {

DiskWatch::DiskWatch(const std::filesystem::path& folder)
    : folder_(std::filesystem::absolute(folder)), thread_([this] { run(); }) {}

DiskWatch::~DiskWatch() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ends_.notify_all();
  thread_.join();
}

std::optional<std::uint64_t> DiskWatch::free_bytes() const {
  const std::int64_t free = free_.load(std::memory_order_relaxed);
  if (free < 0) return {};
  return static_cast<std::uint64_t>(free);
}

void DiskWatch::look() {
  std::error_code error;
  std::filesystem::path there = folder_;
  while (!std::filesystem::exists(there, error) && there.has_relative_path())
    there = there.parent_path();
  const auto space = std::filesystem::space(there, error);
  free_.store(error ? -1 : static_cast<std::int64_t>(space.available), std::memory_order_relaxed);
}

void DiskWatch::run() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    lock.unlock();
    look();
    lock.lock();
    ends_.wait_for(lock, std::chrono::milliseconds(500), [this] { return over_; });
  }
}

}  // namespace handspan
