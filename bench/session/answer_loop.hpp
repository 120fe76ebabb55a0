#pragma once
// Two FR3, of which one follows a source whose answers have 10,000 numbers, ten a second.
#include <filesystem>

#include "bench/figure.hpp"

namespace handspan {

/// Numbers of an answer, at least.
inline constexpr std::size_t kAnswerNumbers = 10'000;

/// Of a tick that takes an answer, on a virtual clock.
/// @throws std::runtime_error when answers did not come as they should
TickSamples measure_answer_ticks(const std::filesystem::path& root);

/// Pairs of runs on the wall clock with and without answers, who is first alternates: the share of
/// late ticks with answers less that without.
TickSamples measure_late_answers(const std::filesystem::path& root);

}  // namespace handspan
