#pragma once
// Why the rows of a QP could not all hold: a minimal set of rows that conflict, found off the
// control tick's path.
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "control/qp.hpp"

namespace handspan {

/// Indices (as in Qp::lower) of rows that cannot hold together, each of them needed for that: the
/// rest is feasible when any one is dropped, which is checked. Empty when all rows can hold.
/// Empty too when a number is not finite. Deletion filter with a feasibility problem a row; takes
/// milliseconds and allocates. Rows that come late in `qp` are kept before early ones when there
/// are several conflicts. Does not look at H and f.
/// @param tolerance by which a row may be violated, as a distance in x
std::vector<int> minimal_conflict(const Qp& qp, double tolerance = 1e-7);

/// "torque limit left.joint2 with collision left.forearm - bench"; "none: all rows can hold" of
/// none
std::string conflict_name(const std::vector<int>& conflict, const std::vector<QpRow>& rows);

/// Explains problems on a thread of its own, one at a time. offer() is what a control tick may
/// call.
class ConflictReporter {
 public:
  struct Entry {
    std::string name;         // conflict_name()
    std::uint64_t count = 0;  // how often it was found
    std::int64_t first_tick = 0;
  };

  /// @throws InputError when there is not one row a bound and row (n + m)
  ConflictReporter(int n, int m, std::vector<QpRow> rows);
  ~ConflictReporter();

  /// Copies the problem when the reporter is idle and returns true, else (or when it has another
  /// size) false and counts. No heap, no lock. From one thread at a time.
  bool offer(const Qp& qp, std::int64_t tick) noexcept;
  std::uint64_t passed_over() const { return passed_over_.load(); }
  /// Waits until what was offered is explained. Not for a tick.
  void flush();
  /// What was found so far, most frequent first. Not for a tick.
  std::vector<Entry> entries() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::atomic<std::uint64_t> passed_over_{0};
};

}  // namespace handspan
