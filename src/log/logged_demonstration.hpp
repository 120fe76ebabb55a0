#pragma once
// A demonstration out of a log: the poses that references or other channels had in a part of it,
// what grippers and cups were commanded, when something was touched, and where objects were. What
// is done to one before it is repeated is in demonstration_parts.hpp.
#include <Eigen/Core>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "log/log_file.hpp"
#include "log/log_series.hpp"
#include "math/trajectory.hpp"

namespace handspan {

/// Which part of a log, and what of it.
struct DemonstrationQuery {
  /// A number from 1 on, "last", or the words of its task; "": the whole log.
  std::string episode;
  double from = 0.0;                  // since the episode's, or the log's, beginning [s]
  std::optional<double> to;           // likewise; none: to its end [s]
  std::vector<std::string> poses;     // channels; one at least, "reference.left_hand.pose"
  std::vector<std::string> commands;  // groups: suction cups, grippers
  std::vector<std::string> objects;   // whose poses are asked for
  std::vector<std::string> wrenches;  // channels of what feels a touch
};

/// All times are since its beginning [s].
struct LoggedDemonstration {
  struct Named {
    std::string name;  // of the channel, or of the object
    std::vector<TimedPose> poses;
  };
  struct Commands {
    std::string group;
    // each that differs from the one before; the first holds at the beginning
    std::vector<TimedVector<Eigen::VectorXd>> values;
  };
  struct Touch {
    double time = 0.0;
    std::string channel;  // "left.wrist.wrench"
  };

  std::string name;       // for messages: "run.mcap, episode 2, 3.000 to 5.200 s"
  double length = 0.0;    // [s]
  Nanoseconds begin = 0;  // of the log's time
  double spacing = 0.0;   // of its poses, mostly: of a log in full one tick [s]
  std::vector<Named> poses;
  std::vector<Commands> commands;
  std::vector<Named> objects;
  std::vector<Touch> touches;  // where each begins, rising
};

/// What there is of a session's log: poses of references, commands of cups and grippers, objects,
/// and what feels a touch.
DemonstrationQuery all_of(const ChannelLog& log);

/// The part of a log that a query without channels is about. @throws InputError: there is no such
/// episode, naming those there are
LogSpan span_of(const std::filesystem::path& log, const DemonstrationQuery& query);

/// What the query asks for. Where a log that was not recorded in full left out poses that stayed as
/// they were, they stand still; between two others they go straight (math/trajectory.hpp).
/// @throws InputError naming the file, with cause and hint: no such episode or channel, a part of
/// it was lost, stamps go back, an object has no pose at the beginning
LoggedDemonstration read_demonstration(const std::filesystem::path& log,
                                       const DemonstrationQuery& query);
/// The same of a log that is open already.
LoggedDemonstration read_demonstration(const ChannelLog& log, const LogSpan& span,
                                       const DemonstrationQuery& query);

}  // namespace handspan
