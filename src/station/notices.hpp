#pragma once
// What the person at the terminal is told of those who knock at the station's doors: a line each,
// from any thread, never so many that they hide one another.
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/time.hpp"

namespace handspan {

class Notices {
 public:
  /// "FROM: WHAT". The same again within 10 s is counted, and told with the next.
  /// @param now by steady_now() [ns]
  void tell(const std::string& from, const std::string& what, Nanoseconds now);
  /// Those that came since; the terminal's thread.
  std::vector<std::string> take();

 private:
  struct Told {
    Nanoseconds at = 0;
    std::uint64_t more = 0;  // since then
  };
  std::mutex mutex_;
  std::deque<std::string> lines_;
  std::uint64_t left_out_ = 0;
  std::map<std::pair<std::string, std::string>, Told> told_;
};

}  // namespace handspan
