#include "scene/suction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/config.hpp"
#include "core/index.hpp"
#include "scene/mass_properties.hpp"

namespace handspan {
namespace {

// The balls' share of the rim's radius: small, so that the rim is where it is said to be.
constexpr double kBallShare = 0.05;

// A number that robot.yaml must give and a scene may.
template <class N, class T, class M>
ObjectSchema<T> key(const ObjectSchema<T>& schema, const char* name, M member,
                    const Schema<double>& value, const char* doc = "") {
  if constexpr (std::same_as<N, double>)
    return schema.required(name, member, value, doc);
  else
    return schema.optional(name, member, value, doc);
}

template <class N, class T>
ObjectSchema<T> with_numbers(ObjectSchema<T> schema) {
  using All = SuctionNumbers<N>;
  using Lip = typename All::Lip;
  using Bellows = typename All::Bellows;
  using Seal = typename All::Seal;
  using Evacuation = typename All::Evacuation;
  using Release = typename All::Release;
  using BlowOff = typename All::BlowOff;
  using BreakAway = typename All::BreakAway;
  auto lip = object<Lip>("Lip");
  lip = key<N>(lip, "mass", &Lip::mass, number("kg").above(0).max(10),
               "what moves with it; part of the site's body in the model file");
  lip = key<N>(lip, "radius", &Lip::radius, number("m").above(0).max(1), "of the rim that seals");
  auto bellows = object<Bellows>("Bellows", "what the lip hangs on: springs about its centre");
  bellows =
      key<N>(bellows, "shear", &Bellows::shear, number("N/m").above(0).max(1e9), "across the axis");
  bellows = key<N>(bellows, "normal", &Bellows::normal, number("N/m").above(0).max(1e9),
                   "along the axis");
  bellows = key<N>(bellows, "tilt", &Bellows::tilt, number("N m/rad").above(0).max(1e9));
  bellows = key<N>(bellows, "torsion", &Bellows::torsion, number("N m/rad").above(0).max(1e9));
  bellows = key<N>(bellows, "damping_ratio", &Bellows::damping_ratio, number().min(0).max(2),
                   "of each direction alone, with whatever is held");
  auto seal = object<Seal>("Seal", "when lip and face meet well enough");
  seal = key<N>(seal, "angle", &Seal::angle, number("rad").min(0).max(0.8), "largest between them");
  seal = key<N>(seal, "gap", &Seal::gap, number("m").above(0).max(1),
                "largest between the face and what of the rim is nearest to it");
  auto evacuation = object<Evacuation>("Evacuation", "how the vacuum comes once they meet");
  evacuation = key<N>(evacuation, "time_constant", &Evacuation::time_constant,
                      number("s").min(0).max(100), "0: at once");
  evacuation = key<N>(evacuation, "holds_at", &Evacuation::holds_at, number().above(0).below(1),
                      "share of the full vacuum at which the lip holds the face");
  auto release = object<Release>("Release");
  release = key<N>(release, "delay", &Release::delay, number("s").min(0).max(100),
                   "from switching off to letting go, to the nanosecond");
  auto blow_off = object<BlowOff>("BlowOff", "pushes off what was held");
  blow_off = key<N>(blow_off, "impulse", &BlowOff::impulse, number("N s").min(0).max(100),
                    "along the lip's axis, and opposite on the lip");
  blow_off = key<N>(blow_off, "time", &BlowOff::time, number("s").min(0).max(100),
                    "from the release on; 0: no blow-off");
  auto break_away = object<BreakAway>(
      "BreakAway",
      "with F the vacuum's share of force, r the rim's radius: it holds while pull + 2 "
      "tilting moment / r <= F and shear (torsion / r with it) <= friction (F - pull)");
  break_away = key<N>(break_away, "force", &BreakAway::force, number("N").above(0).max(1e6),
                      "straight pull against the full vacuum");
  break_away = key<N>(break_away, "friction", &BreakAway::friction, number().min(0).max(100),
                      "of the lip on the face");
  if constexpr (std::same_as<N, double>)
    schema = schema.required("lip", &All::lip, lip)
                 .required("bellows", &All::bellows, bellows)
                 .required("seal", &All::seal, seal)
                 .required("break_away", &All::break_away, break_away);
  else
    schema = schema.optional("lip", &All::lip, lip)
                 .optional("bellows", &All::bellows, bellows)
                 .optional("seal", &All::seal, seal)
                 .optional("break_away", &All::break_away, break_away);
  return schema.optional("evacuation", &All::evacuation, evacuation)
      .optional("release", &All::release, release)
      .optional("blow_off", &All::blow_off, blow_off);
}

Eigen::Matrix3d about(const Inertial& inertial, const Eigen::Vector3d& p) {
  const Eigen::Vector3d c = inertial.X_BC.p - p;
  return inertial.inertia_B() +
         inertial.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
}

const Shape* shape_of(const BodyDescription& body, const std::string& name) {
  const auto found = std::ranges::find(body.shapes, name, &Shape::name);
  return found == body.shapes.end() ? nullptr : &*found;
}

// of the site's body
Inertial lip_in_body(const SuctionDescription& suction, const BodyDescription& body) {
  return uniform_inertial({*shape_of(body, suction.shape)}, suction.lip.mass);
}

Inertial without(const Inertial& whole, const Inertial& part) {
  const double mass = whole.mass - part.mass;
  const Eigen::Vector3d c = (whole.mass * whole.X_BC.p - part.mass * part.X_BC.p) / mass;
  const Eigen::Matrix3d I =
      about(whole, Eigen::Vector3d::Zero()) - about(part, Eigen::Vector3d::Zero());
  return Inertial::from_full(
      mass, c, I - mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose()));
}

bool can_be(const Inertial& inertial) {
  return inertial.principal.minCoeff() > 0.0 &&
         2.0 * inertial.principal.maxCoeff() <= inertial.principal.sum();
}

}  // namespace

Schema<SuctionEntry> suction_schema() {
  return with_numbers<double>(
      object<SuctionEntry>("Suction", "a vacuum cup")
          .place(&SuctionEntry::place)
          .required("name", &SuctionEntry::name, text().identifier())
          .required("site", &SuctionEntry::site, text(),
                    "centre of the lip's face, z out of the cup")
          .required("shape", &SuctionEntry::shape, text(), "the lip, of the site's body")
          .optional("bellows_shapes", &SuctionEntry::bellows_shapes, list(text()),
                    "of the same body; they give way: nothing in a scene touches them"));
}

Schema<SuctionChanges> suction_changes_schema() {
  return with_numbers<std::optional<double>>(
      object<SuctionChanges>("SuctionChanges", "keys of the cup in robot.yaml, again")
          .place(&SuctionChanges::place)
          .optional("holds", &SuctionChanges::holds, text(),
                    "an object that it holds at the start, as it lies there"));
}

void change(SuctionDescription& suction, const SuctionChanges& changes) {
  const auto take = [](double& to, const std::optional<double>& from) { to = from.value_or(to); };
  take(suction.lip.mass, changes.lip.mass);
  take(suction.lip.radius, changes.lip.radius);
  take(suction.bellows.shear, changes.bellows.shear);
  take(suction.bellows.normal, changes.bellows.normal);
  take(suction.bellows.tilt, changes.bellows.tilt);
  take(suction.bellows.torsion, changes.bellows.torsion);
  take(suction.bellows.damping_ratio, changes.bellows.damping_ratio);
  take(suction.seal.angle, changes.seal.angle);
  take(suction.seal.gap, changes.seal.gap);
  take(suction.evacuation.time_constant, changes.evacuation.time_constant);
  take(suction.evacuation.holds_at, changes.evacuation.holds_at);
  take(suction.release.delay, changes.release.delay);
  take(suction.blow_off.impulse, changes.blow_off.impulse);
  take(suction.blow_off.time, changes.blow_off.time);
  take(suction.break_away.force, changes.break_away.force);
  take(suction.break_away.friction, changes.break_away.friction);
  suction.holds = changes.holds.value_or(suction.holds);
}

std::vector<std::pair<std::string, std::string>> suction_faults(
    const SuctionDescription& suction, const ModelDescription& description) {
  std::vector<std::pair<std::string, std::string>> faults;
  const int index = description.frames[at(description.frame_index(suction.site))].body;
  if (index < 0) {
    faults.emplace_back(fmt::format("site '{}' of the cup is fixed in the world", suction.site),
                        "put it on the gripper");
    return faults;
  }
  const BodyDescription& body = description.bodies[at(index)];
  std::vector<std::string> shapes = suction.bellows_shapes;
  shapes.push_back(suction.shape);
  for (const auto& shape : shapes)
    if (!shape_of(body, shape))
      faults.emplace_back(fmt::format("shape '{}' is not of body '{}', as site '{}' is", shape,
                                      body.name, suction.site),
                          "put them on one body");
  if (!faults.empty()) return faults;
  if (suction.lip.mass >= body.inertial.mass)
    faults.emplace_back(fmt::format("lip.mass is {} kg, and body '{}' of which it is a part has {} "
                                    "kg",
                                    suction.lip.mass, body.name, body.inertial.mass),
                        "it must be less");
  else if (!can_be(without(body.inertial, lip_in_body(suction, body))))
    faults.emplace_back(
        fmt::format("lip.mass is {} kg; without a lip of that mass body '{}' has an inertia that "
                    "no body can have",
                    suction.lip.mass, body.name),
        "give it less, or the body more inertia");
  if (suction.blow_off.impulse > 0.0 && !(suction.blow_off.time > 0.0))
    faults.emplace_back("blow_off has an impulse and no time", "give it a time > 0");
  return faults;
}

Inertial lip_inertial(const SuctionDescription& suction, const ModelDescription& description) {
  const FrameDescription& site = description.frames[at(description.frame_index(suction.site))];
  const Inertial in_body = lip_in_body(suction, description.bodies[at(site.body)]);
  const Pose X_SB = site.X_BF.pose().inverse();
  return Inertial::from_full(in_body.mass, X_SB * in_body.X_BC.p,
                             X_SB.R * in_body.inertia_B() * X_SB.R.transpose());
}

ModelDescription with_lip(ModelDescription description, const SuctionDescription& suction) {
  const auto faults = suction_faults(suction, description);
  if (!faults.empty()) throw InputError(faults.front().first + "; " + faults.front().second);
  const FrameDescription& site = description.frames[at(description.frame_index(suction.site))];
  const Inertial inertial = lip_inertial(suction, description);
  BodyDescription& gripper = description.bodies[at(site.body)];
  gripper.inertial = without(gripper.inertial, lip_in_body(suction, gripper));
  for (auto& shape : gripper.shapes)
    if (std::ranges::count(suction.bellows_shapes, shape.name)) shape.collides = false;
  BodyDescription lip;
  lip.name = suction.shape;
  lip.parent = site.body;
  lip.X_PB = site.X_BF;
  lip.inertial = inertial;
  for (int i = 0; i < 6; ++i) {
    JointDescription joint;
    joint.name = lip_joint(suction, i);
    joint.type = i < 3 ? JointType::kPrismatic : JointType::kRevolute;
    joint.axis = Eigen::Vector3d::Unit(i % 3);
    lip.joints.push_back(std::move(joint));
  }
  const auto drawn = std::ranges::find(gripper.shapes, suction.shape, &Shape::name);
  Shape shape = std::move(*drawn);
  gripper.shapes.erase(drawn);
  const bool collides = shape.collides;
  shape.X_BG = Placement::from(site.X_BF.pose().inverse() * shape.X_BG.pose());
  shape.collides = false;
  const double ball = kBallShare * suction.lip.radius, ring = suction.lip.radius - ball;
  for (int i = 0; i < kLipBalls; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kLipBalls;
    Shape touching;
    touching.name = lip_ball(suction, i);
    touching.type = ShapeType::kSphere;
    touching.size = {ball, 0.0, 0.0};
    touching.X_BG.p = {ring * std::cos(angle), ring * std::sin(angle), -ball};
    touching.material = shape.material;
    touching.collides = collides;
    touching.rgba = shape.rgba;
    lip.shapes.push_back(std::move(touching));
  }
  lip.shapes.push_back(std::move(shape));
  description.bodies.push_back(std::move(lip));
  return description;
}

std::string lip_ball(const SuctionDescription& suction, int i) {
  return fmt::format("{}.ball{}", suction.shape, i + 1);
}

std::string lip_joint(const SuctionDescription& suction, int i) {
  constexpr const char* kNames[] = {"x", "y", "z", "rx", "ry", "rz"};
  return fmt::format("{}.{}", suction.name, kNames[i]);
}

double lip_stiffness(const SuctionDescription& suction, int i) {
  const auto& b = suction.bellows;
  return i < 2 ? b.shear : i == 2 ? b.normal : i < 5 ? b.tilt : b.torsion;
}

}  // namespace handspan
