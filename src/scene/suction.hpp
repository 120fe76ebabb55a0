#pragma once
// A vacuum cup: a lip on a bellows, and when it seals, holds, breaks away and lets go. Letters: S
// the cup's site at rest (centre of the lip's face, z out of the cup), L the same on the lip, which
// the bellows lets move. The controller's model knows no bellows: to it the cup is rigid, S = L.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/schema.hpp"
#include "robot/description.hpp"

namespace handspan {

/// The numbers of a cup. N: double, or std::optional<double> where only some are given.
template <class N>
struct SuctionNumbers {
  struct Lip {
    N mass{};    // [kg], what moves with the lip; part of the site's body in the model file
    N radius{};  // of the rim that seals [m]
  } lip;
  struct Bellows {
    N shear{};          // [N/m], across S's z
    N normal{};         // [N/m], along it
    N tilt{};           // [N m/rad], about the lip's centre and an axis across z
    N torsion{};        // [N m/rad], about z
    N damping_ratio{};  // of each of the six directions alone, with whatever the cup holds
  } bellows;
  struct Seal {
    N angle{};  // largest between lip and face [rad]
    N gap{};    // largest between the face and what of the rim is nearest to it [m]
  } seal;
  struct Evacuation {
    N time_constant{};  // of the vacuum once lip and face meet [s]; 0: at once
    N holds_at{};       // share of the full vacuum at which the lip holds the face, (0, 1)
  } evacuation;
  struct Release {
    N delay{};  // from switching off to letting go [s]
  } release;
  struct BlowOff {
    N impulse{};  // along the lip's axis, on what was held and opposite on the lip [N s]
    N time{};     // over which it acts evenly, from the release on [s]; 0: no blow-off
  } blow_off;
  struct BreakAway {
    N force{};     // straight pull that breaks the full vacuum's hold [N]
    N friction{};  // of the lip on the face, against shear and torsion
  } break_away;
};

struct SuctionDescription : SuctionNumbers<double> {
  std::string name;
  std::string site;   // S
  std::string shape;  // the lip
  std::vector<std::string>
      bellows_shapes;  // of the same body: they give way, so that nothing in a scene touches them
  std::string holds;   // of a scene: the object that it holds at the start, as it lies there
};

/// What a scene changes of a cup.
struct SuctionChanges : SuctionNumbers<std::optional<double>> {
  Place place;
  std::optional<std::string> holds;
};

struct SuctionEntry : SuctionDescription {
  Place place;
};

/// As robot.yaml has it.
Schema<SuctionEntry> suction_schema();
/// As a scene has it: any of the numbers again, and what is held at the start.
Schema<SuctionChanges> suction_changes_schema();
void change(SuctionDescription& suction, const SuctionChanges& changes);

/// What is wrong between a cup and its model: cause and hint. The names must be known ones.
std::vector<std::pair<std::string, std::string>> suction_faults(
    const SuctionDescription& suction, const ModelDescription& description);

/// The model with the cup's lip as a body of its own on six passive joints (three slides and three
/// hinges, SUCTION.x .y .z .rx .ry .rz, about the lip's centre), named as the lip's shape. Mass and
/// inertia of the whole stay. Its frame is L. A ring of small balls under the rim is what touches:
/// flat on a face it rests on all of them.
/// @throws InputError when suction_faults() has some
ModelDescription with_lip(ModelDescription description, const SuctionDescription& suction);

/// Inertia of the lip about its centre, in S [kg m^2]; it has the density of a uniform lip.
Inertial lip_inertial(const SuctionDescription& suction, const ModelDescription& description);

inline constexpr int kLipBalls = 8;
/// "lip.ball1" ...
std::string lip_ball(const SuctionDescription& suction, int i);
/// SUCTION.x .y .z .rx .ry .rz
std::string lip_joint(const SuctionDescription& suction, int i);
/// Stiffness of each of them [N/m, N m/rad].
double lip_stiffness(const SuctionDescription& suction, int i);

}  // namespace handspan
