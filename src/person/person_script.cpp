#include "person/person_script.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/object.hpp"
#include "core/values.hpp"

namespace handspan {

namespace {

using Kind = PersonAction::Kind;
constexpr const char* kSideNames[] = {"left", "right"};

// an action of a kind
Schema<PersonAction> of_kind(Kind kind, const Schema<PersonAction>& schema) {
  return schema.map([kind](PersonAction action) {
    action.kind = kind;
    return action;
  });
}

// each point is another place than the one before it
std::optional<Fault> check_through(const PersonAction& a) {
  for (std::size_t i = 0; i < a.through.size(); ++i) {
    const bool last = i + 1 == a.through.size();
    const Eigen::Vector3d& next = last ? (a.to ? *a.to : *a.by) : a.through[i + 1];
    if ((next - a.through[i]).norm() >= 1e-3) continue;
    return Fault{fmt::format("has point {} within a millimetre of {}", i + 1,
                             last ? "the end" : "the next one"),
                 "leave it out", "through"};
  }
  return std::nullopt;
}

Schema<PersonAction> move_schema() {
  return of_kind(
      Kind::kMove,
      object<PersonAction>("Move")
          .place(&PersonAction::place)
          .optional("see", &PersonAction::see, text(),
                    "pose channel of what is moved; left out: of the hand")
          .optional("to", &PersonAction::to, vector<3>("m"), "in the world, or in 'of'")
          .optional("by", &PersonAction::by, vector<3>("m"),
                    "instead: from where it is, along the world's axes")
          .optional("of", &PersonAction::of, text(), "pose channel of an object")
          .optional("rpy", &PersonAction::rpy, vector<3>("rad"),
                    "its turn in the world or in 'of'; left out: not cared for")
          .optional("tolerance", &PersonAction::tolerance, number("m").min(1e-4).max(1))
          .optional("turn_tolerance", &PersonAction::turn_tolerance, number("rad").min(1e-3).max(3))
          .optional("speed", &PersonAction::speed, number("m/s").above(0).max(10), "at most")
          .optional("until", &PersonAction::until, seen_value_schema(),
                    "then the person stops where they are")
          .optional("through", &PersonAction::through,
                    list(vector<3>("m")).max_size(ThroughPoints::kMost - 1),
                    "on the way there, without a rest at any of them; given as 'to' or 'by' is")
          .optional("through_contact", &PersonAction::through_contact, boolean(),
                    "goes on where a contact is felt; else the person gives it up there")
          .optional("patience", &PersonAction::patience, number("s").above(0),
                    "then the person gives it up")
          .check(
              [](const PersonAction& a) -> std::optional<Fault> {
                if (a.to.has_value() == a.by.has_value())
                  return Fault{a.to ? "goes to a place and by a way" : "goes nowhere",
                               "give to or by"};
                if (a.by && (a.of || a.rpy))
                  return Fault{"is for 'to'", "take it away", a.of ? "of" : "rpy"};
                return check_through(a);
              },
              "to or by"));
}

Schema<PersonAction> push_schema() {
  return of_kind(
      Kind::kPush,
      object<PersonAction>("Push")
          .place(&PersonAction::place)
          .optional("see", &PersonAction::see, text(),
                    "pose channel of what is moved; left out: of the hand")
          .required("by", &PersonAction::by, vector<3>("m"),
                    "along the world's axes, again and again")
          .required("until", &PersonAction::force, number("N").above(0).max(1e4),
                    "so much is felt; then the person stops where they are")
          .optional("speed", &PersonAction::speed, number("m/s").above(0).max(10), "at most")
          .optional("patience", &PersonAction::patience, number("s").above(0),
                    "then the person gives it up")
          .check(
              [](const PersonAction& a) -> std::optional<Fault> {
                if (a.by->norm() >= 1e-3) return std::nullopt;
                return Fault{"is a push of less than a millimetre", "give a way", "by"};
              },
              "a way"));
}

Schema<PersonAction> swing_schema() {
  return of_kind(Kind::kSwing,
                 object<PersonAction>("Swing")
                     .place(&PersonAction::place)
                     .optional("see", &PersonAction::see, text(),
                               "pose channel of what is moved; left out: of the hand")
                     .required("by", &PersonAction::by, vector<3>("m"), "along the world's axes")
                     .optional("turn", &PersonAction::turn, vector<3>("rad"),
                               "rotation vector of what is moved, along the world's axes")
                     .required("speed", &PersonAction::speed, number("m/s").above(0).max(10),
                               "of what is moved, at its fastest, in the middle")
                     .optional("release", &PersonAction::controls, list(text()),
                               "controls that are let go on the way")
                     .optional("at", &PersonAction::at, number().min(0).max(1),
                               "of the swing's time; 0.5 is at its fastest")
                     .optional("patience", &PersonAction::patience, number("s").above(0),
                               "to begin it; then the person gives it up")
                     .check(
                         [](const PersonAction& a) -> std::optional<Fault> {
                           if (a.by->norm() >= 1e-3) return std::nullopt;
                           return Fault{"is a swing of less than a millimetre", "give a way", "by"};
                         },
                         "a way"));
}

Schema<PersonAction> controls_schema(Kind kind, const char* name) {
  return of_kind(kind, object<PersonAction>(name)
                           .place(&PersonAction::place)
                           .required("controls", &PersonAction::controls, list(text()).min_size(1),
                                     "of the hand: left.trigger"));
}

Schema<PersonAction> pause_schema() {
  return of_kind(Kind::kPause, object<PersonAction>("Pause")
                                   .place(&PersonAction::place)
                                   .required("time", &PersonAction::time, number("s").min(0)));
}

Schema<PersonAction> wait_schema() {
  return of_kind(Kind::kWait, object<PersonAction>("Wait")
                                  .place(&PersonAction::place)
                                  .required("for", &PersonAction::awaited, seen_value_schema())
                                  .optional("patience", &PersonAction::patience,
                                            number("s").above(0), "then the person gives it up"));
}

Schema<PersonAction> rest_schema() {
  return of_kind(Kind::kGoToRest, object<PersonAction>("Rest").place(&PersonAction::place));
}

// <hand> is the hand's name, in lists of both hands
void name_hand(std::string& text, const char* side) {
  constexpr std::string_view kHand = "<hand>";
  for (std::size_t at; (at = text.find(kHand)) != std::string::npos;)
    text.replace(at, kHand.size(), side);
}

PersonAction of_hand(PersonAction action, const char* side) {
  action.together = true;
  for (auto* name : {&action.see, &action.of})
    if (*name) name_hand(**name, side);
  for (auto& control : action.controls) name_hand(control, side);
  name_hand(action.awaited.channel, side);
  if (action.until) name_hand(action.until->channel, side);
  return action;
}

struct StepFile {
  std::vector<PersonAction> left, right, both;
};

Schema<PersonStep> step_schema() {
  const auto actions = list(one_of<PersonAction>(
      "do", {{"move", move_schema(), "to a place, as it is seen"},
             {"push", push_schema(), "on and on, until a force is felt"},
             {"swing", swing_schema(), "at once by a way, letting go of something on it"},
             {"press", controls_schema(Kind::kPress, "Press")},
             {"release", controls_schema(Kind::kRelease, "Release")},
             {"pause", pause_schema()},
             {"wait", wait_schema(), "for what a channel shows"},
             {"rest", rest_schema(),
              "goes back to where the hand rests with the clutch open, and closes it there"}}));
  return object<StepFile>("Step", "what both hands do before the next step")
      .optional("left", &StepFile::left, actions, "one after the other")
      .optional("right", &StepFile::right, actions)
      .optional("both", &StepFile::both, actions,
                "both hands the same, erring alike; <hand> in a name is left or right")
      .check(
          [](const StepFile& s) -> std::optional<Fault> {
            const bool one = !s.left.empty() || !s.right.empty();
            if (one != s.both.empty())
              return Fault{one ? "has actions of one hand and of both" : "has no action",
                           "give both, or left and right"};
            return std::nullopt;
          },
          "both, or left and right")
      .map([](StepFile file) {
        PersonStep step{{std::move(file.left), std::move(file.right)}};
        for (const PersonAction& action : file.both)
          for (std::size_t side = 0; side < 2; ++side)
            step.actions[side].push_back(of_hand(action, kSideNames[side]));
        return step;
      });
}

struct HandsFile {
  PersonHandConfig left, right;
};

Schema<std::array<PersonHandConfig, 2>> hands_schema() {
  const auto hand =
      object<PersonHandConfig>("PersonHand")
          .optional("see", &PersonHandConfig::see, text(),
                    "pose channel of what it moves: reference.left_hand.pose")
          .optional("feels", &PersonHandConfig::feels, felt_value_schema(),
                    "the force on it: left.wrist.wrench")
          .optional("clutch", &PersonHandConfig::clutch, list(text()),
                    "controls that the person holds while moving it; none: it is followed always")
          .optional("rest", &PersonHandConfig::rest, vector<3>("m"),
                    "where it is at first, in the device's axes; left out: beside the person")
          .optional("reach", &PersonHandConfig::reach, number("m").above(0).max(2),
                    "it goes no farther from there: the person releases the clutch and goes back")
          .optional("turn_reach", &PersonHandConfig::turn_reach, number("rad").above(0).max(3));
  return object<HandsFile>("PersonHands")
      .optional("left", &HandsFile::left, hand)
      .optional("right", &HandsFile::right, hand)
      .map([](HandsFile file) {
        return std::array<PersonHandConfig, 2>{std::move(file.left), std::move(file.right)};
      });
}

}  // namespace

Schema<PersonConfig> person_schema(const MappingRegistry& mappings,
                                   const HeldDeviceRegistry& held) {
  using C = PersonConfig;
  return with_operator(object<C>("Person", "a scripted person, who acts by what they see"))
      .optional("holds", &C::holds, held.schema(),
                "what is in the hands; left out: the controllers of a headset")
      .optional("rate", &C::rate, number("Hz").min(1).max(1000), "of samples")
      .optional("jitter", &C::jitter, number("s").min(0).max(0.1), "of their times")
      .optional("resolution", &C::resolution, number("m").min(0).max(0.1),
                "positions are multiples of it")
      .optional("space", &C::space, space_schema(mappings),
                "as the source that follows the person has it")
      .optional("turn", &C::turn,
                choice<TurnAxes>({{"world", TurnAxes::kWorld}, {"body", TurnAxes::kBody}}),
                "likewise")
      .optional("scale", &C::scale, vector<3>().min(0.01), "likewise")
      .optional("hands", &C::hands, hands_schema())
      .optional("script", &C::script, list(step_schema()), "one step after the other")
      .optional("repeats", &C::repeats, boolean(), "the script, for ever")
      .optional(
          "give_up", &C::give_up, list(step_schema()),
          "what the person does when an action runs out of patience, or somebody acted in their "
          "place; then they begin the script anew. Left out: they go on with the next action")
      .optional("anew_when", &C::anew_when, list(seen_value_schema()),
                "beyond the first step the person lets go of everything and begins the script "
                "anew when any of these is seen");
}

}  // namespace handspan
