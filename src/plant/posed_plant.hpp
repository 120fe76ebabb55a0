#pragma once
// Robots that are where they are commanded to be: for looking at them, without forces or time.
#include "plant/plant.hpp"
#include "scene/scene.hpp"

namespace handspan {

/// A plant whose groups of joints all take positions and are there at once; a mujoco plant beside
/// it shows them in the scene. Cups hold nothing, sensors feel nothing.
class PosedPlant : public Plant {
 public:
  /// @param robots of the scene; at their starting poses
  PosedPlant(const Scene& scene, const std::vector<std::string>& robots);

  const PlantLayout& layout() const override { return layout_; }
  const Observation& read() override { return observation_; }
  void write(const Command& command) override;
  void advance() override;
  bool simulated() const override { return true; }
  const CommandFaults& faults() const override { return faults_; }
  void tare(int) override {}
  bool recover() override { return true; }
  using Plant::snapshot;
  void snapshot(std::vector<std::byte>& into) const override;
  void restore(std::span<const std::byte> bytes) override;

 private:
  void state(class StateArchive& archive);

  PlantLayout layout_;
  Observation observation_;
  Command command_;
  CommandFaults faults_;
};

}  // namespace handspan
