#pragma once
// Which unknowns of a QP have to do with one another in this tick: neither an entry of H nor a row
// with a bound couples two blocks, so that each of them is a problem of its own. Arms that nothing
// holds together are such blocks; a task, a near pair of bodies or a loop closure makes one of two.
#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

namespace handspan {

class QpBlocks {
 public:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  /// A set of parts, one bit for each.
  using Parts = std::uint64_t;
  struct Row {
    int row = 0;      // index into A's rows
    Parts parts = 0;  // that it has numbers in; the first part where it has none
  };
  struct Part {
    int first = 0, size = 0;  // of its unknowns
  };

  /// @param sizes of the parts, in the order of the unknowns: what is never solved apart. More than
  /// 64 parts are taken for one.
  QpBlocks(std::span<const int> sizes, int rows);

  /// Looks at H's entries, and at A's in rows that have a bound: a number that is not 0 couples. A
  /// number that is not finite does so too. No heap.
  /// @param H n x n  @param A m x n  @param lower, upper n + m, as Qp has them
  void find(const Matrix& H, const Matrix& A, const Eigen::VectorXd& lower,
            const Eigen::VectorXd& upper) noexcept;

  /// Of the last find(), by their first unknowns; together they have all parts.
  std::span<const Parts> blocks() const { return {blocks_.data(), count_}; }
  /// Rows that have a bound, in their order.
  std::span<const Row> rows() const { return {rows_.data(), bounded_}; }
  std::span<const Part> parts() const { return parts_; }

 private:
  void couple(Parts parts) noexcept;

  std::vector<Part> parts_;
  std::vector<Parts> blocks_;
  std::vector<Row> rows_;
  std::size_t count_ = 0, bounded_ = 0;
};

}  // namespace handspan
