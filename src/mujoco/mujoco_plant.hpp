#pragma once
// A scene simulated by MuJoCo. Owns its own model, since belt speeds and weld poses live there.
// Observed after a step: positions and velocities at its end; forces, contacts and drive torques as
// they acted in it.
#include <memory>
#include <string>
#include <vector>

#include "plant/world.hpp"
#include "scene/scene.hpp"

namespace handspan {

class MujocoPlant : public Plant, public World {
 public:
  /// @param scene kept by reference. @throws std::runtime_error when MuJoCo refuses it, InputError
  /// when a robot's rate is not a whole number of physics steps
  explicit MujocoPlant(const Scene& scene);
  /// Drives these robots only. The others of the scene are in it too, without groups and sensors of
  /// their own: they stand where show() puts them. @throws as above, and InputError for a robot
  /// that the scene does not have
  MujocoPlant(const Scene& scene, const std::vector<std::string>& robots);
  ~MujocoPlant() override;

  // as a plant

  World* world() override { return this; }
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

  // as a world

  Nanoseconds period() const override;
  Nanoseconds time() const override;
  const std::vector<std::string>& bodies() const override;
  int parent(int body) const override;
  Pose body_pose(int body) const override;
  Vector6d body_velocity(int body) const override;
  std::span<const Contact> contacts() const override;
  const std::vector<std::string>& robots() const override;
  void robot_state(std::string_view robot, Eigen::Ref<Eigen::VectorXd> q,
                   Eigen::Ref<Eigen::VectorXd> v) const override;
  const std::vector<GroupLayout>& shown() const override;
  void show(std::size_t group, const Eigen::VectorXd& q, const Eigen::VectorXd& v) override;
  const std::vector<std::string>& cups() const override;
  CupState cup(int cup) const override;
  FixedText<166> why_not_sealed(std::string_view cup) const override;
  double belt_speed(std::string_view belt) const override;
  void set_belt_speed(std::string_view belt, double speed) override;
  void push(int body, const Eigen::Vector3d& p_W, const Vector6d& F_W) override;
  void set_object(std::string_view name, const Pose& X_WB, const Vector6d& V_WB) override;
  int put_back_objects() override;
  std::span<const double> positions() const override;
  std::span<const double> velocities() const override;
  bool diverged() const override;
  std::string divergence() const override;

  // more than a world need know

  /// How many contacts were left out of contacts() since the scene's start.
  std::uint64_t contacts_left_out() const;
  /// Puts a free object against the lip of a cup, which holds it there with full vacuum and is
  /// switched on. @param cup a suction group, X_LB the object in the lip (its face's centre, z out
  /// of the cup). @throws std::out_of_range with the names there are
  void hold_object(std::string_view cup, std::string_view object, const Pose& X_LB);
  /// How often a cup lost what it held to a pull. @throws std::out_of_range likewise
  std::uint64_t broken_away(std::string_view cup) const;
  /// Kinetic and potential energy [J]. For tests of closed forms.
  double energy() const;

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace handspan
