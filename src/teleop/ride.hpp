#pragma once
// A frame that rides on a body: its reference goes where the body takes it, as a hand that is held
// still goes with the base that drives. It is meant to share a reference with a person, with a
// small share: alone while the person's clutch is open. Registered as `ride`.
#include <string>

#include "control/system.hpp"
#include "reference/source.hpp"

namespace handspan {

struct RideConfig {
  std::string on;  // body or frame of a robot
};

/// The reference is moved on from where it is, with the velocity that it has as a point of the body
/// (Featherstone 2008, 2.2): v + w x r. So there is nothing to wind up.
class Ride : public Source {
 public:
  /// @throws InputError, with the names there are, for a frame that no robot has
  Ride(const RideConfig& config, const SourceContext& context);

  void start(const Moment&, const Motion&) override {}
  SourceAnswer update(const Moment& moment, const Motion& reference, Motion& wanted) override;

 private:
  WholeArm* arms_;
  ControlSystem::FrameOf frame_;
};

/// ride.
void register_ride(SourceRegistry& registry);

}  // namespace handspan
