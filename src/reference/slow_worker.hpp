#pragma once
// A thread that answers questions which take longer than a tick: a plan, a detection, a policy.
// The loop asks, and goes on; the answer becomes inputs of a later tick, as many as its size needs,
// and is recorded with them. So a log runs again without the thread.
//
// When an answer is taken is said by who runs the loop. At its time: `latency` after its question
// to the nanosecond, and the loop waits for the thread when that is slower, so that a run on a
// virtual clock does not depend on how fast the thread is. As it comes: on a wall clock.
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "core/time.hpp"
#include "reference/input.hpp"

namespace handspan {

struct Question {
  std::uint64_t id = 0;   // from 1 on, rising
  Nanoseconds stamp = 0;  // of what it was asked from [ns]
  Nanoseconds due = 0;    // when its answer is to be taken [ns]
  std::vector<double> numbers;
};

struct Answer {
  Nanoseconds stamp = 0;  // of what it says; the question's, if it says nothing else [ns]
  std::string failure;    // why there is none; empty: there is one
  std::vector<double> numbers;
};

/// Questions of one source that may wait for their answers at the same time.
inline constexpr std::size_t kMostAsked = 4;

/// What an answer is as inputs of kind sample. The numbers of each begin with these four: the
/// question's id, which part this is (from 0), how many parts there are, how many numbers the whole
/// answer has. Then come the numbers themselves. Its text says why there is no answer.
inline constexpr std::size_t kPartHeader = 4;
inline constexpr std::size_t kPartNumbers = kMostInputNumbers - kPartHeader;

class SlowWorker {
 public:
  /// In the thread: fills an answer that is empty but for its stamp. What it throws is why there is
  /// none. It returns soon after `stops` has become true.
  using Work = std::function<void(const Question&, Answer&, const std::atomic<bool>& stops)>;

  /// @param name of the source: whom the inputs are for  @param numbers of a question
  SlowWorker(std::string name, std::size_t numbers, Work work);
  ~SlowWorker() { close(); }
  SlowWorker(const SlowWorker&) = delete;
  SlowWorker& operator=(const SlowWorker&) = delete;

  // not in a tick

  /// Before it is opened: questions have so many numbers.
  void resize(std::size_t numbers);
  void open();
  void close();
  /// Questions that were asked are forgotten, with their answers: the run goes on elsewhere.
  void forget();

  // from the loop; nothing allocates, locks or throws

  /// @return false when nobody answers: it is not open, or kMostAsked wait already
  bool ask(const Question& question) noexcept;
  /// Waits until the questions whose answers are due are answered.
  void await(Nanoseconds now) const noexcept;
  /// The next part of an answer that is there. @param at_its_time only when it is due
  bool take(Nanoseconds now, bool at_its_time, Input& input) noexcept;

 private:
  struct Slot {
    Question question;
    Answer answer;
  };
  void run();
  void answer(Slot& slot);

  std::string name_;
  Work work_;
  std::vector<Slot> slots_;
  std::atomic<std::uint32_t> asked_{0}, answered_{0};
  std::atomic<std::uint32_t> signal_{0};  // rises when there is something to do
  std::atomic<bool> stops_{false};
  std::uint32_t taken_ = 0;  // answers, by the loop
  std::size_t part_ = 0;     // of the answer that is being taken
  std::thread thread_;
};

}  // namespace handspan
