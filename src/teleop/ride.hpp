#pragma once
// A frame that rides on a body: its reference goes where the body is driven, as a hand that is held
// still goes with the base that drives. It is meant to share a reference with a person, with a
// small share: alone while the person's clutch is open. Registered as `ride`.
#include <string>
#include <vector>

#include "control/system.hpp"
#include "reference/arbiter.hpp"
#include "reference/source.hpp"

namespace handspan {

struct RideConfig {
  std::string on;  // body or frame of a robot
};

/// What carries the body are the postures whose joints move it, such as a base's and a torso's.
/// While one of them is driven, the frame keeps its pose in the body, whose pose and velocity are
/// those that the references of these joints say. Neither the measured nor the commanded body has a
/// part in it, so that a contact that pushes the arm aside takes the reference nowhere. While none
/// is driven it asks for nothing, and the arm holds.
class Ride : public Source {
 public:
  /// @throws InputError, with the names there are, for a frame that no robot has; for one that no
  /// posture moves
  Ride(const RideConfig& config, const SourceContext& context);

  void start(const Moment& moment, const Motion& reference) override;
  SourceAnswer update(const Moment& moment, const Motion& reference, Motion& wanted) override;
  void state(StateArchive& archive) override;

 private:
  // A posture's reference, and those of its joints that move the body.
  struct Carrier {
    ReferenceIndex reference;
    std::vector<std::size_t> rows;
    std::vector<int> q_index, v_index;  // of these rows, in the mechanism's q and v
    bool drives = false;                // in the tick before
    void state(StateArchive& archive) { archive(drives); }
  };

  void take(const Carrier& carrier);

  const Arbiter* arbiter_;
  WholeArm* arms_;
  ControlSystem::FrameOf frame_;
  std::vector<Carrier> carriers_;
  RobotData data_;
  Eigen::VectorXd q_, v_;  // of the mechanism, as the references say [rad, m and per second]
};

/// ride.
void register_ride(SourceRegistry& registry);

}  // namespace handspan
