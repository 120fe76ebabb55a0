#pragma once
// A world without physics: everything in it is where a test puts it.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "plant/world.hpp"

namespace handspan::test {

class FakeWorld : public World {
 public:
  struct Body {
    Pose X_WB;
    Vector6d V_WB = Vector6d::Zero();
  };

  /// @param bodies beside the world, which is the first of bodies()
  FakeWorld(const std::vector<std::string>& bodies, std::vector<std::string> cups,
            std::vector<std::string> belts)
      : cups_(std::move(cups)), belts_(std::move(belts)) {
    names_.insert(names_.end(), bodies.begin(), bodies.end());
    bodies_.resize(names_.size());
    cup_states.resize(cups_.size());
    speeds_.resize(belts_.size());
  }

  /// To be changed by the test.
  Body& at(std::string_view name) { return bodies_[static_cast<std::size_t>(body(name))]; }
  void touch(std::string_view a, std::string_view b) {
    Contact contact;
    contact.body_a = body(a);
    contact.body_b = body(b);
    contacts_.push_back(contact);
  }
  void part_all() { contacts_.clear(); }
  void step() { time_ += period(); }
  std::vector<CupState> cup_states;  // one a cup
  bool runs_away = false;            // it diverged
  int put_back = 0;                  // how often its objects were

  Nanoseconds period() const override { return 1'000'000; }
  Nanoseconds time() const override { return time_; }
  const std::vector<std::string>& bodies() const override { return names_; }
  int parent(int) const override { return 0; }
  Pose body_pose(int body) const override { return bodies_[static_cast<std::size_t>(body)].X_WB; }
  Vector6d body_velocity(int body) const override {
    return bodies_[static_cast<std::size_t>(body)].V_WB;
  }
  std::span<const Contact> contacts() const override { return contacts_; }
  const std::vector<std::string>& robots() const override { return nothing_; }
  void robot_state(std::string_view, Eigen::Ref<Eigen::VectorXd>,
                   Eigen::Ref<Eigen::VectorXd>) const override {
    throw std::out_of_range("a fake world has no robots");
  }
  const std::vector<GroupLayout>& shown() const override { return shown_; }
  void show(std::size_t, const Eigen::VectorXd&, const Eigen::VectorXd&) override {}
  const std::vector<std::string>& cups() const override { return cups_; }
  CupState cup(int cup) const override { return cup_states[static_cast<std::size_t>(cup)]; }
  FixedText<166> why_not_sealed(std::string_view) const override { return "it is a fake"; }
  double belt_speed(std::string_view belt) const override { return speeds_[belt_of(belt)]; }
  void set_belt_speed(std::string_view belt, double speed) override {
    speeds_[belt_of(belt)] = speed;
  }
  void push(int, const Eigen::Vector3d&, const Vector6d&) override {}
  void set_object(std::string_view name, const Pose& X_WB, const Vector6d& V_WB) override {
    at(name) = {X_WB, V_WB};
  }
  int put_back_objects() override {
    ++put_back;
    return -1;
  }
  std::span<const double> positions() const override { return {}; }
  std::span<const double> velocities() const override { return {}; }
  bool diverged() const override { return runs_away; }
  std::string divergence() const override { return runs_away ? "it ran away" : ""; }
  void snapshot(std::vector<std::byte>& into) const override { into.clear(); }

 private:
  std::size_t belt_of(std::string_view name) const {
    const auto found = std::ranges::find(belts_, name);
    if (found == belts_.end()) throw std::out_of_range("there is no such belt");
    return static_cast<std::size_t>(found - belts_.begin());
  }

  std::vector<std::string> names_ = {"world"}, cups_, belts_, nothing_;
  std::vector<Body> bodies_;
  std::vector<double> speeds_;  // of belts [m/s]
  std::vector<Contact> contacts_;
  std::vector<GroupLayout> shown_;
  Nanoseconds time_ = 0;
};

}  // namespace handspan::test
