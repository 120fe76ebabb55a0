#pragma once
// Vacuum cups in a compiled scene: the lip's springs, the welds that hold, and whether a lip meets
// a face.
#include <mujoco/mujoco.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scene/scene.hpp"

namespace handspan {

/// Gives the lip's joints their springs, and adds one inactive weld of lip and object each
/// ("CUP-OBJECT"). The lip must be in the spec already (with_lip).
void add_cup(mjSpec* spec, const Scene& scene, const SuctionDescription& suction,
             const Inertial& lip);

/// Damping of each of the lip's joints [N s/m, N m s/rad] when what moves has these masses and
/// moments in the six directions.
std::array<double, 6> lip_damping(const SuctionDescription& suction,
                                  const std::array<double, 6>& inertia);

/// Mass and moments about L's axes of bodies that move with the lip (the lip among them), as they
/// lie in data.
std::array<double, 6> inertia_about_lip(const mjModel& model, const mjData& data, int lip,
                                        int object);

/// How a lip lies on a face.
struct LipFit {
  double gap = 0.0;    // of the nearest point of the rim, along the lip's axis [m]; < 0: in it
  double angle = 0.0;  // between lip and face [rad]
};

/// What keeps a lip from sealing.
enum class SealFault : std::uint8_t { kNone, kOverEdge, kTooFar, kTilted, kUneven };

/// The lip's ring of rays against the shapes of one object that may touch the lip. A ray starts as
/// far behind the rim as the rim is wide.
class SealProbe {
 public:
  /// @throws std::out_of_range when the model lacks the lip or the object
  SealProbe(const mjModel& model, const SuctionDescription& suction, const std::string& object);

  /// Whether the object is near enough to be worth a look; poses may be a step old.
  bool near(const mjModel& model, const mjData& data) const;
  /// Nothing unless all of the rim is over a face that is flat to seal.gap, with gap and angle
  /// within those of the seal. Needs poses as they are now.
  std::optional<LipFit> fit(const mjModel& model, const mjData& data) const;
  /// What is wrong, and how it lies there (but for kOverEdge).
  SealFault look(const mjModel& model, const mjData& data, LipFit& fit) const;

  int lip() const { return lip_; }  // bodies
  int object() const { return object_; }

 private:
  double radius_, gap_, angle_;
  int lip_, object_;
  std::vector<int> geoms_;
};

}  // namespace handspan
