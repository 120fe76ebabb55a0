#pragma once
// The two-arm problem with all limits as an app has it: sources draw the circles, the arbiter moves
// the references, the controller follows. With features, each tick also takes a jump of velocity
// that its source announces, gains of each of its axes, and shares of feedback
// that its source gives.
#include <filesystem>
#include <memory>
#include <vector>

#include "bench/figure.hpp"
#include "control/whole_arm.hpp"
#include "reference/arbiter.hpp"

namespace handspan {

class FeatureLoop {
 public:
  /// @param root has robots/  @throws InputError or ConfigError when that cannot be used
  FeatureLoop(bool features, const std::filesystem::path& root);

  /// One tick from observation to command, which is what is timed. Allocates nothing.
  void tick();
  /// The accelerations of the tick become the next observation. Not timed.
  void integrate();
  /// Farthest that a hand was from its reference at the state of the last tick [m].
  double error() const;
  const WholeArm& arms() const { return *arms_; }
  const Arbiter& arbiter() const { return *arbiter_; }
  const EventList& events() const { return events_; }

 private:
  Scene scene_;
  PlantLayout layout_;
  Observation observation_;
  Command command_;
  EventList events_;
  std::unique_ptr<WholeArm> arms_;
  std::unique_ptr<Arbiter> arbiter_;
  std::vector<const FrameTask*> hands_;
  Moment moment_;
};

/// Both loops from their start, tick by tick by turns; of each tick, what the features cost.
/// @throws std::runtime_error when a QP failed or gave way, or a hand left its circle
TickSamples measure_features(const std::filesystem::path& root);

}  // namespace handspan
