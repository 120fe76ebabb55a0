#include "station/notices.hpp"

#include <fmt/format.h>

namespace handspan {
namespace {

constexpr Nanoseconds kSilence = 10 * kSecond;
constexpr std::size_t kMostLines = 100;   // that nobody took yet
constexpr std::size_t kMostKinds = 1000;  // of which it is known when they were told

}  // namespace

void Notices::tell(const std::string& from, const std::string& what, Nanoseconds now) {
  const std::lock_guard lock(mutex_);
  if (told_.size() >= kMostKinds)
    std::erase_if(told_, [&](const auto& one) { return now - one.second.at > kSilence; });
  if (told_.size() >= kMostKinds || lines_.size() >= kMostLines) {
    ++left_out_;
    return;
  }
  const auto [entry, first] = told_.try_emplace({from, what});
  Told& told = entry->second;
  if (!first && now - told.at < kSilence) {
    ++told.more;
    return;
  }
  lines_.push_back(fmt::format("{}: {}{}", from, what,
                               told.more > 0 ? fmt::format(" ({} times more)", told.more) : ""));
  told = {now, 0};
}

std::vector<std::string> Notices::take() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> all(lines_.begin(), lines_.end());
  lines_.clear();
  if (left_out_ > 0) all.push_back(fmt::format("... and {} lines more", left_out_));
  left_out_ = 0;
  return all;
}

}  // namespace handspan
