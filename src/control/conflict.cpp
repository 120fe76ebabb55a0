#include "control/conflict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "control/daqp_problem.hpp"
#include "core/error.hpp"

namespace handspan {
namespace {

// Whether some of the rows of a QP can hold together: min 1/2 |x|^2 over them, by DAQP.
class Feasibility {
 public:
  Feasibility(const Qp& qp, double tolerance)
      : n_(qp.unknowns()),
        all_(qp.unknowns() + qp.rows()),
        tolerance_(tolerance),
        identity_(RowMajorMatrix::Identity(n_, n_)),
        A_(qp.A),
        zero_(Eigen::VectorXd::Zero(n_)),
        lower_(qp.lower),
        upper_(qp.upper),
        pass_lower_(Eigen::VectorXd::Constant(all_, -DAQP_INF)),
        pass_upper_(Eigen::VectorXd::Constant(all_, DAQP_INF)),
        x_(Eigen::VectorXd::Zero(n_)),
        daqp_(n_, all_,
              {identity_.data(), zero_.data(), A_.data(), pass_lower_.data(), pass_upper_.data(),
               x_.data()},
              0.1 * tolerance, 20 * all_ + 20) {
    // rows of length 1, so that a violation is a distance
    for (int i = 0; i < qp.rows(); ++i) {
      const double length = A_.row(i).stableNorm();
      if (!(length > 0.0)) continue;
      A_.row(i) /= length;
      lower_[n_ + i] /= length;
      upper_[n_ + i] /= length;
    }
  }

  /// Whether no x holds the kept rows. Not, when DAQP does not know.
  bool infeasible(const std::vector<bool>& kept) {
    for (int i = 0; i < all_; ++i) {
      const bool keep = kept[static_cast<std::size_t>(i)];
      if (keep && lower_[i] > upper_[i] + tolerance_) return true;
      // a row of zeros holds everywhere or nowhere
      if (keep && i >= n_ && A_.row(i - n_).isZero(0.0) &&
          (lower_[i] > tolerance_ || upper_[i] < -tolerance_))
        return true;
      double low = lower_[i], high = upper_[i];
      if (low > high) low = high = 0.5 * (low + high);
      pass_lower_[i] = keep ? std::clamp(low, -DAQP_INF, DAQP_INF) : -DAQP_INF;
      pass_upper_[i] = keep ? std::clamp(high, -DAQP_INF, DAQP_INF) : DAQP_INF;
      daqp_.work.sense[i] = 0;
    }
    daqp_.result.exitflag = daqp_.update(kDaqpUpdateAll);
    if (daqp_.result.exitflag >= 0) daqp_solve(&daqp_.result, &daqp_.work);
    return daqp_.infeasible();
  }

 private:
  const int n_, all_;
  const double tolerance_;
  RowMajorMatrix identity_, A_;
  Eigen::VectorXd zero_, lower_, upper_, pass_lower_, pass_upper_, x_;
  DaqpProblem daqp_;
};

// DAQP overflows with larger coefficients
bool usable(const Qp& qp) {
  return qp.A.allFinite() && (qp.A.size() == 0 || qp.A.cwiseAbs().maxCoeff() < 1e20) &&
         !qp.lower.hasNaN() && !qp.upper.hasNaN() && (qp.lower.array() < kNoBound).all() &&
         (qp.upper.array() > -kNoBound).all();
}

}  // namespace

std::vector<int> minimal_conflict(const Qp& qp, double tolerance) {
  if (!usable(qp)) return {};
  Feasibility feasibility(qp, tolerance);
  std::vector<bool> kept(static_cast<std::size_t>(qp.lower.size()));
  for (int i = 0; i < qp.lower.size(); ++i)
    kept[static_cast<std::size_t>(i)] = std::isfinite(qp.lower[i]) || std::isfinite(qp.upper[i]);
  if (!feasibility.infeasible(kept)) return {};
  // one round suffices unless rounding makes a set feasible that is part of a feasible one; then
  // another finds what is not needed
  for (bool dropped = true; dropped;) {
    dropped = false;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (!kept[i]) continue;
      kept[i] = false;
      if (feasibility.infeasible(kept))
        dropped = true;
      else
        kept[i] = true;
    }
  }
  std::vector<int> conflict;
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (kept[i]) conflict.push_back(static_cast<int>(i));
  return conflict;
}

std::string conflict_name(const std::vector<int>& conflict, const std::vector<QpRow>& rows) {
  if (conflict.empty()) return "none: all rows can hold";
  std::string name;
  for (const int i : conflict)
    name += (name.empty() ? "" : " with ") + rows.at(static_cast<std::size_t>(i)).name;
  return name;
}

struct ConflictReporter::Impl {
  enum State { kIdle, kOffered, kEnd };

  Impl(int n, int m, std::vector<QpRow> names) : rows(std::move(names)), qp(n, m) {}

  void run() {
    for (;;) {
      state.wait(kIdle, std::memory_order_acquire);
      if (state.load(std::memory_order_acquire) == kEnd) return;
      explain();
      int offered = kOffered;
      state.compare_exchange_strong(offered, kIdle, std::memory_order_acq_rel);
      state.notify_all();
    }
  }

  void explain() {
    const std::string name = conflict_name(minimal_conflict(qp), rows);
    const std::lock_guard lock(mutex);
    Entry& entry = found[name];
    if (entry.count++ == 0) {
      entry.name = name;
      entry.first_tick = tick;
    }
  }

  const std::vector<QpRow> rows;
  // of the worker while `state` is kOffered, else of who offers
  Qp qp;
  std::int64_t tick = 0;
  std::atomic<int> state{kIdle};
  // between the worker and who asks for entries; an offer does not take it
  mutable std::mutex mutex;
  std::map<std::string, Entry> found;
  std::thread worker;
};

ConflictReporter::ConflictReporter(int n, int m, std::vector<QpRow> rows) {
  if (n < 1 || m < 0 || rows.size() != static_cast<std::size_t>(n + m))
    throw InputError(
        fmt::format("conflicts of {} unknowns and {} rows have {} descriptions of rows; give one "
                    "for each bound and row",
                    n, m, rows.size()));
  impl_ = std::make_unique<Impl>(n, m, std::move(rows));
  impl_->worker = std::thread([impl = impl_.get()] { impl->run(); });
}

ConflictReporter::~ConflictReporter() {
  impl_->state.store(Impl::kEnd, std::memory_order_release);
  impl_->state.notify_all();
  impl_->worker.join();
}

bool ConflictReporter::offer(const Qp& qp, std::int64_t tick) noexcept {
  Qp& copy = impl_->qp;
  const bool fits = qp.unknowns() == copy.unknowns() && qp.A.rows() == copy.A.rows() &&
                    qp.A.cols() == copy.A.cols() && qp.lower.size() == copy.lower.size() &&
                    qp.upper.size() == copy.upper.size();
  if (!fits || impl_->state.load(std::memory_order_acquire) != Impl::kIdle) {
    passed_over_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  // the objective does not matter
  copy.A = qp.A;
  copy.lower = qp.lower;
  copy.upper = qp.upper;
  impl_->tick = tick;
  impl_->state.store(Impl::kOffered, std::memory_order_release);
  impl_->state.notify_all();
  return true;
}

void ConflictReporter::flush() {
  while (impl_->state.load(std::memory_order_acquire) == Impl::kOffered)
    impl_->state.wait(Impl::kOffered, std::memory_order_acquire);
}

std::vector<ConflictReporter::Entry> ConflictReporter::entries() const {
  std::vector<Entry> out;
  {
    const std::lock_guard lock(impl_->mutex);
    for (const auto& [name, entry] : impl_->found) out.push_back(entry);
  }
  std::ranges::stable_sort(out, [](const Entry& a, const Entry& b) {
    return a.count != b.count ? a.count > b.count : a.first_tick < b.first_tick;
  });
  return out;
}

}  // namespace handspan
