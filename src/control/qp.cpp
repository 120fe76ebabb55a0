// One file, since the levels, what they give up and the warm start share one working set.
#include "control/qp.hpp"

#include <daqp/auxiliary.h>
#include <daqp/utils.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "control/daqp_problem.hpp"
#include "control/qp_blocks.hpp"
#include "core/error.hpp"

namespace handspan {
namespace {

// of the nondimensional problem, see QpSolver::Impl::load()
struct Precision {
  double tolerance;  // of DAQP
  double margin;     // added to what was given up, when it is held
};
constexpr Precision kFine{1e-9, 1e-8};
// when rounding made the first one fail
constexpr Precision kCoarser[] = {{1e-8, 3e-8}, {1e-7, 3e-7}};
constexpr double kHardTolerance = 3e-7;   // of rows as this file finds them
constexpr double kZeroTolerance = 1e-14;  // of H's factors and of rows of A, squared
constexpr double kPivotTolerance =
    1e-4;                          // DAQP reorders below it: it errs less among parallel rows
constexpr double kLargest = 1e20;  // of its coefficients
constexpr double kWeight = 3e3;    // of v + 1/2 v^2, v = violation / scale
constexpr int kProximalSteps = 8;  // at most
constexpr double kProximalChange = 1e-10;  // of x

// The passes of a solve: all hard, then each level's own, then what is held with the objective.
constexpr int kFirstSlot = 0, kLastSlot = kQpLevels, kSlotBits = 3;
constexpr int kFlagActive = 1, kFlagLower = 2, kFlagViolated = 4, kFlags = 7;
constexpr int kLevelShift = kSlotBits * (kLastSlot + 1);
constexpr int kGaveWay = 1 << (kLevelShift + kSlotBits);  // in its block something gave way
constexpr int kSetBits = 2 * kGaveWay - 1;
static_assert(kFlagActive == DAQP_ACTIVE && kFlagLower == DAQP_LOWER && kQpLevels <= kFlags);

constexpr int kNoLevel = kQpLevels;

double clamped(double bound) { return std::clamp(bound, -DAQP_INF, DAQP_INF); }

// a sum is finite only when all of its terms are; it is the quicker of the two by far
bool all_finite(const auto& values) { return std::isfinite(values.sum()) || values.allFinite(); }

bool fits(const auto& values) {
  return values.size() == 0 || values.cwiseAbs().sum() < kLargest ||
         (values.allFinite() && values.cwiseAbs().maxCoeff() < kLargest);
}

double power_of_two_near(double value) { return std::exp2(std::round(std::log2(value))); }

}  // namespace

Qp::Qp(int n, int m) : H(n, n), f(n), A(m, n), lower(n + m), upper(n + m) { clear(); }

void Qp::clear() {
  H.setZero();
  f.setZero();
  A.setZero();
  lower.setConstant(-kNoBound);
  upper.setConstant(kNoBound);
}

struct QpSolver::Impl {
  Impl(int unknowns, int rows_of_A, std::span<const QpRow> named, std::span<const int> parts);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void solve(const Qp& qp) noexcept;
  bool solve_block(const Qp& qp) noexcept;
  void choose(QpBlocks::Parts block) noexcept;
  bool load(const Qp& qp, QpBlocks::Parts block, double factor) noexcept;
  bool load_bounds(const Qp& qp) noexcept;
  bool least_violation(int first) noexcept;
  bool pass(int soft_level, int slot, bool retry_infeasible) noexcept;
  bool attempt(int soft_level, bool warm, const Precision& precision) noexcept;
  bool hard_rows_hold(int soft_level) const noexcept;
  int update(int mask) noexcept;
  void minimise_objective() noexcept;
  void minimise_violation() noexcept;
  void keep_flags(int slot) noexcept;
  bool give_up(int level) noexcept;
  bool accept(const Qp& qp) noexcept;

  using Matrix = Eigen::Map<RowMajorMatrix>;
  Matrix H() { return {H_numbers.data(), n, n}; }
  Matrix A() { return {A_numbers.data(), rows, n}; }
  double row_times_x(int i) const {
    return Eigen::Map<const RowMajorMatrix>(A_numbers.data(), rows, n).row(i - n).dot(x.head(n));
  }

  const int all_unknowns, all_rows;
  std::vector<int> all_levels;
  Eigen::VectorXd all_scales;                 // as given
  Eigen::VectorXd all_units;                  // the powers of two nearest to them
  Eigen::VectorXd all_weights, all_softness;  // of violations, linear and quadratic, as DAQP has it
  QpBlocks blocks;

  // Blocks that nothing couples are problems of their own, and rows without bounds, which cost as
  // much as others, are left out. What follows is of the block that is solved: of its n unknowns
  // and the `rows` rows that it has in this solve; `index`: their places in the problem given.
  int n = 0, rows = 0;
  std::vector<int> index, level;
  Eigen::VectorXd scale, unit;
  std::array<bool, kQpLevels> used{};
  bool any_soft = false;

  // the nondimensional problem, without gaps between its rows; `given_*` are the bounds with what
  // was given up
  std::vector<double> H_numbers, identity, A_numbers;
  Eigen::VectorXd f, towards, before, last, lower, upper, given_lower, given_upper, pass_lower,
      pass_upper, x;

  // Flags of each bound and row: of the pass before, and by pass (kSlotBits each) of the solve
  // before and of this one. That of a block's first unknown also tells the level that gave way
  // first (0: none).
  std::vector<int> start, set, next_set;
  std::vector<int> all_set, all_next_set;  // the latter two, of the problem given
  Eigen::VectorXd all_x;                   // of the blocks that are solved
  std::optional<DaqpProblem> daqp;
  QpSolution solution;
};

QpSolver::Impl::Impl(int unknowns, int rows_of_A, std::span<const QpRow> named,
                     std::span<const int> parts)
    : all_unknowns(unknowns), all_rows(rows_of_A), blocks(parts, std::max(0, rows_of_A)) {
  if (unknowns < 1 || rows_of_A < 0)
    throw InputError(fmt::format("a QP of {} unknowns and {} rows; it needs at least one unknown",
                                 unknowns, rows_of_A));
  const int all = unknowns + rows_of_A;
  if (static_cast<int>(named.size()) != all)
    throw InputError(fmt::format(
        "a QP of {} unknowns and {} rows has {} descriptions of rows; give one for each bound "
        "and row",
        unknowns, rows_of_A, named.size()));
  if (std::accumulate(parts.begin(), parts.end(), 0) != unknowns ||
      std::ranges::any_of(parts, [](int size) { return size < 0; }))
    throw InputError(fmt::format(
        "the parts of a QP of {} unknowns have [{}] of them; together they must have all", unknowns,
        fmt::join(parts, ", ")));
  all_scales.resize(all);
  all_units.resize(all);
  all_weights.resize(all);
  all_softness.resize(all);
  for (int i = 0; i < all; ++i) {
    const QpRow& row = named[static_cast<std::size_t>(i)];
    if (row.level < 0 || row.level >= kQpLevels)
      throw InputError(fmt::format("QP row '{}' has level {}; it must be 0 to {}", row.name,
                                   row.level, kQpLevels - 1));
    if (!(row.scale >= 1e-12 && row.scale <= 1e12))
      throw InputError(fmt::format("QP row '{}' has scale {}; it must be within 1e-12 and 1e12",
                                   row.name, row.scale));
    all_levels.push_back(row.level);
    used[static_cast<std::size_t>(row.level)] = true;
    any_soft = any_soft || row.level > 0;
    all_scales[i] = row.scale;
    all_units[i] = power_of_two_near(row.scale);
    const double ratio = all_units[i] / all_scales[i];
    all_weights[i] = kWeight * ratio;
    all_softness[i] = 1.0 / (kWeight * ratio * ratio);
  }
  level = all_levels;
  index = all_levels;
  scale = all_scales;
  unit = all_units;
  const auto size = static_cast<std::size_t>(unknowns);
  identity.assign(size * size, 0.0);
  Matrix(identity.data(), unknowns, unknowns).setIdentity();
  H_numbers = identity;
  A_numbers.assign(static_cast<std::size_t>(rows_of_A) * size, 0.0);
  for (Eigen::VectorXd* of_unknowns : {&f, &towards, &before, &last, &x, &all_x, &solution.x})
    of_unknowns->setZero(unknowns);
  lower.setConstant(all, -DAQP_INF);
  upper.setConstant(all, DAQP_INF);
  given_lower = pass_lower = lower;
  given_upper = pass_upper = upper;
  set.assign(static_cast<std::size_t>(all), 0);
  start = next_set = all_set = all_next_set = set;
  solution.violation.setZero(all);
  daqp.emplace(unknowns, all,
               DaqpNumbers{H_numbers.data(), f.data(), A_numbers.data(), pass_lower.data(),
                           pass_upper.data(), x.data()},
               kFine.tolerance, 10 * all + 10);
  daqp->work.settings->pivot_tol = kPivotTolerance;
  if (!daqp_allocate_soft_weights(&daqp->work)) throw std::bad_alloc();
}

// the block's unknowns, and the rows that have a bound and numbers in them
void QpSolver::Impl::choose(QpBlocks::Parts block) noexcept {
  DAQPWorkspace& work = daqp->work;
  int count = 0;
  const auto add = [&](int i) {
    const auto from = static_cast<std::size_t>(i), to = static_cast<std::size_t>(count);
    index[to] = i;
    level[to] = all_levels[from];
    scale[count] = all_scales[i];
    unit[count] = all_units[i];
    set[to] = all_set[from];
    work.w_ls[count] = work.w_us[count] = all_weights[i];
    work.rho_ls[count] = work.rho_us[count] = all_softness[i];
    ++count;
  };
  for (std::size_t p = 0; p < blocks.parts().size(); ++p) {
    const QpBlocks::Part& part = blocks.parts()[p];
    if (block >> p & 1)
      for (int i = part.first; i < part.first + part.size; ++i) add(i);
  }
  n = count;
  for (const QpBlocks::Row& row : blocks.rows())
    if (row.parts & block) add(all_unknowns + row.row);
  rows = count - n;
  daqp->resize(n, count);
}

// The problem in units of the rows' scales, where unknowns, rows and the largest entry of the
// diagonal of all blocks' H are about 1. The units are powers of two: nothing is rounded.
bool QpSolver::Impl::load(const Qp& qp, QpBlocks::Parts block, double factor) noexcept {
  choose(block);
  Matrix H = this->H(), A = this->A();
  const auto units = unit.head(n).transpose();
  // part by part, since the unknowns of one stand side by side
  int to = 0;
  for (std::size_t p = 0; p < blocks.parts().size(); ++p) {
    if (!(block >> p & 1)) continue;
    const auto [first, size] = blocks.parts()[p];
    const auto own = units.segment(to, size);
    f.segment(to, size) = factor * qp.f.segment(first, size).cwiseProduct(own.transpose());
    for (int i = 0; i < n; ++i)
      H.row(i).segment(to, size) = qp.H.row(index[static_cast<std::size_t>(i)])
                                       .segment(first, size)
                                       .cwiseProduct(factor * unit[i] * own);
    for (int i = 0; i < rows; ++i)
      A.row(i).segment(to, size) = qp.A.row(index[static_cast<std::size_t>(n + i)] - all_unknowns)
                                       .segment(first, size)
                                       .cwiseProduct(1.0 / unit[n + i] * own);
    to += size;
  }
  // larger numbers overflow inside DAQP; of rows without bounds nothing is asked
  return fits(H) && fits(f.head(n)) && fits(A) && load_bounds(qp);
}

bool QpSolver::Impl::load_bounds(const Qp& qp) noexcept {
  for (int i = 0; i < n + rows; ++i) {
    const int given = index[static_cast<std::size_t>(i)];
    double low = qp.lower[given], high = qp.upper[given];
    if (!(low < kNoBound && high > -kNoBound)) return false;
    if (low > high) {
      if (level[static_cast<std::size_t>(i)] == 0 && low - high > kQpTolerance * scale[i])
        return false;
      low = high = 0.5 * low + 0.5 * high;
    }
    lower[i] = clamped(low / unit[i]);
    upper[i] = clamped(high / unit[i]);
  }
  given_lower.head(n + rows) = lower.head(n + rows);
  given_upper.head(n + rows) = upper.head(n + rows);
  return true;
}

// One problem: the rows of levels below `soft_level` are hard, those of `soft_level` are violated
// as little as possible, others are absent; with kNoLevel all are hard and the objective counts.
// From `start` or cold; leaves its x in `x` and its working set in `start`.
bool QpSolver::Impl::attempt(int soft_level, bool warm, const Precision& precision) noexcept {
  DAQPWorkspace& work = daqp->work;
  for (int i = 0; i < n + rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (level[at] > soft_level) {
      pass_lower[i] = -DAQP_INF;
      pass_upper[i] = DAQP_INF;
      work.sense[i] = 0;
      continue;
    }
    pass_lower[i] = given_lower[i] < lower[i] ? given_lower[i] - precision.margin : lower[i];
    pass_upper[i] = given_upper[i] > upper[i] ? given_upper[i] + precision.margin : upper[i];
    // a bound that is not there now cannot stay active
    const int flags = warm ? start[at] : 0;
    const double bound = flags & kFlagLower ? -pass_lower[i] : pass_upper[i];
    int sense = 0;
    if (flags & kFlagActive && bound < DAQP_INF) sense = flags & (kFlagActive | kFlagLower);
    if (level[at] == soft_level) sense |= DAQP_SOFT;
    if (sense & kFlagActive && sense & DAQP_SOFT && !(flags & kFlagViolated))
      sense |= DAQP_SLACK_FIXED;
    work.sense[i] = sense;
  }
  work.settings->primal_tol = precision.tolerance;
  if (soft_level == kNoLevel)
    minimise_objective();
  else
    minimise_violation();
  return daqp->result.exitflag > 0 && x.head(n).allFinite() && hard_rows_hold(soft_level);
}

// DAQP's answer is not trusted where its problem was nearly singular.
bool QpSolver::Impl::hard_rows_hold(int soft_level) const noexcept {
  for (int i = 0; i < n + rows; ++i) {
    if (level[static_cast<std::size_t>(i)] >= soft_level) continue;
    const double value = i < n ? x[i] : row_times_x(i);
    if (value > pass_upper[i] + kHardTolerance || value < pass_lower[i] - kHardTolerance)
      return false;
  }
  return true;
}

int QpSolver::Impl::update(int mask) noexcept {
  daqp->work.settings->zero_tol = kZeroTolerance;
  const int flag = daqp->update(mask);
  daqp->work.settings->zero_tol = DAQP_DEFAULT_ZERO_TOL;
  return flag;
}

void QpSolver::Impl::minimise_objective() noexcept {
  DAQPResult& result = daqp->result;
  daqp->problem.H = H_numbers.data();
  daqp->problem.f = f.data();
  result.exitflag = update(kDaqpUpdateAll | DAQP_UPDATE_unconstrained);
  // DAQP would make a singular H definite by itself
  if (result.exitflag >= 0 && daqp->work.n_prox > 0) result.exitflag = DAQP_EXIT_NONCONVEX;
  if (result.exitflag < 0) return;
  daqp_solve(&result, &daqp->work);
  solution.iterations += result.iter;
}

// min kWeight sum (v + 1/2 v^2) + 1/2 |x - towards|^2 for `towards` = 0, then for the x before: a
// proximal point method. It needs no large weight, which would cost digits of x.
void QpSolver::Impl::minimise_violation() noexcept {
  DAQPWorkspace& work = daqp->work;
  DAQPResult& result = daqp->result;
  Matrix(identity.data(), n, n).setIdentity();
  daqp->problem.H = identity.data();
  daqp->problem.f = towards.data();
  towards.setZero();
  result.exitflag = update(kDaqpUpdateAll);
  for (int step = 0; step < kProximalSteps && result.exitflag >= 0; ++step) {
    if (step > 0) {
      before.head(n) = x.head(n);
      towards.head(n) = -x.head(n);
      if (update(DAQP_UPDATE_v | DAQP_UPDATE_d) < 0) break;
    }
    const int flag = daqp_ldp(&work);
    solution.iterations += work.iterations;
    // a later step that fails leaves what the one before had found
    if (flag <= 0) {
      if (step == 0) result.exitflag = flag;
      x.head(n) = before.head(n);
      break;
    }
    daqp_refine_active(&work);
    ldp2qp_solution(&work);
    x.head(n) = Eigen::Map<const Eigen::VectorXd>(work.x, n);
    result.exitflag = flag;
    if (step > 0 && (x - before).head(n).cwiseAbs().maxCoeff() < kProximalChange) break;
  }
}

// From where this pass ended in the solve before, or else where the last pass ended; and again cold
// and coarser when that failed.
bool QpSolver::Impl::pass(int soft_level, int slot, bool retry_infeasible) noexcept {
  const int shift = kSlotBits * slot;
  const std::span<const int> now(set.data(), static_cast<std::size_t>(n + rows));
  const bool known = std::ranges::any_of(now, [&](int flags) { return flags >> shift & kFlags; });
  if (known)
    std::ranges::transform(now, start.begin(), [&](int flags) { return flags >> shift & kFlags; });
  bool solved = attempt(soft_level, true, kFine);
  if (!daqp->infeasible() || retry_infeasible)
    for (const Precision& precision : kCoarser)
      solved = solved || attempt(soft_level, false, precision);
  keep_flags(slot);
  return solved;
}

void QpSolver::Impl::keep_flags(int slot) noexcept {
  for (int i = 0; i < n + rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const int sense = DAQP_ZERO_ROW_SENSE(daqp->work.sense[i]);
    start[at] = sense & kFlagActive ? sense & (kFlagActive | kFlagLower) : 0;
    if (start[at] && sense & DAQP_SOFT && !(sense & DAQP_SLACK_FIXED)) start[at] |= kFlagViolated;
    next_set[at] = (next_set[at] & ~(kFlags << kSlotBits * slot)) | start[at] << kSlotBits * slot;
  }
}

// Holds the rows of a level at what x violates them by; whether there are any.
bool QpSolver::Impl::give_up(int of_level) noexcept {
  bool any = false;
  for (int i = 0; i < n + rows; ++i) {
    if (level[static_cast<std::size_t>(i)] != of_level) continue;
    const double value = i < n ? x[i] : row_times_x(i);
    given_lower[i] = std::min(lower[i], value);
    given_upper[i] = std::max(upper[i], value);
    any = any || value < lower[i] - kFine.margin || value > upper[i] + kFine.margin;
  }
  last.head(n) = x.head(n);
  return any;
}

// Level by level, what has to be given up; then the best x within that. `first` is where it begins
// to ask: levels before that need to give up nothing, or it goes back to them.
bool QpSolver::Impl::least_violation(int first) noexcept {
  while (first > 0) {
    // level 1 may have no rows: whether those of level 0 can hold is then asked without the
    // objective
    const bool asked = used[static_cast<std::size_t>(first)] || first == 1;
    if (asked && pass(first, first, first == 1)) break;
    --first;
  }
  if (first == 0) return false;
  int gave_way = give_up(first) ? first : 0;
  bool precise = true;
  for (int next = first + 1; next < kQpLevels && precise; ++next) {
    if (!used[static_cast<std::size_t>(next)]) continue;
    precise = pass(next, next, true);
    if (precise && give_up(next) && gave_way == 0) gave_way = next;
  }
  // what is held leaves so little room that rounding may close it: then x is what the levels until
  // there asked for
  const bool optimal = precise && pass(kNoLevel, kLastSlot, true);
  solution.optimal = solution.optimal && optimal;
  if (!optimal) x.head(n) = last.head(n);
  next_set[0] |= gave_way << kLevelShift;
  return true;
}

// Takes the block's x over when it holds what it should.
bool QpSolver::Impl::accept(const Qp& qp) noexcept {
  bool gave_way = false;
  for (int i = 0; i < n + rows; ++i) {
    const int given = index[static_cast<std::size_t>(i)];
    // back from powers of two: nothing is rounded
    const double value = unit[i] * (i < n ? x[i] : row_times_x(i));
    const double above = value - qp.upper[given], below = value - qp.lower[given];
    double violation = above > 0.0 ? above : 0.0;
    if (-below > violation) violation = below;
    const double tolerance = kQpTolerance * scale[i];
    if (!(std::abs(violation) > tolerance)) violation = 0.0;
    solution.violation[given] = violation;
    if (violation == 0.0) continue;
    const auto of_level = static_cast<std::size_t>(level[static_cast<std::size_t>(i)]);
    if (of_level == 0 || !std::isfinite(violation)) return false;
    ++solution.relaxed[of_level];
    gave_way = true;
  }
  for (int i = 0; i < n; ++i) all_x[index[static_cast<std::size_t>(i)]] = unit[i] * x[i];
  for (int i = 0; i < n + rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    all_next_set[static_cast<std::size_t>(index[at])] = next_set[at] | (gave_way ? kGaveWay : 0);
  }
  if (gave_way) solution.status = QpStatus::kRelaxed;
  return true;
}

// the block that is loaded
bool QpSolver::Impl::solve_block(const Qp& qp) noexcept {
  std::fill_n(start.begin(), n + rows, 0);
  std::fill_n(next_set.begin(), n + rows, 0);
  // A conflict most often lasts for many ticks: it is not asked for again whether all can hold. Of
  // blocks that have become one: where the first of them began.
  int gave_way = 0;
  for (int i = 0; i < n; ++i) {
    const int of_level = set[static_cast<std::size_t>(i)] >> kLevelShift & kFlags;
    if (of_level > 0 && (gave_way == 0 || of_level < gave_way)) gave_way = of_level;
  }
  gave_way = std::min(gave_way, kQpLevels - 1);
  daqp->result.exitflag = 0;
  bool solved = gave_way == 0 && pass(kNoLevel, kFirstSlot, !any_soft);
  if (!solved && daqp->result.exitflag != DAQP_EXIT_NONCONVEX)
    solved = least_violation(gave_way > 0 ? gave_way : kQpLevels - 1);
  return solved && daqp->result.exitflag != DAQP_EXIT_NONCONVEX && accept(qp);
}

void QpSolver::Impl::solve(const Qp& qp) noexcept {
  const int n_all = all_unknowns, m_all = all_rows;
  solution.optimal = true;
  solution.iterations = 0;
  solution.relaxed.fill(0);
  solution.violation.setZero();
  const bool of_this_size = qp.unknowns() == n_all && qp.rows() == m_all &&
                            qp.lower.size() == n_all + m_all && qp.upper.size() == n_all + m_all &&
                            qp.H.rows() == n_all && qp.H.cols() == n_all && qp.A.cols() == n_all;
  // not finite: the largest one is not either, or all are below it
  double largest = 0.0;
  for (int i = 0; of_this_size && i < n_all; ++i)
    largest = std::max(largest, qp.H(i, i) * all_units[i] * all_units[i]);
  bool readable = largest > 1e-200 && largest < 1e200, solved = readable;
  solution.status = QpStatus::kSolved;
  std::ranges::fill(all_next_set, 0);
  if (readable) {
    blocks.find(qp.H, qp.A, qp.lower, qp.upper);
    const double factor = 1.0 / power_of_two_near(largest);
    for (const QpBlocks::Parts block : blocks.blocks()) {
      readable = load(qp, block, factor);
      solved = readable && solve_block(qp);
      if (!solved) break;
    }
  }
  if (solved) {
    solution.x = all_x;
    all_set = all_next_set;
    return;
  }
  // what could not be read says nothing of where to start next time
  if (readable) std::ranges::fill(all_set, 0);
  solution.status = QpStatus::kFailed;
  solution.iterations = readable ? solution.iterations : 0;
  solution.relaxed.fill(0);
  solution.violation.setZero();
}

QpSolver::QpSolver(int n, int m, std::span<const QpRow> rows) : QpSolver(n, m, rows, {&n, 1}) {}
QpSolver::QpSolver(int n, int m, std::span<const QpRow> rows, std::span<const int> parts)
    : impl_(std::make_unique<Impl>(n, m, rows, parts)) {}
QpSolver::~QpSolver() = default;
QpSolver::QpSolver(QpSolver&&) noexcept = default;
QpSolver& QpSolver::operator=(QpSolver&&) noexcept = default;

const QpSolution& QpSolver::solve(const Qp& qp) noexcept {
  impl_->solve(qp);
  return impl_->solution;
}

const QpSolution& QpSolver::solution() const noexcept { return impl_->solution; }

bool QpSolver::active(int row) const noexcept {
  if (impl_->solution.status == QpStatus::kFailed) return false;
  const int flags = impl_->all_set[static_cast<std::size_t>(row)];
  const int slot = flags & kGaveWay ? kLastSlot : kFirstSlot;
  return (flags >> (kSlotBits * slot) & kFlagActive) != 0;
}

std::span<const int> QpSolver::working_set() const { return impl_->all_set; }

void QpSolver::set_working_set(std::span<const int> set) {
  if (set.size() != impl_->all_set.size())
    throw InputError(fmt::format("a working set of {} numbers for a QP of {} bounds and rows",
                                 set.size(), impl_->all_set.size()));
  for (std::size_t i = 0; i < set.size(); ++i) impl_->all_set[i] = set[i] & kSetBits;
}

void QpSolver::state(StateArchive& archive) {
  QpSolution& s = impl_->solution;
  archive.part("QP solver");
  archive(impl_->all_set, s.x, s.violation, s.status, s.optimal, s.iterations, s.relaxed);
  // indices of DAQP's: what is damaged must not reach it
  if (archive.loading())
    for (int& flags : impl_->all_set) flags &= kSetBits;
}

void QpSolver::reset() { std::ranges::fill(impl_->all_set, 0); }

}  // namespace handspan
