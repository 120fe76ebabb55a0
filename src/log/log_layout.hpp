#pragma once
// What stands where in a log of a session: topics and metadata, shared by the recorder, the replay
// and the exporters. docs/logs.md describes it for users.
#include <string>
#include <string_view>

#include "core/channel.hpp"
#include "session/session.hpp"

namespace handspan {

inline constexpr char kRobotTopic[] = "/robot_description";  // std_msgs/String, URDF
inline constexpr char kTransformTopic[] = "/tf";             // tf2_msgs/TFMessage
inline constexpr char kHashTopic[] = "/handspan/hashes";     // handspan_msgs/TickHashes
inline constexpr char kKeyFrameTopic[] = "/handspan/key_frames";
inline constexpr char kEventTopic[] = "/handspan/events";
inline constexpr char kInputTopic[] = "/handspan/inputs";
inline constexpr char kObservationTopic[] = "/handspan/observations";  // of real plants
inline constexpr char kRunMetadata[] = "handspan";                     // name of the metadata
// attachments: files under their paths from their common folder, with this before them
inline constexpr char kFilePrefix[] = "files/";

/// Channels are recorded at this rate where not in full.
inline const Rate kRecordRate{60, 1};
/// Transforms, which only viewers need, at this one.
inline const Rate kTransformRate{30, 1};

/// "/left/arm/q" of "left.arm.q".
std::string topic_of(std::string_view channel);

// keys of the metadata
inline constexpr char kVersionKey[] = "format";
// 3: the words of docs/renamed.md
inline constexpr char kFormat[] = "3", kFormerFormat[] = "2";
inline constexpr char kUnixStartKey[] = "start_unix_ns";      // of the run's time 0
inline constexpr char kSteadyStartKey[] = "start_steady_ns";  // of it, by the machine's clock
// of a log that `handspan import-data` made of a file of others: that file's name, and its reader's
inline constexpr char kImportedKey[] = "imported_from", kImportedAsKey[] = "imported_as";
inline constexpr char kPlantKey[] = "plant";  // of all plants together; logged_plants.hpp has each
inline constexpr char kSimulated[] = "simulated";
inline constexpr char kObserved[] = "observed";
inline constexpr char kMixed[] = "mixed";

}  // namespace handspan
