#pragma once
// Channels of a log as series: values with their times, for whoever does again what a log has.
// What is lost or not finite is refused here; data/series.hpp exports all that there is.
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "math/se3.hpp"
#include "record/mcap_reader.hpp"

namespace handspan {

/// An MCAP file, opened once for several channels: a log of handspan, or another's with ROS 2
/// messages. All of it is checked when it is opened.
struct ChannelLog {
  /// @throws InputError when it cannot be read
  explicit ChannelLog(std::filesystem::path path)
      : file(std::move(path)), reader(file, McapReader::Open::kChecked) {}

  std::filesystem::path file;
  McapReader reader;
};

/// A part of a log by its time, both ends inclusive [ns].
struct LogSpan {
  Nanoseconds from = 0;
  std::optional<Nanoseconds> to = std::nullopt;  // none: to its end
};

/// The value of a pose channel.
struct LoggedPose {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();            // [m]
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();  // unit
};

template <class T>
struct SeriesRow {
  Nanoseconds time = 0;   // in the log [ns]
  Nanoseconds stamp = 0;  // when the source had it [ns]
  T value;
};

struct SeriesOptions {
  std::string values = "";  // how messages call them; "": poses, wrenches, vectors
  std::size_t fewest = 2;   // rows
  // what stays as it is is not recorded again: the row that held when the part begins, too
  bool held = false;
};

/// The rows of a channel in a part of a log, by rising time; of rows of one time the first. T is
/// LoggedPose, Vector6d (a wrench: force [N], then torque [Nm]) or Eigen::VectorXd (a number or a
/// vector, in the channel's unit).
/// @param channel "reference.left_hand.pose"
/// @throws InputError with the file, the topic and a hint: some of the part was lost, there is no
/// such channel of that type, a value is not finite, or rows are too few
template <class T>
std::vector<SeriesRow<T>> read_series(const ChannelLog& log, const std::string& channel,
                                      const LogSpan& span, const SeriesOptions& options = {});

/// When what a log has at `time` [ns] is done again that begins at `begin` [ns], `speed` times as
/// fast [s after the start].
inline double replay_time(Nanoseconds time, Nanoseconds begin, double speed) {
  return seconds(time - begin) / speed;
}

}  // namespace handspan
