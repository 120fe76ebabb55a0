#pragma once
// A vacuum cup at work in a simulated scene: valve, vacuum, hold, break-away, release, blow-off.
// Its instants are nanoseconds: the plant ends a piece of its step at each. Nothing allocates or
// throws.
#include <limits>

#include "core/fixed_text.hpp"
#include "core/time.hpp"
#include "scene/mujoco_suction.hpp"

namespace handspan {

class SuctionCup {
 public:
  static constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();

  /// What a run changes; without padding, so that it is copied as it is.
  struct State {
    double command = 0.0;      // > 0.5: vacuum; else off, and >= -0.5: with blow-off
    std::int64_t valve = 0;    // as it stands: 1, 0, -1
    std::int64_t object = -1;  // that the lip lies on or holds, index of the scene's objects
    std::int64_t held = 0;     // whether it holds it
    Nanoseconds met = 0;       // since when the vacuum comes
    Nanoseconds release = kNever;
    std::int64_t blown = -1;  // object
    Nanoseconds blow_begin = kNever, blow_end = kNever;
    double p_B[3] = {0, 0, 0};  // where it is blown, and its direction there, in its body
    double n_B[3] = {0, 0, 0};
    double damping[6] = {0, 0, 0, 0, 0, 0};  // of the bellows with what it holds, else 0
    double load = 0.0;                       // share of what would break it away
    std::uint64_t broken = 0;                // holds that broke away
  };

  /// @param scene, suction are kept by reference. @throws std::out_of_range
  SuctionCup(const Scene& scene, const SuctionDescription& suction, const mjModel& model);

  /// Off and empty.
  void reset(mjModel& model);
  /// Holds what the scene says that it holds at the start, if anything. Needs poses.
  void start(mjModel& model, mjData& data);
  /// Holds an object as it lies, with full vacuum. Needs poses.
  void hold(std::int64_t object, mjModel& model, mjData& data);
  /// Forgets what it holds, without delay or blow-off.
  void let_go(mjModel& model, mjData& data);
  /// Puts what the state says into the model.
  void restore(mjModel& model) const;

  void command(double value) { state_.command = value; }
  /// At a step's beginning: the valve goes where it was commanded.
  void switch_valve(Nanoseconds now);
  /// When it takes hold or lets go next.
  Nanoseconds next() const;
  /// Does what is due now. Needs poses.
  void act(Nanoseconds now, mjModel& model, mjData& data);

  /// Before a piece of a step: the damping of what it holds. MuJoCo's own would act from the step's
  /// end on the light lip alone, after the weld's force is found without it.
  void damp(mjData& data) const;
  bool blows(Nanoseconds from, Nanoseconds to) const {
    return state_.blown >= 0 && state_.blow_begin < to && state_.blow_end > from;
  }
  /// Adds the blow-off's mean force from one instant to the next. Needs poses.
  void blow(Nanoseconds from, Nanoseconds to, mjData& data) const;
  /// Takes it away.
  void still(mjData& data) const;

  /// After a piece of a step: breaks away where more was pulled than holds.
  void strain(Nanoseconds now, mjModel& model, mjData& data);
  /// Whether it is worth a look at what the lip lies on; poses may be a step old.
  bool looks(const mjModel& model, const mjData& data) const;
  /// At a step's end: whether lip and a face meet. Needs poses.
  void look(Nanoseconds now, mjModel& model, mjData& data);

  /// Why it holds nothing, in words. Needs poses.
  FixedText<166> why_not(const mjModel& model, const mjData& data) const;

  bool held() const { return state_.held != 0; }
  std::int64_t object() const { return state_.object; }
  int lip() const { return lip_; }  // body
  /// Share of the full vacuum.
  double vacuum(Nanoseconds now) const;

  State& state() { return state_; }
  const State& state() const { return state_; }

 private:
  void join(mjModel& model, mjData& data);
  void part(mjModel& model, mjData& data);

  const SuctionDescription& suction_;
  Nanoseconds until_holds_, delay_, blow_time_;
  int lip_;
  std::array<int, 6> qpos_, dof_;
  std::array<double, 6> empty_damping_;  // the model's
  struct Object {
    int weld, body;
    SealProbe probe;
  };
  std::vector<Object> objects_;
  struct Geom {
    int id, contype, conaffinity;
  };
  std::vector<Geom> balls_;
  struct Pair {
    int id;
    double gap;
  };
  std::vector<Pair> pairs_;
  State state_;
};

}  // namespace handspan
