#pragma once
// The operator station: an app's loop on the wall clock in the thread that calls run(), and beside
// it a server for pages (docs/protocol.md), a worker for what takes time, and recordings.
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/run.hpp"
#include "station/protocol.hpp"
#include "station/services.hpp"

namespace handspan {

/// Reached from other machines, over TLS.
struct LanOptions {
  std::vector<std::string> hosts;  // names and addresses that it is called by
  std::string certificate, key;    // PEM
};

struct StationOptions {
  std::optional<LanOptions> lan;  // none: this machine only
  std::uint16_t port = 8780;      // 0: any that is free
  std::string code;               // that devices pair with; empty: six digits of its own
  std::filesystem::path page;     // folder of the built page
  std::filesystem::path records = "handspan-out/records";
  bool record = false;               // from the start, each run in a file of its own
  bool once = false;                 // ends with the app's machines; else it starts again
  double rate = kDefaultRate;        // of frames, until a client asks for another [Hz]
  double pace = 1.0;                 // of simulated time to the wall clock's
  ParameterValues parameters;        // live ones with another value than the app's, in each run
  std::optional<Nanoseconds> until;  // simulated time in all [ns]; none: until stop()
};

class Station {
 public:
  /// Takes the port. @param app outlives this
  /// @param parts what the apps of recordings are made of; outlives this
  /// @throws InputError: a port that is taken; or as Session
  Station(const App& app, const Parts& parts, const StationOptions& options);
  ~Station();
  Station(const Station&) = delete;
  Station& operator=(const Station&) = delete;

  std::uint16_t port() const;
  /// Runs the loop in this thread until stop() or the time that was set. @return of the last run
  RunSummary run();
  /// From any thread, or a signal's handler.
  void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }
  /// From any thread.
  StationStatus status() const;

  // who may come in, from any thread (access.hpp)

  const std::string& code() const;
  std::string new_key();
  std::string new_token(const std::string& name);
  std::vector<PairedDevice> devices() const;
  /// Ends the token of a device and closes what it has open. @return the name it had; "": none
  std::string end_device(int device);
  /// Lines for the terminal: who knocked, and what came of it.
  std::vector<std::string> take_notices();

  /// How many recordings could not be begun, or ended by themselves: what is kept was told.
  int failed_recordings() const;

 private:
  struct Impl;
  std::atomic<bool> stopped_{false};
  std::unique_ptr<Impl> impl_;
};

}  // namespace handspan
