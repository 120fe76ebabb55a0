#pragma once
// What a client is told once: scene, channels, devices, references, hands, parameters, machines
// (docs/protocol.md).
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "session/session.hpp"

namespace handspan {

/// What frames are made of, by index.
struct ShownLayout {
  std::vector<std::string> bodies, references;
  std::vector<ChannelInfo> channels;
};

ShownLayout shown_layout(Session& session);

/// What may be changed while the loop runs, within a range that is safe.
struct ParameterInfo {
  std::string name, unit;
  double value = 0.0, min = 0.0, max = 0.0;
};

/// Before the loop runs. Gains of tasks from a quarter to twice what the app says, speeds of belts,
/// payloads.
std::vector<ParameterInfo> parameters_of(Session& session);

/// The parts of a welcome that are the same for every client. Before the loop runs.
nlohmann::json describe_loop(Session& session, const std::vector<ParameterInfo>& parameters);

}  // namespace handspan
