#pragma once
// Episodes of logs as demonstrations: rows of observations, and of the actions that followed them.
//
// Row k is of the tick that begins it. obs[k] is what was measured at that instant, before the loop
// acted; action[k] is where each reference is at the end of the row (in the last tick before row
// k + 1 begins); next_obs[k] is obs[k + 1]. states[k] is a snapshot of the plant and of the loop at
// the beginning of row k: from there, following the references to action[k], one gets states[k +
// 1]. At the loop's own rate that gives the same bits. At lower rates references between two rows
// are between() of them.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "data/actions.hpp"

namespace handspan {

struct DemonstrationOptions {
  Rate rate = {20, 1};
  ActionFrame frame = ActionFrame::kAbsolute;
  bool discarded = false;  // episodes that were discarded too
  bool states = false;
  bool streams = false;  // as in RowOptions
  // corrections, by the number of an episode among all logs, from 1
  std::map<int, std::string> outcomes, tasks;
  std::string task;  // of all that have no correction; "": as recorded
  std::function<void(const std::string& log, int episode, double share)> progress = {};
};

struct ObservationInfo {
  std::string name;  // "left_arm_q": dots are no part of a key in other programs
  std::string channel;
  std::string unit;
  std::vector<std::string> columns;  // "left.joint1", "x"
};

/// What all demonstrations of one data set have in the same way.
struct DemonstrationLayout {
  std::vector<ObservationInfo> observations;
  std::vector<ActionPart> actions;
  std::vector<std::string> action_columns;
};

/// Rows of matrices are one after the other.
struct Demonstration {
  int number = 0;      // of the episode, among all logs
  std::string source;  // name of the log's file
  Episode episode;     // with its outcome and task corrected
  std::size_t rows = 0;
  std::vector<double> time;                       // of each row, since the episode's beginning [s]
  std::vector<std::vector<double>> observations;  // one more row than `rows`
  std::vector<double> actions;                    // not scaled
  std::vector<std::vector<double>> absolute, relative;  // by part; of commands only absolute
  /// The references themselves, part by part, to the last bit: of a pose p, R (row by row), V and A
  /// (24), of joints q, v and a, of a wrench 6. None of commands, and none of streams.
  std::vector<std::vector<double>> exact;
  std::vector<RowState> states;  // one more than `rows`; none unless asked for
};

class Demonstrations {
 public:
  /// @param parts what the apps in the logs are made of; outlives this
  Demonstrations(const Parts& parts, DemonstrationOptions options)
      : parts_(parts), options_(std::move(options)) {}

  /// The log's episodes, one after the other; the whole log when it has none.
  /// @throws InputError when it cannot be read, or its channels are not those of the logs before
  void add(LogFile& log, const std::function<void(Demonstration&&)>& each);

  /// Of the logs so far.
  const DemonstrationLayout& layout() const { return layout_; }
  /// What was left out and why, and other things that whoever uses the data should know.
  const std::vector<std::string>& remarks() const { return remarks_; }
  /// How many episodes there were, with those that were left out.
  int episodes() const { return number_; }

 private:
  struct Maker;
  void agree(const LogFile& log, const RowSampler& sampler);
  bool takes(const LogFile& log, const Episode& episode, const RowSampler& sampler);

  const Parts& parts_;
  DemonstrationOptions options_;
  DemonstrationLayout layout_;
  std::vector<std::string> remarks_;
  int number_ = 0;
};

/// A channel's or reference's name as a key of other programs, which are identifiers: "left_arm_q".
std::string dataset_key(std::string name);

/// Whether a channel is something measured: positions, velocities and torques of groups, wrenches,
/// poses of tools and objects.
bool is_observation(const ChannelInfo& info);

/// The reference at a share of the way from one row to the next: its position on the cubic that has
/// the positions and velocities of both ends, its turn on the cubic of the rotation vector from the
/// first; joints likewise. Wrenches go straight.
/// @param share 0 ... 1 @param time between the two [s]
Motion between(const Motion& from, const Motion& to, double share, double time);

}  // namespace handspan
