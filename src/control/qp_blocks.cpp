#include "control/qp_blocks.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace handspan {
namespace {

constexpr std::size_t kMostParts = 64;

// Whether a number is not 0; of NaN too. Bits are or-ed without a branch, and -0 has no other than
// its sign: most numbers of most rows are zeros.
bool any_number(const double* first, int count) {
  const auto bits_of = [first](int i) { return std::bit_cast<std::uint64_t>(first[i]); };
  std::uint64_t even = 0, odd = 0;
  int i = 0;
  for (; i + 4 <= count; i += 4) {
    even |= bits_of(i) | bits_of(i + 2);
    odd |= bits_of(i + 1) | bits_of(i + 3);
  }
  for (; i < count; ++i) even |= bits_of(i);
  return (even | odd) << 1 != 0;
}

}  // namespace

QpBlocks::QpBlocks(std::span<const int> sizes, int rows) : rows_(static_cast<std::size_t>(rows)) {
  const int n = std::accumulate(sizes.begin(), sizes.end(), 0);
  if (sizes.size() > kMostParts) {
    parts_.push_back({0, n});
  } else {
    int first = 0;
    for (const int size : sizes) {
      if (size > 0) parts_.push_back({first, size});
      first += size;
    }
  }
  blocks_.resize(parts_.size());
}

// the blocks that have any of the parts become one
void QpBlocks::couple(Parts parts) noexcept {
  std::size_t kept = 0;
  for (std::size_t b = 0; b < count_; ++b) {
    if (blocks_[b] & parts)
      parts |= blocks_[b];
    else
      blocks_[kept++] = blocks_[b];
  }
  blocks_[kept] = parts;
  count_ = kept + 1;
}

void QpBlocks::find(const Matrix& H, const Matrix& A, const Eigen::VectorXd& lower,
                    const Eigen::VectorXd& upper) noexcept {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const Eigen::Index n = H.rows();
  count_ = parts_.size();
  for (std::size_t p = 0; p < count_; ++p) blocks_[p] = Parts{1} << p;
  const auto any_in = [&](const double* row, const Part& part) {
    return any_number(row + part.first, part.size);
  };
  for (std::size_t p = 0; p < parts_.size(); ++p)
    for (int i = parts_[p].first; i < parts_[p].first + parts_[p].size; ++i)
      for (std::size_t q = 0; q < parts_.size(); ++q)
        if (q != p && any_in(H.data() + i * n, parts_[q])) couple(Parts{1} << p | Parts{1} << q);
  bounded_ = 0;
  for (Eigen::Index r = 0; r < A.rows(); ++r) {
    // a bound that is not a number is kept, to be found
    if (lower[n + r] == -kNone && upper[n + r] == kNone) continue;
    Parts touched = parts_.size() == 1 ? 1 : 0;
    if (touched == 0)
      for (std::size_t p = 0; p < parts_.size(); ++p)
        if (any_in(A.data() + r * n, parts_[p])) touched |= Parts{1} << p;
    if (touched == 0) touched = 1;
    if (!std::has_single_bit(touched)) couple(touched);
    rows_[bounded_++] = {static_cast<int>(r), touched};
  }
  std::sort(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(count_),
            [](Parts a, Parts b) { return std::countr_zero(a) < std::countr_zero(b); });
}

}  // namespace handspan
