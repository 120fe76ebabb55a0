#pragma once
// A scene simulated by MuJoCo. Owns its own model, since belt speeds and weld poses live there.
// Observed after a step: positions and velocities at its end; forces, contacts and drive torques as
// they acted in it.
#include <filesystem>
#include <functional>
#include <memory>

#include "core/fixed_text.hpp"
#include "plant/plant.hpp"
#include "scene/scene.hpp"

namespace handspan {

struct Contact {
  int body_a = 0, body_b = 0;                     // indices into MujocoPlant::bodies()
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();  // [m]
  Eigen::Vector3d n_W = Eigen::Vector3d::Zero();  // unit, from A into B
  Eigen::Vector3d f_W = Eigen::Vector3d::Zero();  // force on B [N]
  double depth = 0.0;                             // [m]
};

/// One contact more than this in a step is left out of contacts() and counted.
inline constexpr std::size_t kMostContacts = 256;

class MujocoPlant : public Plant {
 public:
  /// @param scene kept by reference. @throws std::runtime_error when MuJoCo refuses it, InputError
  /// when a robot's rate is not a whole number of physics steps
  explicit MujocoPlant(const Scene& scene);
  /// Drives these robots only. The others of the scene are in it too, without groups and sensors of
  /// their own: they stand where show() puts them. @throws as above, and InputError for a robot
  /// that the scene does not have
  MujocoPlant(const Scene& scene, const std::vector<std::string>& robots);
  ~MujocoPlant() override;

  const PlantLayout& layout() const override;
  const Observation& read() override;
  void write(const Command& command) override;
  void advance() override;
  bool simulated() const override { return true; }
  const CommandFaults& faults() const override;
  void tare(int sensor) override;
  /// After a protective stop, which is what a simulation that diverged (a number is not finite or
  /// enormous) comes to: time goes on, nothing moves, the last good observation stands. The way
  /// back is the scene's start. @return true
  bool recover() override;
  using Plant::snapshot;
  void snapshot(std::vector<std::byte>& into) const override;
  void restore(std::span<const std::byte> bytes) override;

  /// Back to the scene's start.
  void reset();
  /// The scene has other numbers now (scene/scene_numbers.hpp): takes them over and goes back to
  /// its start, as a plant made of it would, bit for bit. @return false when more than numbers
  /// differs: nothing was done. @throws ConfigError when bodies start in one another; the plant is
  /// then good for a further renumber() only
  bool renumber();

  /// Simulated time [ns], exact.
  Nanoseconds time() const;

  /// Names of bodies; contacts and poses refer to them. [0] is the world.
  const std::vector<std::string>& bodies() const;
  /// @throws std::out_of_range
  int body(std::string_view name) const;
  /// The body that it is fixed to or jointed to; of what moves freely, and of the world: 0.
  int parent(int body) const;
  Pose body_pose(int body) const;
  /// V_WB: velocity of the body's origin and angular velocity, in W.
  Vector6d body_velocity(int body) const;
  /// Puts a free object somewhere, at a velocity; a cup that holds it lets go. What is observed is
  /// seen anew.
  /// @throws std::out_of_range when it is not an object of the scene
  void set_object(std::string_view name, const Pose& X_WB, const Vector6d& V_WB);

  /// Puts a free object against the lip of a cup, which holds it there with full vacuum and is
  /// switched on. @param cup a suction group, X_LB the object in the lip (its face's centre, z out
  /// of the cup). @throws std::out_of_range
  void hold_object(std::string_view cup, std::string_view object, const Pose& X_LB);
  /// Puts all free objects back to where they are at the scene's start, at rest, and gives belts
  /// their speeds of then; cups let go. Arms stay as they are. What is observed is seen anew.
  /// Allocates and throws nothing. @return the body of a robot that is where an object is to stand:
  /// nothing was done; -1: none
  int put_back_objects();
  /// Why a cup that is on holds nothing, in words. Allocates nothing.
  /// @throws std::out_of_range
  FixedText<166> why_not_sealed(std::string_view cup) const;
  /// How often a cup lost what it held to a pull. @throws std::out_of_range
  std::uint64_t broken_away(std::string_view cup) const;

  /// The groups with joints of robots that it does not drive.
  const std::vector<GroupLayout>& shown() const;
  /// Puts the joints of one of shown() where they are observed to be, for the next step: call it
  /// before each. In that step they move on at v, push what they touch with the arm's own inertia,
  /// and feel nothing of it afterwards. Where something is not finite they stay and are at rest.
  /// @param q [rad, m] (joints), v [rad/s, m/s] (joints)
  void show(std::size_t group, const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  /// The robots that it drives.
  const std::vector<std::string>& robots() const;

  std::span<const Contact> contacts() const;
  std::uint64_t contacts_left_out() const;

  /// speed [m/s] along the belt's x from the next step on. @throws std::out_of_range, InputError
  /// when it is not finite
  void set_belt_speed(std::string_view belt, double speed);
  double belt_speed(std::string_view belt) const;

  /// q and v of a robot's whole model (its description's order). @throws std::out_of_range
  void robot_state(std::string_view robot, const RobotModel& model, Eigen::Ref<Eigen::VectorXd> q,
                   Eigen::Ref<Eigen::VectorXd> v) const;

  /// All coordinates and velocities of the scene, in MuJoCo's order (nq), (nv).
  std::span<const double> positions() const;
  std::span<const double> velocities() const;

  /// Kinetic and potential energy [J]. For tests of closed forms.
  double energy() const;

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace handspan
