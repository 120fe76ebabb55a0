#pragma once
// A log's channels as rows at one rate: what the loop had at each instant. The log is run again
// from its inputs, so that every rate up to the loop's own is there whatever the log recorded; of a
// log whose bits do not come out here (another build, another CPU) the recorded streams are taken.
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "log/log_file.hpp"

namespace handspan {

/// What is known at one instant, tick by tick. Fields are those of RowSampler::fields().
class Row {
 public:
  virtual ~Row() = default;
  std::int64_t tick = 0;
  /// The field's value of this instant: measured then, or decided on what was measured then.
  virtual std::span<const double> at(std::size_t field) const = 0;
  /// The last value that the loop had before it acted at this tick. Of a reference or a command:
  /// what held in the tick before.
  virtual std::span<const double> before(std::size_t field) const = 0;
};

/// Snapshots before a tick; none from streams.
struct RowState {
  std::vector<std::byte> plant, loop;
};

struct RowOptions {
  Rate rate = {20, 1};
  bool states = false;   // take snapshots
  bool streams = false;  // do not run again: take what was recorded
  std::function<void(Nanoseconds now)> progress = {};
};

/// Ticks of the log, both inclusive.
struct Stretch {
  std::int64_t first = 0, last = 0;
};

class RowSampler {
 public:
  /// @param parts what the app in the log is made of; may go afterwards
  /// @throws ConfigError or InputError when the app in the log cannot be loaded
  RowSampler(LogFile& log, const Parts& parts, RowOptions options);
  ~RowSampler();

  /// The channels, in the order of their declaration; of streams: those that were recorded. Values
  /// of integers, booleans and choices are those of their integers.
  const std::vector<ChannelInfo>& fields() const;
  /// Index of a field; none: there is no such channel.
  std::optional<std::size_t> field(std::string_view name) const;

  /// Why the recorded streams are taken instead of a run; "" when it is run again.
  const std::string& instead() const;
  /// Highest rate that it has [Hz].
  double most_hz() const;

  /// Ticks of the rows of a stretch: one every period of the rate from its first tick on.
  std::vector<std::int64_t> ticks(const Stretch& stretch) const;
  /// Calls for each row, rising. A run that is not what was recorded is found on the way: from then
  /// on the streams are taken, for this stretch from its beginning.
  /// @param begin called before the first row, and again when that happens
  /// @param each its state is none without RowOptions::states
  /// @throws InputError when the rate is above most_hz()
  void rows(const Stretch& stretch, const std::function<void()>& begin,
            const std::function<void(const Row& row, const RowState* state)>& each);
  /// References of the tick before the row in hand, to the last bit; empty for streams.
  std::span<const Motion> references() const;
  /// Index of a reference among them. @throws InputError when there is none
  std::size_t reference(const std::string& name) const;
  const App& app() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace handspan
