#pragma once
// The name that a log has for who acts while nobody at a page does.
#include <string_view>

#include "session/session.hpp"

namespace handspan {

inline constexpr std::string_view kNobodyActs = "nobody";

/// "scripted person" where the app has one, "the app's devices" where some have a thread of their
/// own (a gamepad), else kNobodyActs.
std::string_view acts_alone(const Session& session);

}  // namespace handspan
