#pragma once
// A log says which plants its session had and how each ran; from that they are made again: the
// simulated ones run, the others give what they had observed.
#include "log/log_file.hpp"
#include "plant/plant_set.hpp"
#include "record/mcap.hpp"

namespace handspan {

/// For a log's metadata. @param plants none: the whole scene is simulated
McapMap plants_about(const PlantSet* plants);

/// Whether some plant of the log was no simulation, and whether all were none.
bool any_observed(const LogFile& log);
bool all_observed(const LogFile& log);

/// A session's plant, feed and mailboxes, to run a log again. @param app the log's, outlives it
/// @param open simulations are not run either: their observations are those of the log, which needs
/// one in full
/// @throws InputError when the log lacks observations, or has a simulation that only a program knew
SessionOptions replay_options(const LogFile& log, const App& app, bool open);

}  // namespace handspan
