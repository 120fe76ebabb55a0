#pragma once
// The finite-state machines of an app: named states, each with modes that run in it and transitions
// with conditions. Several run side by side, such as one an arm.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/parts.hpp"
#include "session/condition.hpp"
#include "session/mode.hpp"

namespace handspan {

/// What entering a state says about the episode.
enum class EpisodeMark : std::uint8_t { kStart, kSuccess, kFailure, kDiscard };
/// "start", "success", "failure", "discard".
const char* name_of(EpisodeMark mark);

struct TransitionConfig {
  Place place;
  std::string to;
  std::vector<ConditionRegistry::Part> when;  // all must hold; none: at once
};

/// Where a state goes on when none of its transitions was taken in time.
struct TimeoutConfig {
  Place place;
  double after = 0.0;  // in the state [s]
  std::string to;
};

struct StateConfig {
  Place place;
  std::vector<ModeRegistry::Part> modes;
  std::vector<TransitionConfig> next;  // the first that holds is taken
  std::optional<TimeoutConfig> timeout;
  std::optional<EpisodeMark> episode;
  bool final = false;
};

struct MachineConfig {
  Place place;
  std::string start;
  std::vector<std::pair<std::string, StateConfig>> states;
};

/// The keys of a machine, with the modes and conditions that `parts` has now.
Schema<MachineConfig> machine_schema(const Parts& parts);

/// What is wrong with a machine as a graph: states that do not exist or are never reached. @param
/// key of the machine in the file: "machines.left"
std::vector<Issue> check_machine(const MachineConfig& config, const std::string& key);

class Machine {
 public:
  /// @param context its name is that of the machine
  /// @throws ConfigError when a mode or condition cannot be made, or two modes of a state drive the
  /// same
  Machine(const MachineConfig& config, const ModeContext& context);

  const std::string& name() const { return name_; }
  const std::vector<std::string>& states() const { return state_names_; }
  std::size_t current() const { return current_; }
  /// How often it went to a state, also to the same one again.
  std::uint32_t entries() const { return entries_; }
  const std::string& current_name() const { return state_names_[current_]; }
  bool in_final() const { return states_[current_].final; }
  /// Whether the present state leads on.
  bool goes_on() const { return !states_[current_].next.empty() || states_[current_].timeout; }
  /// What its modes drive, without doubles.
  std::vector<std::string> drives() const;
  /// Who may have authority over what in any of its states, without doubles.
  std::vector<Following> follows() const;
  /// States, modes and transitions in words, a line each.
  std::string text() const;

  // in a tick; nothing allocates or throws

  /// Enters the first state. @return its mark
  std::optional<EpisodeMark> start(const ModeMoment& at);
  /// Runs the state's modes, then takes at most one transition. @return the episode's mark of the
  /// state that was entered
  std::optional<EpisodeMark> update(const ModeMoment& at, std::span<const FixedText<62>> events);
  /// Instead of update() while everything is stopped: nothing goes on, times stand.
  void pause(Nanoseconds tick) { entered_ += tick; }
  void state(StateArchive& archive);

 private:
  struct Transition {
    std::size_t to = 0;
    std::vector<std::unique_ptr<Condition>> when;
  };
  struct Timeout {
    Nanoseconds after = 0;  // [ns]
    std::size_t to = 0;
  };
  struct State {
    std::vector<std::unique_ptr<Mode>> modes;
    std::vector<Transition> next;
    std::optional<Timeout> timeout;
    std::optional<EpisodeMark> episode;
    bool final = false;
    std::vector<ReferenceIndex> references;  // that its modes drive
    bool keeps = false;  // leaves those of the state before to whom they were given
  };

  void enter(std::size_t state, const ModeMoment& at);
  void tell_timeout(const State& state, const ModeMoment& at) const;

  std::string name_;
  std::vector<std::string> state_names_;
  std::vector<State> states_;
  std::size_t start_ = 0, current_ = 0;
  Nanoseconds entered_ = 0;  // [ns]
  std::uint32_t entries_ = 0;
};

}  // namespace handspan
