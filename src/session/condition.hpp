#pragma once
// When a machine goes on to another state: after a time, when a mode is done, a pose reached, a
// force felt, a button pressed, an object held, an event come. Conditions register by name with a
// schema.
#include <memory>
#include <span>
#include <string>

#include "session/mode.hpp"

namespace handspan {

struct ConditionMoment {
  const ModeMoment& at;
  Nanoseconds since = 0;                  // the state was entered [ns], as time gone by
  bool done = false;                      // all modes of the state have come to their end
  std::span<const FixedText<62>> events;  // named events of this tick
};

class Condition {
 public:
  static constexpr char kKind[] = "condition";

  virtual ~Condition() = default;
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;
  Condition() = default;

  /// In every tick of its state. Allocates and throws nothing.
  virtual bool holds(const ConditionMoment& now) = 0;
  /// The state was entered.
  virtual void enter() {}
  /// In words: "after 2 s".
  virtual std::string text() const = 0;
  virtual void state(StateArchive&) {}
};

/// The context's name is that of the state.
using ConditionRegistry = Registry<Condition, const ModeContext&>;

/// after, done, reached, force, button, held, event, judged, holding.
void register_conditions(ConditionRegistry& registry);

}  // namespace handspan
