#pragma once
// The truth of a simulated world, as a motion capture that sees everything would give it, and the
// hands that reach into it. Controllers see none of it: they have what a plant observes. Judges,
// metrics, the log and the page's picture do, and so do modes that put a scene back.
// W: world; B: a body, at its origin. Spatial vectors are linear first, angular last.
#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fixed_text.hpp"
#include "core/time.hpp"
#include "math/pose.hpp"
#include "math/se3.hpp"
#include "plant/plant.hpp"

namespace handspan {

/// Of two bodies in the last step.
struct Contact {
  int body_a = 0, body_b = 0;                     // indices into World::bodies()
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();  // [m]
  Eigen::Vector3d n_W = Eigen::Vector3d::Zero();  // unit, from A into B
  Eigen::Vector3d f_W = Eigen::Vector3d::Zero();  // force on B [N]
  double depth = 0.0;                             // [m]
};

/// One contact more than this in a step is left out of contacts().
inline constexpr std::size_t kMostContacts = 256;

/// Names are those of the scene. A lookup by name allocates nothing, but for its error; where
/// nothing else is said it throws std::out_of_range with the names there are. Nothing else throws,
/// and what is called in a tick (all but snapshot() and divergence()) does not allocate.
class World {
 public:
  virtual ~World() = default;

  /// Between steps [ns].
  virtual Nanoseconds period() const = 0;
  /// Simulated time, exact [ns].
  virtual Nanoseconds time() const = 0;

  // bodies

  /// Their names. [0] is the world.
  virtual const std::vector<std::string>& bodies() const = 0;
  /// Index into bodies().
  int body(std::string_view name) const;
  /// The body that it is fixed to or jointed to; of what moves freely, and of the world: 0.
  virtual int parent(int body) const = 0;
  /// X_WB [m].
  virtual Pose body_pose(int body) const = 0;
  /// V_WB: velocity of the body's origin and angular velocity, in W [m/s, rad/s].
  virtual Vector6d body_velocity(int body) const = 0;
  /// As they acted in the last step, at most kMostContacts.
  virtual std::span<const Contact> contacts() const = 0;

  // robots

  /// Those whose drives are simulated. The others of the scene stand where show() puts them.
  virtual const std::vector<std::string>& robots() const = 0;
  /// Of a robot's whole model, in its description's order, whether it is driven or shown.
  /// @param q [rad, m] (nq), v [rad/s, m/s] (nv)
  virtual void robot_state(std::string_view robot, Eigen::Ref<Eigen::VectorXd> q,
                           Eigen::Ref<Eigen::VectorXd> v) const = 0;
  /// The groups with joints of robots that other plants drive.
  virtual const std::vector<GroupLayout>& shown() const = 0;
  /// Puts the joints of one of shown() where they are observed to be, for the next step: call it
  /// before each. In that step they move on at v, push what they touch with the arm's own inertia,
  /// and feel nothing of it afterwards. Where something is not finite they stay and are at rest.
  /// @param q [rad, m] (joints), v [rad/s, m/s] (joints)
  virtual void show(std::size_t group, const Eigen::VectorXd& q, const Eigen::VectorXd& v) = 0;

  // suction cups of the robots whose drives are simulated

  /// Their groups' names.
  virtual const std::vector<std::string>& cups() const = 0;
  /// @param cup index into cups()
  virtual CupState cup(int cup) const = 0;
  /// Why a cup that is on holds nothing, in words.
  virtual FixedText<166> why_not_sealed(std::string_view cup) const = 0;

  // belts

  /// Of the surface along the belt's x, as it is set [m/s].
  virtual double belt_speed(std::string_view belt) const = 0;
  /// From the next step on. @throws std::out_of_range as above, InputError when it is not finite
  virtual void set_belt_speed(std::string_view belt, double speed) = 0;

  // hands that reach into it

  /// From the next step on a force and a torque act on a body, until they are set anew; zeros end
  /// them. Not for objects that a cup holds: it sets theirs in each step.
  /// @param body index into bodies()  @param p_W where the force acts now; it is moved with the
  /// body by whoever sets it anew [m]  @param F_W force and torque [N, N m]
  virtual void push(int body, const Eigen::Vector3d& p_W, const Vector6d& F_W) = 0;
  /// Puts a free object somewhere, at a velocity; a cup that holds it lets go. What is observed is
  /// seen anew. @param V_WB [m/s, rad/s]
  virtual void set_object(std::string_view name, const Pose& X_WB, const Vector6d& V_WB) = 0;
  /// Puts all free objects back to where they are at the scene's start, at rest, and gives belts
  /// their speeds of then; cups let go. Arms stay as they are. What is observed is seen anew.
  /// @return the body of a robot that is where an object is to stand: nothing was done; -1: none
  virtual int put_back_objects() = 0;

  // its numbers

  /// All coordinates and velocities, in the engine's order: what a tick's hash is of.
  virtual std::span<const double> positions() const = 0;
  virtual std::span<const double> velocities() const = 0;
  /// Whether its numbers ran away. It then stands still with its last good observation, and nothing
  /// is true of it any more.
  virtual bool diverged() const = 0;
  /// What ran away: "the velocity of 'box' is not finite or too large". Empty: nothing did.
  virtual std::string divergence() const = 0;
  /// Everything that a run changes, as Plant::snapshot() of the plant that simulates it: what a
  /// picture is drawn of later. Allocates nothing when the buffer has room.
  virtual void snapshot(std::vector<std::byte>& into) const = 0;
};

/// @param world none: nothing is simulated, and nothing diverged
inline bool diverged(const World* world) { return world != nullptr && world->diverged(); }

}  // namespace handspan
