#include "station/access.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <cmath>

#include "session/pacer.hpp"
#include "station/certificate.hpp"

namespace handspan {
namespace {

constexpr Nanoseconds kFirstWait = 30 * kSecond, kLongestWait = 3600 * kSecond;
constexpr Nanoseconds kForgotten = 2 * kLongestWait;
constexpr std::size_t kMostKeys = 8, kMostGroups = 1000;

// takes as long wherever they differ
bool same(std::string_view a, std::string_view b) {
  return !a.empty() && a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string digits_of(std::string_view text) {
  std::string digits;
  for (const char c : text)
    if (c != ' ' && c != '-') digits += c;
  return digits;
}

std::string in_words(Nanoseconds wait) {
  const double left = std::ceil(seconds(wait));
  return left < 100.0 ? fmt::format("{:.0f} s", left)
                      : fmt::format("{:.0f} minutes", std::ceil(left / 60.0));
}

}  // namespace

bool is_person_name(std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    // those of Unicode too (U+0080 to U+009F): terminals obey them
    const bool high =
        c == 0xC2 && i + 1 < name.size() && static_cast<unsigned char>(name[i + 1]) < 0xA0;
    if (c < 0x20U || c == 0x7F || high) return false;
  }
  return !name.empty() && name.size() <= kLongestPersonName;
}

std::string Access::new_key() {
  const std::lock_guard lock(mutex_);
  if (keys_.size() >= kMostKeys) keys_.erase(keys_.begin());
  return keys_.emplace_back(random_pass());
}

std::string Access::new_token(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return add(name, Visitor().group, steady_now()).token;
}

// where there are too many, the one that was silent for longest goes
Pairing Access::add(const std::string& name, const std::string& address, Nanoseconds now) {
  Pairing made;
  if (devices_.size() >= kMostDevices) {
    const auto silent =
        std::ranges::min_element(devices_, {}, [](const Known& known) { return known.about.seen; });
    made.dropped = silent->about.id;
    devices_.erase(silent);
  }
  devices_.push_back({{next_, is_person_name(name) ? name : "guest", address, now}, random_pass()});
  made.device = next_++;
  made.token = devices_.back().token;
  return made;
}

Pairing Access::pair_by_code(std::string_view code, const std::string& name, const Visitor& from,
                             Nanoseconds now) {
  const std::lock_guard lock(mutex_);
  std::erase_if(tries_, [&](const auto& one) { return now - one.second.last > kForgotten; });
  if (tries_.size() >= kMostGroups && !tries_.contains(from.group))
    tries_.erase(
        std::ranges::min_element(tries_, {}, [](const auto& one) { return one.second.last; }));
  Tries& tries = tries_[from.group];
  Pairing answer;
  if (now < tries.until) {
    answer.wait = tries.until - now;
    answer.reason = fmt::format("too many wrong codes from {}; wait {} and try again", from.group,
                                in_words(answer.wait));
    return answer;
  }
  if (same(digits_of(code), code_)) {
    tries_.erase(from.group);
    return add(name, from.address, now);
  }
  ++tries.wrong;
  tries.last = now;
  if (tries.wrong < kFreeTries) {
    answer.tries_left = kFreeTries - tries.wrong;
    answer.reason = fmt::format("this is not the code that the terminal shows; {} {} left",
                                answer.tries_left, answer.tries_left == 1 ? "try" : "tries");
    return answer;
  }
  answer.wait = kFirstWait;
  for (int more = kFreeTries; more < tries.wrong && answer.wait < kLongestWait; ++more)
    answer.wait *= 2;
  answer.wait = std::min(answer.wait, kLongestWait);
  tries.until = now + answer.wait;
  answer.reason = fmt::format(
      "this is not the code that the terminal shows, and too many were wrong; wait {} before the "
      "next",
      in_words(answer.wait));
  return answer;
}

Pairing Access::pair_by_key(std::string_view key, const std::string& name, const Visitor& from,
                            Nanoseconds now) {
  const std::lock_guard lock(mutex_);
  for (auto known = keys_.begin(); known != keys_.end(); ++known)
    if (same(*known, key)) {
      keys_.erase(known);
      return add(name, from.address, now);
    }
  Pairing answer;
  answer.reason =
      "this address was opened before, and opens one page; give the code that the terminal shows";
  return answer;
}

int Access::device_of(std::string_view token, Nanoseconds now) {
  const std::lock_guard lock(mutex_);
  for (Known& known : devices_)
    if (same(known.token, token)) {
      known.about.seen = now;
      return known.about.id;
    }
  return 0;
}

void Access::saw(int device, Nanoseconds now) {
  const std::lock_guard lock(mutex_);
  for (Known& known : devices_)
    if (known.about.id == device) known.about.seen = now;
}

std::vector<PairedDevice> Access::devices() const {
  const std::lock_guard lock(mutex_);
  std::vector<PairedDevice> all;
  for (const Known& known : devices_) all.push_back(known.about);
  return all;
}

std::string Access::end(int device) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::ranges::find_if(devices_, [&](const Known& known) { return known.about.id == device; });
  if (found == devices_.end()) return "";
  const std::string name = found->about.name;
  devices_.erase(found);
  return name;
}

}  // namespace handspan
