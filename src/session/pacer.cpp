#include "session/pacer.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <ctime>

#include <pthread.h>

namespace handspan {

Nanoseconds Pacer::next(Nanoseconds now) {
  due_ += period_;
  const Nanoseconds late = now - due_;
  if (late <= 0) return due_;
  ++counts_.overruns;
  // with a simulation, ticks that were due already follow one another at once
  if (simulated_ && late <= kMostCaughtUp * period_) {
    ++counts_.caught_up;
    return due_;
  }
  ++counts_.slips;
  counts_.slipped += late;
  due_ = now;
  return due_;
}

RealTimeScope::RealTimeScope() {
  sched_param before{};
  if (pthread_getschedparam(pthread_self(), &policy_, &before) == 0) {
    priority_ = before.sched_priority;
    sched_param wanted{};
    wanted.sched_priority = 80;
    had_.scheduled = pthread_setschedparam(pthread_self(), SCHED_FIFO, &wanted) == 0;
  }
  had_.locked = mlockall(MCL_CURRENT) == 0;
}

RealTimeScope::~RealTimeScope() {
  if (had_.scheduled) {
    sched_param before{};
    before.sched_priority = priority_;
    pthread_setschedparam(pthread_self(), policy_, &before);
  }
  if (had_.locked) munlockall();
}

Nanoseconds steady_now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * kSecond + t.tv_nsec;
}

void sleep_until(Nanoseconds due) {
  timespec t{};
  t.tv_sec = due / kSecond;
  t.tv_nsec = due % kSecond;
  // a signal ends the sleep early; then it goes on
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) != 0) {
  }
}

}  // namespace handspan
