#pragma once
// What a person at the terminal sees of a station that runs, and says to it.
#include <atomic>
#include <thread>

#include "station/station.hpp"

namespace handspan {

/// While it lives, a thread of its own prints who knocked and, on a terminal, a line of figures
/// that it keeps up to date; and obeys what is typed: `devices` lists those that are paired, `end
/// N` ends the pairing of one.
class ServeTerminal {
 public:
  explicit ServeTerminal(Station& station);
  ~ServeTerminal();
  ServeTerminal(const ServeTerminal&) = delete;
  ServeTerminal& operator=(const ServeTerminal&) = delete;

 private:
  void run();
  void hear();
  void obey(const std::string& line);
  void say(const std::string& line) const;

  Station& station_;
  const bool figures_;
  bool heard_all_ = false;
  std::string typed_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace handspan
