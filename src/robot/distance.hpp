#pragma once
// Distances between bodies of robots and surroundings, with witness points and the rows that a
// constraint on a distance needs. What has a form of its own (shape_distance.hpp) is exact to
// rounding. The rest is MuJoCo's: meshes, boxes that are nearest with edges or corners, and
// overlaps of what is not round; GJK is exact to 1e-10 there. It allocates nothing and needs no
// build of its own (the packaged coal allocates three times a GJK pair). Letters: W world, A and B
// the two bodies.
#include <Eigen/Core>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "robot/model.hpp"

namespace handspan {

/// Two bodies whose distance is wanted; surroundings are a RobotModel without joints.
struct BodyPair {
  int robot_a = 0, body_a = 0;  // index of the model, index in its description
  int robot_b = 0, body_b = 0;
};

/// The nearest points of the nearest two shapes of a pair. Negative: they overlap by that depth.
struct Distance {
  double distance = 0.0;                           // [m]; clipped to the largest asked for
  Eigen::Vector3d p_WA = Eigen::Vector3d::Zero();  // witness points [m]
  Eigen::Vector3d p_WB = Eigen::Vector3d::Zero();
  Eigen::Vector3d n_W =
      Eigen::Vector3d::Zero();     // unit, from B to A: the direction in which A leaves B
  int shape_a = -1, shape_b = -1;  // index in the body's shapes; -1: farther than asked for
};

/// How fast a pair may close so that it can still be stopped with `deceleration`, `safety` apart;
/// in exact discrete time, the acceleration being constant over `dt`. Nearer than that it opens
/// with a time constant of 50 ms, at most at `recovery`.
struct Braking {
  double safety = 0.0;        // [m]
  double deceleration = 1.0;  // [m/s^2]
  double recovery = 0.1;      // [m/s]
  double dt = 0.001;          // [s]

  /// Least second derivative of a distance [m/s^2] that closes at `closing` [m/s] now.
  double bound(double distance, double closing) const;
};

class DistanceModel {
 public:
  /// @param robots kept by reference: they outlive this object
  /// @throws InputError when a pair names no body, twice the same, or a body without colliding
  /// shapes
  DistanceModel(std::vector<const RobotModel*> robots, std::vector<BodyPair> pairs);
  ~DistanceModel();
  DistanceModel(DistanceModel&&) noexcept;

  const std::vector<BodyPair>& pairs() const { return pairs_; }
  const std::vector<const RobotModel*>& robots() const { return robots_; }
  /// "forearm - bench", for messages
  std::string pair_name(int pair) const;

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  std::vector<const RobotModel*> robots_;
  std::vector<BodyPair> pairs_;
  std::unique_ptr<Impl> impl_;
};

/// Workspace; of one thread. What it keeps from call to call saves work, and the direction of two
/// shapes that touch exactly; a copy of no other part is needed to go on with the same answers.
class DistanceData {
 public:
  explicit DistanceData(const DistanceModel& model);
  ~DistanceData();
  DistanceData(DistanceData&&) noexcept;

  const Distance& operator[](int pair) const { return distances[static_cast<std::size_t>(pair)]; }
  std::vector<Distance> distances;  // one a pair

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// All distances at the poses in `robots` (update_kinematics done). Pairs farther apart than
/// `largest` [m] report `largest` and no shapes. Allocates nothing.
void update_distances(const DistanceModel& model, std::span<const RobotData* const> robots,
                      DistanceData& data, double largest);

/// What most_urgent() and nearest_distance() need and update_distances() includes: where the bodies
/// are and how they move, at the poses and velocities in `robots`. Allocates nothing.
void update_bodies(const DistanceModel& model, std::span<const RobotData* const> robots,
                   DistanceData& data);

/// Its two halves: how the bodies move, which is all that the questions below need; then where
/// their shapes are, which they otherwise find for those bodies alone that they look at.
void update_motions(const DistanceModel& model, std::span<const RobotData* const> robots,
                    DistanceData& data);
void update_shapes(const DistanceModel& model, DistanceData& data);

/// The least distance of all pairs, at most `largest` [m]. Pairs that cannot have it are passed
/// over: much cheaper than update_distances(). Needs update_motions(). Allocates nothing.
double nearest_distance(const DistanceModel& model, DistanceData& data, double largest);

/// The pair that had the least distance when nearest_distance() was asked last.
int nearest_pair(DistanceData& data);

inline constexpr int kMostUrgentPlaces = 3;
/// what may still close so much faster asks for nothing: no arm accelerates like that [m/s^2]
inline constexpr double kCalm = 10.0;
using MostUrgent = std::array<Distance, kMostUrgentPlaces>;

/// The places of a pair where braking must begin first, the most urgent (greatest Braking::bound())
/// first. Not only the nearest points count, but those of the bodies' other shapes too, and corners
/// of boxes (and of meshes of at most 32 vertices), ends of capsules and, of a cylinder's rims, the
/// point that is most urgent against a plane, each against the other body's shapes: they may close
/// faster than what is nearest now. When the nearest points go over from corner to corner, the
/// closing speed of the nearest ones jumps; these places' bounds are continuous. Several places,
/// since a face that is kept off at one of its corners alone turns towards the next one. Against
/// meshes only the nearest points count. Places within 2 cm are one. Places with a bound below
/// -kCalm are left out, and shapes and pairs that can have no other are not looked at: what matters
/// is how near they can be by what their bodies have moved, and how fast any of their points may
/// be. Needs update_motions(). Allocates nothing.
/// @return how many were found: none when the pair is farther apart than `largest`
int most_urgent(const DistanceModel& model, DistanceData& data, int pair, const Braking& braking,
                double largest, MostUrgent& found);

/// most_urgent() finds nothing in pairs that are not nearer than this, by how fast anything moves
/// now; at most `largest` [m]. With the longest dt of all pairs in `braking`. Needs
/// update_motions().
double calm_beyond(DistanceData& data, const Braking& braking, double largest);

/// Whether all pairs are known to be farther apart than `distance` [m], by one bound for all of
/// them: what it was when they were looked at last, less what anything has moved since. False: it
/// is not known. Needs update_motions(). Allocates nothing.
bool all_beyond(const DistanceModel& model, DistanceData& data, double distance);

/// d/dt distance = row v of robot `robot`, summed over the robots (1 x nv of that robot; zero where
/// it has no part). The row treats the points of `d`, a distance of `pair`, as fixed to their
/// bodies; their sliding changes it in second order only.
void distance_row(const DistanceModel& model, int pair, const Distance& d, int robot,
                  RobotData& robot_data, Eigen::Ref<Eigen::RowVectorXd> row);

/// The part of d2/dt2 distance that is not row v' (van Gorp 2022, eq. 3.32):
/// n . (dJ_a/dt v_a - dJ_b/dt v_b) + dn/dt . (v_a - v_b), with dn/dt of points fixed to their
/// bodies. The last term is never negative; it is left out at distances below 1 mm, where it is
/// singular, and without `with_direction`: it holds for points, and for faces it is too large.
double distance_bias(const DistanceModel& model, int pair, const Distance& d,
                     std::span<const RobotData* const> robots, bool with_direction = true);

}  // namespace handspan
