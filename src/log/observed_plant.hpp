#pragma once
// What real plants observe is an input of a run: each observation is in the log, exactly, with the
// tick that uses it first, whatever else is recorded; and a plant that gives them again.
#include <optional>
#include <string>
#include <vector>

#include "log/log_file.hpp"
#include "plant/plant_set.hpp"
#include "record/log_writer.hpp"

namespace handspan {

/// Writes them; part of a recorder.
class ObservationStream {
 public:
  /// Before the writer's start. @param plants outlives it
  ObservationStream(const PlantSet& plants, LogWriter& writer);

  /// Those that are new since the last time. Allocates, locks and throws nothing.
  /// @param tick that uses them, now its time [ns]; all: others too
  void push(std::int64_t tick, Nanoseconds now, bool all) noexcept;

 private:
  struct Source {
    std::size_t member;
    std::size_t numbers;  // of an observation
    std::uint64_t count = 0;
    std::uint64_t sequence = 0;
    Nanoseconds stamp = 0;
    PlantStatus status = PlantStatus::kRunning;
  };

  const PlantSet& plants_;
  LogWriter& writer_;
  StreamId stream_;
  std::vector<Source> sources_;
};

/// A real plant of a log: at each time what it had observed then. Nothing that it is told changes
/// that.
class ObservedPlant : public Plant {
 public:
  /// @param name of the plant in the log; layout: as it was. @throws InputError when the log has
  /// none of its observations; poll() throws when some are missing or damaged
  ObservedPlant(const LogFile& log, std::string name, PlantLayout layout);

  const PlantLayout& layout() const override { return layout_; }
  const Observation& read() override { return observation_; }
  void write(const Command&) override {}
  void advance() override {}
  void poll(Nanoseconds now) override;
  const CommandFaults& faults() const override { return faults_; }
  void tare(int) override {}
  bool recover() override { return true; }
  using Plant::snapshot;
  void snapshot(std::vector<std::byte>& into) const override { into.clear(); }
  void restore(std::span<const std::byte>) override {}

 private:
  struct Logged {
    Nanoseconds time = 0;
    std::int64_t count = 0;
    Observation observation;
  };

  void load(Nanoseconds now);
  void append(std::vector<Logged>& to, Nanoseconds from, Nanoseconds until) const;

  const LogFile& log_;
  std::string name_;
  PlantLayout layout_;
  CommandFaults faults_;
  Observation observation_;
  std::vector<Logged> block_;                   // by time; the first is at or before its beginning
  Nanoseconds block_from_ = 0, block_to_ = -1;  // what it tells of
};

}  // namespace handspan
