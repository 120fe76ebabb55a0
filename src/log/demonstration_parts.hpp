#pragma once
// What is done to a demonstration before it is repeated: idle ends are cut, parts are taken, times
// are warped.
#include <string>
#include <vector>

#include "log/logged_demonstration.hpp"
#include "plan/time_warp.hpp"

namespace handspan {

/// From which on something moves [m, rad].
inline constexpr double kMoves = 0.002, kTurns = 0.01;

/// Whether any of its pose channels leaves where it began by more than kMoves or kTurns, or a group
/// gets another command.
bool moves(const LoggedDemonstration& demonstration);

/// The part between two of its times [s], which begins where it was at `from`.
/// @pre 0 <= from < to <= its length
LoggedDemonstration clipped(const LoggedDemonstration& demonstration, double from, double to);

/// Without the time before anything moves and after everything came to rest, but for `margin` [s].
/// One in which nothing moves stays as it is.
LoggedDemonstration cut_idle_ends(const LoggedDemonstration& demonstration, double margin = 0.1);

/// Why a part of a demonstration begins where it does.
enum class PartBegin { kStart, kPause, kGripper, kContact };

/// "its start", "a pause", "a gripper", "a touch".
const char* name_of(PartBegin begin);

struct DemonstrationPart {
  double from = 0.0, to = 0.0;  // [s]
  PartBegin begin = PartBegin::kStart;
  std::string what;  // the group, or the channel that feels it; "" of others
};

/// Parts one after the other, from its beginning to its end: a part begins in the middle of each
/// pause (nothing moves by more than 10 mm/s or 3 deg/s for 0.3 s), with each other command of a
/// group, and where a touch begins. None is shorter than 0.1 s: a gripper counts before a touch,
/// and a touch before a pause.
std::vector<DemonstrationPart> split(const LoggedDemonstration& demonstration);

/// All of its times mapped, since that of its beginning.
LoggedDemonstration warped(LoggedDemonstration demonstration, const TimeWarp& warp);

}  // namespace handspan
