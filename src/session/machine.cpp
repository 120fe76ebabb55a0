#include "session/machine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"

namespace handspan {
namespace {

std::vector<std::string> names_of(const MachineConfig& config) {
  std::vector<std::string> names;
  for (const auto& [name, state] : config.states) names.push_back(name);
  return names;
}

template <class Product, class Part>
std::unique_ptr<Product> make(const Part& part, const ModeContext& context,
                              const std::string& key) {
  try {
    return part.make(context);
  } catch (const ConfigError&) {
    throw;
  } catch (const InputError& error) {
    throw ConfigError({{part.place, key, "cannot be made: " + std::string(error.what()), ""}});
  }
}

}  // namespace

const char* name_of(EpisodeMark mark) {
  constexpr const char* kNames[] = {"start", "success", "failure", "discard"};
  return kNames[static_cast<std::size_t>(mark)];
}

std::vector<Issue> check_machine(const MachineConfig& config, const std::string& key) {
  std::vector<Issue> issues;
  const std::vector<std::string> names = names_of(config);
  const auto index = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  };
  if (!std::ranges::count(names, config.start)) {
    issues.push_back({config.place, key + ".start",
                      fmt::format("names the state '{}', which is not there", config.start),
                      did_you_mean(config.start, names, "there are")});
    return issues;
  }
  std::vector<bool> reached(names.size(), false);
  std::vector<std::size_t> open = {index(config.start)};
  reached[open.front()] = true;
  for (const auto& [name, state] : config.states)
    for (std::size_t t = 0; t < state.next.size(); ++t)
      if (!std::ranges::count(names, state.next[t].to))
        issues.push_back({state.next[t].place,
                          fmt::format("{}.states.{}.next[{}].to", key, name, t),
                          fmt::format("names the state '{}', which is not there", state.next[t].to),
                          did_you_mean(state.next[t].to, names, "there are")});
  for (const auto& [name, state] : config.states)
    if (state.timeout && !std::ranges::count(names, state.timeout->to))
      issues.push_back({state.timeout->place, fmt::format("{}.states.{}.timeout.to", key, name),
                        fmt::format("names the state '{}', which is not there", state.timeout->to),
                        did_you_mean(state.timeout->to, names, "there are")});
  while (!open.empty()) {
    const StateConfig& state = config.states[open.back()].second;
    open.pop_back();
    const auto reach = [&](const std::string& next) {
      const std::size_t to = index(next);
      if (to == names.size() || reached[to]) return;
      reached[to] = true;
      open.push_back(to);
    };
    for (const auto& transition : state.next) reach(transition.to);
    if (state.timeout) reach(state.timeout->to);
  }
  for (std::size_t s = 0; s < names.size(); ++s) {
    const StateConfig& state = config.states[s].second;
    if (!reached[s])
      issues.push_back({state.place, fmt::format("{}.states.{}", key, names[s]),
                        fmt::format("is never reached from '{}'", config.start),
                        "name it in a transition, or take it away"});
  }
  return issues;
}

Machine::Machine(const MachineConfig& config, const ModeContext& context)
    : name_(context.name), state_names_(names_of(config)) {
  for (const auto& [name, state_config] : config.states) {
    State state;
    state.episode = state_config.episode;
    state.final = state_config.final;
    std::vector<std::string> driven;
    for (std::size_t m = 0; m < state_config.modes.size(); ++m) {
      ModeContext mode_context = context;
      mode_context.name = fmt::format("{}.{}", name_, name);
      if (m > 0) mode_context.name += fmt::format(".{}", m + 1);
      const std::string key = fmt::format("machines.{}.states.{}.do[{}]", name_, name, m);
      const auto& part = state_config.modes[m];
      state.modes.push_back(make<Mode>(part, mode_context, key));
      PartParameters own(context.parameters, "mode." + mode_context.name);
      state.modes.back()->declare_parameters(own);
      for (const std::string& what : state.modes.back()->drives()) {
        if (std::ranges::count(driven, what))
          throw ConfigError(
              {{part.place, key,
                fmt::format("drives '{}', which another mode of the state drives", what),
                "let one of them"}});
        driven.push_back(what);
        for (const ReferenceIndex r : context.arbiter.references())
          if (context.arbiter.reference(r).name() == what) state.references.push_back(r);
      }
      state.keeps = state.keeps || state.modes.back()->keeps();
    }
    for (std::size_t t = 0; t < state_config.next.size(); ++t) {
      const auto& transition = state_config.next[t];
      Transition made;
      made.to = static_cast<std::size_t>(std::ranges::find(state_names_, transition.to) -
                                         state_names_.begin());
      for (std::size_t c = 0; c < transition.when.size(); ++c)
        made.when.push_back(make<Condition>(
            transition.when[c], context,
            fmt::format("machines.{}.states.{}.next[{}].when[{}]", name_, name, t, c)));
      state.next.push_back(std::move(made));
    }
    if (state_config.timeout)
      state.timeout = {
          std::llround(state_config.timeout->after * 1e9),
          static_cast<std::size_t>(std::ranges::find(state_names_, state_config.timeout->to) -
                                   state_names_.begin())};
    states_.push_back(std::move(state));
  }
  start_ = current_ = static_cast<std::size_t>(std::ranges::find(state_names_, config.start) -
                                               state_names_.begin());
}

std::vector<std::string> Machine::drives() const {
  std::vector<std::string> driven;
  for (const auto& state : states_)
    for (const auto& mode : state.modes)
      for (auto& what : mode->drives())
        if (!std::ranges::count(driven, what)) driven.push_back(what);
  return driven;
}

std::vector<Following> Machine::follows() const {
  std::vector<Following> all;
  for (const auto& state : states_)
    for (const auto& mode : state.modes)
      for (const Following& pair : mode->follows())
        if (!std::ranges::count(all, pair)) all.push_back(pair);
  return all;
}

std::string Machine::text() const {
  std::string text = fmt::format("machine {}\n", name_);
  for (std::size_t s = 0; s < states_.size(); ++s) {
    const State& state = states_[s];
    text +=
        fmt::format("  {}{}{}{}\n", state_names_[s], s == start_ ? " (start)" : "",
                    state.final ? " (final)" : "",
                    state.episode ? fmt::format(" (episode: {})", name_of(*state.episode)) : "");
    for (const auto& mode : state.modes) text += "    " + mode->text() + "\n";
    for (const auto& transition : state.next) {
      std::vector<std::string> when;
      for (const auto& condition : transition.when) when.push_back(condition->text());
      text += fmt::format("    -> {} {}\n", state_names_[transition.to],
                          when.empty() ? "at once" : fmt::format("{}", fmt::join(when, " and ")));
    }
    if (state.timeout)
      text += fmt::format("    -> {} when nothing else led on within {:g} s\n",
                          state_names_[state.timeout->to], seconds(state.timeout->after));
  }
  return text;
}

std::optional<EpisodeMark> Machine::start(const ModeMoment& at) {
  enter(start_, at);
  return states_[start_].episode;
}

void Machine::enter(std::size_t state, const ModeMoment& at) {
  // who moved in the state before has no authority in this one
  for (const ReferenceIndex r : states_[current_].references)
    if (!states_[state].keeps && !std::ranges::count(states_[state].references, r))
      at.arbiter.give_authority(r, {}, at.moment);
  current_ = state;
  entered_ = at.moment.now;
  ++entries_;
  at.events.add("mode", name_, state_names_[state]);
  for (auto& mode : states_[state].modes) mode->enter(at);
  for (auto& transition : states_[state].next)
    for (auto& condition : transition.when) condition->enter();
}

std::optional<EpisodeMark> Machine::update(const ModeMoment& at,
                                           std::span<const FixedText<62>> events) {
  State& state = states_[current_];
  bool done = true;
  for (auto& mode : state.modes) done = mode->update(at) && done;
  const ConditionMoment now{at, at.moment.now - entered_, done, events};
  for (auto& transition : state.next) {
    bool holds = true;
    // all are asked: some of them count how long they have held
    for (auto& condition : transition.when) holds = condition->holds(now) && holds;
    if (!holds) continue;
    enter(transition.to, at);
    return states_[current_].episode;
  }
  if (!state.timeout || now.since < state.timeout->after) return std::nullopt;
  tell_timeout(state, at);
  enter(state.timeout->to, at);
  return states_[current_].episode;
}

// what was waited for, as the first mode says that waits for something
void Machine::tell_timeout(const State& state, const ModeMoment& at) const {
  EventText waits;
  for (const auto& mode : state.modes)
    if (waits.empty()) waits = mode->waits_for(at);
  char text[EventText::kMost];
  const auto end =
      fmt::format_to_n(text, sizeof text, "'{}' came to no end in {:g} s{}{}; goes on with '{}'",
                       current_name(), seconds(state.timeout->after), waits.empty() ? "" : ": ",
                       waits.view(), state_names_[state.timeout->to]);
  at.events.add("timeout", name_, std::string_view(text, std::min(end.size, sizeof text)));
}

void Machine::state(StateArchive& archive) {
  archive.part("machine", name_);
  archive(current_, entered_, entries_);
  if (archive.loading() && current_ >= states_.size())
    throw InputError("the snapshot is damaged in the machine " + name_);
  for (auto& state : states_) {
    for (auto& mode : state.modes) mode->state(archive);
    for (auto& transition : state.next)
      for (auto& condition : transition.when) condition->state(archive);
  }
}

Schema<MachineConfig> machine_schema(const Parts& parts) {
  const auto transition =
      object<TransitionConfig>("Transition")
          .place(&TransitionConfig::place)
          .required("to", &TransitionConfig::to, text(), "a state")
          .optional("when", &TransitionConfig::when, list(parts.of<ConditionRegistry>().schema()),
                    "all of these hold; left out: at once");
  const auto timeout =
      object<TimeoutConfig>("Timeout")
          .place(&TimeoutConfig::place)
          .required("after", &TimeoutConfig::after, number("s").above(0), "in the state")
          .required("to", &TimeoutConfig::to, text(), "a state");
  const auto state =
      object<StateConfig>("State", "what is done, until a transition leads on")
          .place(&StateConfig::place)
          .optional("do", &StateConfig::modes, list(parts.of<ModeRegistry>().schema()),
                    "side by side")
          .optional("next", &StateConfig::next, list(transition), "the first that holds is taken")
          .optional("timeout", &StateConfig::timeout, timeout,
                    "where it goes on when no transition was taken in time; an event says so, and "
                    "what it waited for")
          .optional("episode", &StateConfig::episode,
                    choice<EpisodeMark>({{"start", EpisodeMark::kStart},
                                         {"success", EpisodeMark::kSuccess},
                                         {"failure", EpisodeMark::kFailure},
                                         {"discard", EpisodeMark::kDiscard}}),
                    "entering it begins an episode, or ends it so")
          .optional(
              "final", &StateConfig::final, boolean(),
              "a run ends when all machines are in such a state; with transitions, the station and "
              "a run of a stated length (--for) go on with them");
  return object<MachineConfig>("Machine", "a finite-state machine")
      .place(&MachineConfig::place)
      .required("start", &MachineConfig::start, text(), "the first state")
      .required("states", &MachineConfig::states, dictionary(state), "by name");
}

}  // namespace handspan
