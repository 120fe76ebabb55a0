#pragma once
// What DistanceModel and DistanceData hide: of distance.cpp and urgent_distance.cpp alone.
#include <limits>

#include "robot/distance.hpp"
#include "robot/mujoco_shapes.hpp"
#include "robot/shape_distance.hpp"

namespace handspan {

struct DistanceModel::Impl {
  struct Geom {
    int robot, body, shape;
    Pose X_BG;
    int id;  // in the compiled model
    ShapeType type;
    Eigen::Vector3d size;
    double radius;  // about the geom's centre [m]
    // points that may close faster than the nearest ones: centres in G of balls of radius `round`;
    // those of cylinders depend on the motion and are not here [m]
    std::vector<Eigen::Vector3d> corners;
    double round;
  };
  // one that is in a pair, and the ball around its shapes
  struct Body {
    int robot, body;
    std::vector<int> geoms;    // indices into geoms
    Eigen::Vector3d centre_B;  // [m]
    double radius;             // [m]
  };
  struct Pair {
    int a, b;   // indices into bodies
    int first;  // of its pairs of shapes, a's shapes times b's
  };
  std::vector<Geom> geoms;
  std::vector<Body> bodies;
  std::vector<Pair> pairs;
  int shape_pairs = 0;
  MjModelPtr model;
};

struct DistanceData::Impl {
  struct Motion {
    Eigen::Vector3d v, omega;  // of the body's point at the world's origin, in W
    Eigen::Vector3d centre = Eigen::Vector3d::Zero();  // of its ball, in W
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();   // of the body
    Eigen::Vector3d p = Eigen::Vector3d::Zero();       // of its origin, in W
    double travelled = 0.0;  // no point of it has moved farther since the start [m]
    double speed = 0.0;      // no point of its ball is faster [m/s]
    bool placed = false;     // its shapes are where it is
    Eigen::Vector3d at(const Eigen::Vector3d& p_WP) const { return v + omega.cross(p_WP); }
  };
  // of two shapes of a pair that may be the nearest ones: a bound by their balls [m]
  struct Candidate {
    double bound;
    int a, b, k;  // indices into geoms, and of the pair of shapes
  };
  MjDataPtr data;  // has the poses of what MuJoCo was asked for last
  std::vector<Motion> bodies;
  std::vector<PlacedShape> shapes;    // by the geom's id
  std::vector<Candidate> candidates;  // room for those of one pair
  // What follows only saves work: whatever it holds, the answers are the same.
  // Of each pair, and of each pair of shapes, a bound on its distance plus what both bodies had
  // travelled when it was found: less what they have travelled now, it still is one [m].
  std::vector<double> clear, shapes_clear;
  std::vector<Eigen::Vector3d> axes;  // from B to A, in W, of each pair of shapes; 0: none yet
  int nearest_pair = 0;
  // of all pairs: the least distance that was known when it was asked for, plus twice what anything
  // had moved then; the latter by now, and how fast anything moves [m, m/s]
  double all_clear = -std::numeric_limits<double>::infinity();
  double farthest = 0.0, fastest = 0.0;
};

/// Where the shapes of a body are, when they are not known for this tick.
void place_shapes(const DistanceModel::Impl& model, DistanceData::Impl& data, int body);

inline const Eigen::Vector3d& centre(const DistanceData::Impl& data,
                                     const DistanceModel::Impl::Geom& g) {
  return data.shapes[static_cast<std::size_t>(g.id)].p_WG;
}
inline const Eigen::Matrix3d& rotation(const DistanceData::Impl& data,
                                       const DistanceModel::Impl::Geom& g) {
  return data.shapes[static_cast<std::size_t>(g.id)].R_WG;
}

/// Distance of two geoms with witness points, less than `largest`, or nothing but a lower bound >=
/// `largest`. Where they touch exactly the direction is `axis`; it becomes the direction found, or
/// one along which they are as far apart as the bound says.
Distance geom_distance(const DistanceModel& model, DistanceData::Impl& data,
                       const DistanceModel::Impl::Geom& a, const DistanceModel::Impl::Geom& b,
                       double largest, Eigen::Vector3d& axis);

/// Lower bounds on the distance of two geoms: of the balls around them, and along `axis`, along
/// which no two of their points are nearer; -infinity when the axis is 0.
double least_of_balls(const DistanceData::Impl& data, const DistanceModel::Impl::Geom& a,
                      const DistanceModel::Impl::Geom& b);
double least_along(const DistanceData::Impl& data, const DistanceModel::Impl::Geom& a,
                   const DistanceModel::Impl::Geom& b, const Eigen::Vector3d& axis);

}  // namespace handspan
