#include "station/worker.hpp"

#include <future>

namespace handspan {

Worker::Worker()
    : thread_([this] {
        std::unique_lock lock(mutex_);
        for (;;) {
          some_.wait(lock, [this] { return over_ || !queue_.empty(); });
          if (queue_.empty()) return;
          const auto work = std::move(queue_.front());
          queue_.pop_front();
          lock.unlock();
          work();
          lock.lock();
        }
      }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  some_.notify_one();
  thread_.join();
}

void Worker::post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
  }
  some_.notify_one();
}

void Worker::run(const std::function<void()>& work) {
  std::promise<void> done;
  post([&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace handspan
