#pragma once
// A simulated plant whose observations were recorded in full: what a controller is run on again
// without it. Those of real plants are in every log: observed_plant.hpp.
#include <filesystem>

#include "log/log_file.hpp"
#include "plant/plant.hpp"

namespace handspan {

class RecordedPlant : public Plant {
 public:
  /// @param layout of the plant that was recorded. @throws InputError when the log has not every
  /// tick's observations: it was not recorded in full
  RecordedPlant(const LogFile& log, PlantLayout layout);

  const PlantLayout& layout() const override { return layout_; }
  const Observation& read() override { return observation_; }
  void write(const Command&) override {}
  void advance() override {}
  /// The observation of that tick; after the last one, the last.
  void poll(Nanoseconds now) override;
  const CommandFaults& faults() const override { return faults_; }
  void tare(int) override {}
  bool recover() override { return true; }
  using Plant::snapshot;
  void snapshot(std::vector<std::byte>& into) const override { into.clear(); }
  void restore(std::span<const std::byte>) override {}

 private:
  struct Stream {
    std::string topic;
    int group = -1, sensor = -1;
    int part = 0;  // of a group without joints: 0 q, 1 v, 2 tau
  };

  void load(std::int64_t from);
  void show(std::int64_t tick);

  const LogFile& log_;
  PlantLayout layout_;
  CommandFaults faults_;
  std::vector<Stream> streams_;
  Observation observation_;
  std::vector<Observation> block_;  // of ticks from block_first_ on
  std::int64_t block_first_ = 0, last_tick_ = 0;
};

}  // namespace handspan
