#pragma once
// Distances that are kept: declared pairs of bodies, of one robot, of two, or of a robot and its
// surroundings.
#include "control/constraint.hpp"
#include "robot/distance.hpp"

namespace handspan {

enum class CollisionForm { kBraking, kDamper };

struct CollisionConfig {
  // names of bodies; '*' stands for any text and '?' for any character
  std::vector<std::pair<std::string, std::string>> pairs;
  CollisionForm form = CollisionForm::kBraking;
  double safety = 0.01;       // distance that is kept, delta_s [m]
  double influence = 0.5;     // farther pairs are left alone, delta_i [m]
  double deceleration = 2.0;  // braking form: with which a pair can count on stopping [m/s^2]
  double recovery = 0.1;  // braking form: at most with this speed it leaves what is too near [m/s]
  double damping = 10.0;  // damper: xi [m/s]
};

/// Of a pair at distance d:
///   braking  d' >= -sqrt(2 a_d (d - delta_s)) in exact discrete time (braking_bound()). The term
///            dn/dt . (v_a - v_b) of d'' is left out: it is not negative, and wrong for faces.
///   damper   d'' >= (-xi (d - delta_s) / (delta_i - delta_s) - d') / dt (van Gorp 2022, eq. 3.30),
///            with all of (3.32). It asks for accelerations without bound: with the published
///            triples 100 m/s^2 at 1 m/s.
/// Nearer than delta_s the braking form opens the gap with a time constant of 50 ms, never faster
/// than `recovery`. It has rows for the up to kMostUrgentPlaces places of a pair where braking must
/// begin first (distance.hpp), so that a face which turns does not come nearer with a corner that
/// nothing has slowed down. Rows that no accelerations within the joints' limits can violate are
/// left out, as are places that may still close kCalm faster: the QP stays small. Where the gap
/// closes faster all the same, it brakes with up to kMostBraking a_d, never more. It looks as far
/// ahead as the slower of the two robots needs (MechanismState::horizon), whichever of them takes a
/// command. Pairs that overlap part along their penetration's direction.
class Collision : public Constraint {
 public:
  /// @throws InputError when a pattern matches no body with shapes, or nothing is left of the pairs
  Collision(const CollisionConfig& config, const ConstraintContext& context);
  std::vector<ConstraintRow> rows() const override;
  void update(const ControlSystem& system, ControlState& state, RowBlock rows) override;
  void declare(ChannelTable& channels, Rate rate) override;
  void publish(ChannelTable& channels, Nanoseconds stamp) const override;
  void state(StateArchive& archive) override { archive(nearest_); }

  const DistanceModel& model() const { return *model_; }
  /// Least distance of its pairs at the last update(), at most the influence distance [m].
  double nearest() const { return nearest_; }
  /// As of the last update: one a mechanism, then the surroundings, in the model's order.
  std::span<const RobotData* const> robots() const { return robots_; }
  const CollisionConfig& config() const { return config_; }

 private:
  // rows of a pair
  int places() const { return config_.form == CollisionForm::kBraking ? kMostUrgentPlaces : 1; }
  void fill_row(const ControlSystem& system, ControlState& state, int p, const Distance& d,
                double dt, int r, RowBlock& rows);
  double look_ahead(const BodyPair& pair, const ControlState& state) const;

  CollisionConfig config_;
  std::unique_ptr<RobotData> surroundings_;
  std::unique_ptr<DistanceModel> model_;
  std::unique_ptr<DistanceData> data_;
  std::vector<const RobotData*> robots_;     // one a mechanism, then the surroundings
  std::vector<Eigen::RowVectorXd> fastest_;  // q'' of each mechanism's limits
  double nearest_ = 0.0;                     // [m]
  NumberChannel nearest_channel_;
};

void register_collision(ConstraintRegistry& registry);

}  // namespace handspan
