#pragma once
// A thread that does one thing after another, for what takes longer than the others may wait.
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace handspan {

class Worker {
 public:
  Worker();
  /// Does what was posted, then ends.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void post(std::function<void()> work);
  /// The same, and waits until it has run. Not from the thread itself.
  void run(const std::function<void()>& work);

 private:
  std::mutex mutex_;
  std::condition_variable some_;
  std::deque<std::function<void()>> queue_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace handspan
