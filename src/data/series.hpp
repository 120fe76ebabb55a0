#pragma once
// The channels of a log as they were recorded, each at its own times.
#include <string>
#include <string_view>
#include <vector>

#include "log/log_file.hpp"

namespace handspan {

/// One channel's values as recorded. Between two of them the first holds: what does not change is
/// written once a second.
struct Series {
  std::string name;  // the channel's: "left.arm.q"
  ChannelType type = ChannelType::kVector;
  std::vector<std::string> columns;  // "left.joint1"; poses: "x" ... "qw"
  std::string unit;                  // as in ChannelInfo
  std::vector<std::int64_t> ticks;   // rising
  std::vector<Nanoseconds> stamps;   // of the source [ns]
  std::vector<double> values;        // row by row
  std::vector<std::string> words;    // of choices, a row each; else none
  std::vector<std::string> choices;  // of choices, all words
};

/// Names of a log's channels that have values, in the order of its topics.
/// @throws InputError when a message is damaged
std::vector<ChannelInfo> channels_of(const LogFile& log);

/// Channels of a log, in the order of its topics, read in one pass. @param only their names; none
/// named: all that have values
/// @throws InputError when a message is damaged, or a name is none of a channel that has values
std::vector<Series> series_of(const LogFile& log, const std::vector<std::string>& only = {});

/// A channel's unit, element by element: "m/s, rad/s" is of six elements m/s three times, then
/// rad/s.
std::vector<std::string> element_units(std::string_view unit, std::size_t elements);

/// Heads of a channel's columns: "x [m]", "left.joint1 [rad]", "value".
std::vector<std::string> column_names(const ChannelInfo& info);

}  // namespace handspan
