#pragma once
// Distances that are kept: declared pairs of bodies, of one robot, of two, or of a robot and its
// surroundings.
#include "control/constraint.hpp"
#include "robot/distance.hpp"

namespace handspan {

struct CollisionConfig {
  // names of bodies; '*' stands for any text and '?' for any character
  std::vector<std::pair<std::string, std::string>> pairs;
  double safety = 0.01;       // distance that is kept, delta_s [m]
  double influence = 0.5;     // farther pairs are left alone, delta_i [m]
  double deceleration = 2.0;  // with which a pair can count on stopping [m/s^2]
  double recovery = 0.1;      // at most with this speed it leaves what is too near [m/s]
};

/// What keeps the arms of an app from one another.
struct BetweenArmsConfig : CollisionConfig {
  // two arms that each stop a servo's lag late still do not touch
  BetweenArmsConfig() { safety = 0.02; }
  Place place;
  // what is left out, by patterns as in `pairs`, which has nothing here
  std::vector<std::pair<std::string, std::string>> ignored_pairs;
};

/// Of a pair at distance d: d' >= -sqrt(2 a_d (d - delta_s)) in exact discrete time
/// (braking_bound()). The term dn/dt . (v_a - v_b) of d'' is left out: it is not negative, and
/// wrong for faces. Nearer than delta_s the gap opens with a time constant of 50 ms, never faster
/// than `recovery`. It has rows for the up to kMostUrgentPlaces places of a pair where braking must
/// begin first (distance.hpp), so that a face which turns does not come nearer with a corner that
/// nothing has slowed down. Rows that no accelerations within the joints' limits can violate are
/// left out, as are places that may still close kCalm faster: the QP stays small. What is too near
/// parts with slow joints: where a distance has its maximum below delta_s, no joint can open the
/// gap, and one that must would be thrown to and fro. Where the gap closes faster all the same, it
/// brakes with up to kMostBraking a_d, never more. It looks as far ahead as the slower of the two
/// robots needs (MechanismState::horizon), whichever of them takes a command. Pairs that overlap
/// part along their penetration's direction. While none of its pairs can have a row, by how far
/// apart all of them are and how fast anything moves, it costs one bound for all of them. (The
/// classical velocity damper, van Gorp 2022, eq. 3.30, is not here: it asks for accelerations
/// without bound, 100 m/s^2 at 1 m/s with the published triples, and alternates between given up
/// and kept where two arms rest against one another.)
class Collision : public Constraint {
 public:
  /// @throws InputError when a pattern matches no body with shapes, or nothing is left of the pairs
  Collision(const CollisionConfig& config, const ConstraintContext& context);
  /// Of every two bodies of different mechanisms, but for ignored ones and those that `others`
  /// keep apart already; none: when nothing is left.
  /// @throws InputError when a pattern of ignored pairs matches no body with shapes
  static std::unique_ptr<Collision> between_arms(const BetweenArmsConfig& config,
                                                 const ConstraintContext& context,
                                                 std::span<const Collision* const> others);
  std::vector<ConstraintRow> rows() const override;
  void update(const ControlSystem& system, ControlState& state, RowBlock rows) override;
  void declare(ChannelTable& channels, Rate rate) override;
  void publish(ChannelTable& channels, Nanoseconds stamp) const override;
  void state(StateArchive& archive) override { archive(nearest_, nearest_pair_); }

  const DistanceModel& model() const { return *model_; }
  /// Least distance of its pairs at the last update(), at most the influence distance; between arms
  /// at most that beyond which nothing matters at the speed they have [m].
  double nearest() const { return nearest_; }
  /// The pair that has it; -1: all are farther than that.
  int nearest_pair() const { return nearest_pair_; }
  /// What it calls itself in channels: "collision.4.nearest", "between_arms.nearest".
  bool is_between_arms() const { return between_arms_; }
  /// As of the last update: one a mechanism, then the surroundings, in the model's order.
  std::span<const RobotData* const> robots() const { return robots_; }
  const CollisionConfig& config() const { return config_; }

  struct Near {
    std::string pair;       // "left.hand - right.link5"
    double distance = 0.0;  // [m]
  };
  /// Pairs that are nearer than they are to be kept, at the state of the last update_state(). Not
  /// for a tick.
  std::vector<Near> inside_margin(const ControlState& state);

 private:
  Collision(const CollisionConfig& config, const ConstraintContext& context,
            std::vector<BodyPair> pairs, bool between_arms);
  void fill_row(const ControlSystem& system, ControlState& state, int p, const Distance& d,
                double dt, int r, RowBlock& rows);
  double look_ahead(const BodyPair& pair, const ControlState& state) const;

  CollisionConfig config_;
  std::unique_ptr<RobotData> surroundings_;
  std::unique_ptr<DistanceModel> model_;
  std::unique_ptr<DistanceData> data_;
  std::vector<const RobotData*> robots_;     // one a mechanism, then the surroundings
  std::vector<Eigen::RowVectorXd> fastest_;  // q'' of each mechanism's limits
  bool between_arms_ = false;
  int nearest_pair_ = -1;
  double nearest_ = 0.0;  // [m]
  NumberChannel nearest_channel_;
};

/// The keys of what keeps arms from one another.
Schema<BetweenArmsConfig> between_arms_schema();

void register_collision(ConstraintRegistry& registry);

}  // namespace handspan
