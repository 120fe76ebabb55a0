#include "reference/slow_worker.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace handspan {

SlowWorker::SlowWorker(std::string name, std::size_t numbers, Work work)
    : name_(std::move(name)), work_(std::move(work)), slots_(kMostAsked) {
  resize(numbers);
}

void SlowWorker::resize(std::size_t numbers) {
  for (Slot& slot : slots_) slot.question.numbers.assign(numbers, 0.0);
}

void SlowWorker::open() {
  if (thread_.joinable()) return;
  stops_ = false;
  asked_ = answered_ = taken_ = 0;
  part_ = 0;
  thread_ = std::thread([this] { run(); });
}

void SlowWorker::close() {
  if (!thread_.joinable()) return;
  stops_ = true;
  signal_.fetch_add(1);
  signal_.notify_one();
  thread_.join();
}

void SlowWorker::forget() {
  if (!thread_.joinable()) return;
  close();
  open();
}

bool SlowWorker::ask(const Question& question) noexcept {
  const std::uint32_t at = asked_.load(std::memory_order_relaxed);
  if (!thread_.joinable() || at - taken_ == kMostAsked) return false;
  Question& slot = slots_[at % kMostAsked].question;
  slot.id = question.id;
  slot.stamp = question.stamp;
  slot.due = question.due;
  std::copy_n(question.numbers.begin(), std::min(question.numbers.size(), slot.numbers.size()),
              slot.numbers.begin());
  asked_.store(at + 1, std::memory_order_release);
  signal_.fetch_add(1, std::memory_order_release);
  signal_.notify_one();
  return true;
}

void SlowWorker::await(Nanoseconds now) const noexcept {
  if (!thread_.joinable()) return;
  std::uint32_t due = taken_;
  while (due != asked_.load(std::memory_order_relaxed) &&
         slots_[due % kMostAsked].question.due <= now)
    ++due;
  for (;;) {
    const std::uint32_t answered = answered_.load(std::memory_order_acquire);
    // counts may wrap: both are at most kMostAsked beyond what was taken
    if (answered - taken_ >= due - taken_) return;
    answered_.wait(answered, std::memory_order_acquire);
  }
}

bool SlowWorker::take(Nanoseconds now, bool at_its_time, Input& input) noexcept {
  if (taken_ == answered_.load(std::memory_order_acquire)) return false;
  const Slot& slot = slots_[taken_ % kMostAsked];
  if (at_its_time && slot.question.due > now) return false;
  const auto& numbers = slot.answer.numbers;
  const std::size_t parts =
      std::max<std::size_t>(1, (numbers.size() + kPartNumbers - 1) / kPartNumbers);
  const std::size_t first = part_ * kPartNumbers;
  const std::size_t count = std::min(kPartNumbers, numbers.size() - first);
  input.stamp = slot.answer.stamp;
  input.kind = InputKind::kSample;
  input.to = name_;
  input.text = slot.answer.failure;
  const std::array<double, kPartHeader> header = {
      static_cast<double>(slot.question.id), static_cast<double>(part_), static_cast<double>(parts),
      static_cast<double>(numbers.size())};
  std::ranges::copy(header, input.numbers.begin());
  std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(first), count,
              input.numbers.begin() + kPartHeader);
  input.count = static_cast<std::uint32_t>(kPartHeader + count);
  if (++part_ == parts) {
    part_ = 0;
    ++taken_;
  }
  return true;
}

void SlowWorker::answer(Slot& slot) {
  slot.answer.stamp = slot.question.stamp;
  slot.answer.failure.clear();
  slot.answer.numbers.clear();
  try {
    work_(slot.question, slot.answer, stops_);
  } catch (const std::exception& error) {
    slot.answer.failure = error.what();
    if (slot.answer.failure.empty()) slot.answer.failure = "it failed";
  }
  if (!slot.answer.failure.empty()) slot.answer.numbers.clear();
}

void SlowWorker::run() {
  for (;;) {
    const std::uint32_t signal = signal_.load(std::memory_order_acquire);
    if (stops_) return;
    const std::uint32_t done = answered_.load(std::memory_order_relaxed);
    if (done == asked_.load(std::memory_order_acquire)) {
      signal_.wait(signal, std::memory_order_acquire);
      continue;
    }
    answer(slots_[done % kMostAsked]);
    answered_.store(done + 1, std::memory_order_release);
    answered_.notify_one();
  }
}

}  // namespace handspan
