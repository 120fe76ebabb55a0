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

/// The live parameters that persons may set, in the order of the table: by its indices.
std::vector<std::size_t> persons_parameters(const ParameterTable& table);

/// The parts of a welcome that are the same for every client. Before the loop runs.
nlohmann::json describe_loop(Session& session);

}  // namespace handspan
