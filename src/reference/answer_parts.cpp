#include "reference/answer_parts.hpp"

#include <cmath>

#include "core/error.hpp"
#include "reference/slow_worker.hpp"

namespace handspan {
namespace {

constexpr double kMostHeader = 9e15;  // whole numbers that a double holds exactly

bool is_count(double x) { return x >= 0.0 && x < kMostHeader && x == std::floor(x); }

}  // namespace

AnswerParts::Result AnswerParts::take(const Input& input) {
  const auto values = input.values();
  const auto refuse = [&](const char* why, std::uint64_t id) {
    next_ = 0;
    return Result{false, why, id};
  };
  if (values.size() < kPartHeader) return refuse("is shorter than its head of 4 numbers", id_);
  for (std::size_t i = 0; i < kPartHeader; ++i)
    if (!is_count(values[i])) return refuse("has a head that is not four counts", id_);
  const auto id = static_cast<std::uint64_t>(values[0]);
  const auto part = static_cast<std::uint64_t>(values[1]),
             parts = static_cast<std::uint64_t>(values[2]),
             total = static_cast<std::uint64_t>(values[3]);
  Result result{false, nullptr, id};
  if (part == 0) {
    if (next_ != 0) result = {false, "was cut: another one began before its last part", id_};
    numbers_.clear();
    id_ = id;
    next_ = 0;
    if (total > most_) return refuse("has more numbers than it may have", id);
    if (parts != std::max<std::uint64_t>(1, (total + kPartNumbers - 1) / kPartNumbers))
      return refuse("has another number of parts than its length needs", id);
    parts_ = static_cast<std::uint32_t>(parts);
    total_ = total;
  } else if (id != id_ || part != next_ || parts != parts_ || total != total_) {
    return refuse("was cut: a part of it is missing", id);
  }
  const auto body = values.subspan(kPartHeader);
  const bool last = part + 1 == parts_;
  const std::size_t expected = last ? total_ - part * kPartNumbers : kPartNumbers;
  if (body.size() != expected) return refuse("was cut: a part has another length than it says", id);
  for (const double x : body)
    if (!std::isfinite(x)) return refuse("has a number that is not finite", id);
  numbers_.insert(numbers_.end(), body.begin(), body.end());
  next_ = last ? 0 : static_cast<std::uint32_t>(part + 1);
  result.whole = last;
  return result;
}

void AnswerParts::state(StateArchive& archive) {
  archive(id_, next_, parts_, total_);
  archive.sized(numbers_);
  if (archive.loading() && (numbers_.size() > most_ || total_ > most_))
    throw InputError("the snapshot is damaged in an answer");
  if (archive.loading()) numbers_.reserve(most_);
}

}  // namespace handspan
