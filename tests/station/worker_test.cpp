#include "station/worker.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace handspan {
namespace worker_test {

TEST(Worker, DoesOneThingAfterAnotherInItsOwnThread) {
  std::vector<int> done;
  std::thread::id where;
  {
    Worker worker;
    for (int i = 0; i < 1000; ++i) worker.post([&done, i] { done.push_back(i); });
    worker.run([&] { where = std::this_thread::get_id(); });
    // all that was posted before has run
    EXPECT_EQ(done.size(), 1000U);
  }
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
  EXPECT_NE(where, std::this_thread::get_id());
}

TEST(Worker, WhatWasPostedIsDoneBeforeItEnds) {
  std::atomic<int> done{0};
  std::atomic<bool> go{false};
  {
    Worker worker;
    worker.post([&] {
      while (!go) std::this_thread::yield();
    });
    for (int i = 0; i < 50; ++i) worker.post([&] { ++done; });
    EXPECT_EQ(done, 0);
    go = true;
  }
  EXPECT_EQ(done, 50);
}

TEST(Worker, WorkMayPostMoreWork) {
  std::vector<int> done;
  {
    Worker worker;
    worker.post([&] {
      done.push_back(1);
      worker.post([&] { done.push_back(3); });
    });
    worker.run([&] { done.push_back(2); });
  }
  // what is posted from within comes after what was there
  ASSERT_EQ(done.size(), 3U);
  EXPECT_EQ(done[0], 1);
}

TEST(Worker, ManyThreadsMayPost) {
  int sum = 0;  // of the worker's thread alone
  {
    Worker worker;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 500; ++i) worker.post([&] { ++sum; });
      });
    threads.clear();
  }
  EXPECT_EQ(sum, 2000);
}

}  // namespace worker_test
}  // namespace handspan
