#pragma once
// What clients ask for that takes longer than the I/O thread may: done elsewhere, answered there.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "station/access.hpp"
#include "station/recording.hpp"
#include "station/replay_player.hpp"

namespace handspan {

/// What a person at the terminal is told while it runs.
struct StationStatus {
  Nanoseconds simulated = 0;  // [ns]
  std::size_t clients = 0;
  std::string operator_name;  // empty: nobody
  bool recording = false;
  PacerCounts pacer;
};

class Services {
 public:
  virtual ~Services() = default;
  /// Called on the I/O thread; empty reason: it was done.
  using Done = std::function<void(const std::string& reason)>;
  virtual void record(bool on, const std::string& name, Done done) = 0;
  virtual void remove(const std::string& name, Done done) = 0;
  virtual void list(std::function<void(const std::vector<RecordInfo>& records)> done) = 0;
  /// A player of a recording; none with the reason.
  virtual void replay(
      const std::string& name,
      std::function<void(std::shared_ptr<ReplayPlayer> player, const std::string& reason)>
          done) = 0;
  virtual RecordingStatus recording() const = 0;
  /// The run ends, and the next begins at once: everything is where the scene has it.
  virtual void restart() = 0;
  /// Those that are paired.
  virtual std::vector<PairedDevice> devices() const = 0;
  /// Ends the token of a device, and soon what it has open. @return false: there is none
  virtual bool unpair(int device) = 0;
};

}  // namespace handspan
