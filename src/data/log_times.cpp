#include "data/log_times.hpp"

#include <charconv>
#include <cstdlib>

#include "log/log_layout.hpp"

namespace handspan {
namespace {

std::optional<std::int64_t> whole(const LogFile& log, const char* key) {
  const auto found = log.about().find(key);
  std::int64_t value = 0;
  if (found == log.about().end()) return std::nullopt;
  const std::string& text = found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

LogTimes::LogTimes(const LogFile& log)
    : base_(log.base_period()),
      unix_start_(whole(log, kUnixStartKey)),
      steady_start_(whole(log, kSteadyStartKey)) {}

Nanoseconds LogTimes::stamp(const LoggedInput& input) const {
  const Nanoseconds stamp = input.input.stamp, tick = run(input.tick);
  if (!steady_start_) return stamp;
  const Nanoseconds of_machine = stamp - *steady_start_;
  return std::abs(of_machine - tick) < std::abs(stamp - tick) ? of_machine : stamp;
}

std::optional<std::int64_t> LogTimes::unix_ns(Nanoseconds run) const {
  if (!unix_start_) return std::nullopt;
  return *unix_start_ + run;
}

}  // namespace handspan
