#include "data/episodes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace handspan {

std::vector<Episode> episodes_or_all(const LogFile& log) {
  std::vector<Episode> episodes = log.episodes();
  if (episodes.empty())
    episodes.push_back({log.first_tick(), log.ticks(), "", "unmarked", "", "", {}});
  return episodes;
}

std::string lost_of(const LogFile& log, const Episode& episode) {
  for (const LostTicks& lost : log.lost())
    if (lost.first <= episode.end && lost.last >= episode.start)
      return fmt::format("the log lost {:.3f} to {:.3f} s", seconds(lost.first * log.base_period()),
                         seconds(std::min(lost.last, log.ticks()) * log.base_period()));
  return "";
}

}  // namespace handspan
