#pragma once
// Nearest points of two shapes: closed forms and minimisations in one variable, without a start
// from an earlier call, so that the same poses give the same bits. Letters: W world, A and B the
// shapes.
#include <Eigen/Core>

#include "robot/description.hpp"

namespace handspan {

/// A box, sphere, capsule or cylinder at its place.
struct PlacedShape {
  ShapeType type = ShapeType::kSphere;
  Eigen::Vector3d size = Eigen::Vector3d::Zero();  // as Shape::size [m]
  Eigen::Matrix3d R_WG = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p_WG = Eigen::Vector3d::Zero();  // [m]
};

struct NearestPoints {
  double distance = 0.0;                           // [m]; negative: they overlap by that depth
  Eigen::Vector3d p_WA = Eigen::Vector3d::Zero();  // witness points [m]
  Eigen::Vector3d p_WB = Eigen::Vector3d::Zero();
  Eigen::Vector3d n_W = Eigen::Vector3d::UnitZ();  // unit, from B to A
};

/// What shape_distance() found.
enum class ShapeDistance {
  kFound,    // the nearest points, to rounding
  kBeyond,   // not nearer than `largest`: `distance` is a lower bound on the distance, and n_W a
             // direction along which no two points are nearer; no witness points
  kUnknown,  // nothing: a mesh, cylinders or boxes that overlap or touch what is no sphere, a
             // capsule whose axis does, or one of the few arrangements without a form of its own
};

/// Distance of two shapes.
///
/// Spheres and capsules are points and segments with a radius (Ericson, Real-Time Collision
/// Detection, 5.1.9). A segment's distance from a box or a cylinder is convex along the segment and
/// its derivative is known from the nearest point (point_distance.hpp), so that Newton's method
/// finds where it is least. A cylinder's nearest point lies on its side, on an end face or on a
/// rim:
/// - on its side where the capsule of its axis and radius, which holds the cylinder, has a normal
///   across the axis;
/// - on its face where the other shape's support point along the axis is over the face;
/// - on a rim where the least distance of the rim's points from the other shape, Newton's method
///   again, has a normal between those of the face and of the side.
/// Two boxes are at their greatest separation along one of the normals of their faces or of two
/// edges (Gottschalk, Lin, Manocha 1996) where the features that it belongs to are over one
/// another. All shapes are convex: a normal that belongs to both of the points proves that they are
/// the nearest ones, and what has no such proof is not returned.
///
/// @param largest [m] what is not nearer need not be found
ShapeDistance shape_distance(const PlacedShape& a, const PlacedShape& b, double largest,
                             NearestPoints& found);

}  // namespace handspan
