#pragma once
// What DistanceModel and DistanceData hide: of distance.cpp and urgent_distance.cpp alone.
#include "robot/distance.hpp"
#include "robot/mujoco_shapes.hpp"

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
  std::vector<Geom> geoms;
  std::vector<std::vector<int>> geoms_a, geoms_b;  // of each pair, indices into geoms
  MjModelPtr model;
};

struct DistanceData::Impl {
  MjDataPtr data;
};

}  // namespace handspan
