#include "import/import_inertia.hpp"

#include <fmt/format.h>

#include <limits>

namespace handspan {
namespace {

// A published tensor may miss the triangle inequality by its last decimal.
constexpr double kRounding = 1e-9;
// Thinnest body that a repaired inertia describes: MuJoCo refuses a needle's zero moment.
constexpr double kThinnest = 1e-4;

// Second moments sigma >= floor with (s1+s2, s0+s2, s0+s1) nearest to `moments`: a quadratic
// program of three unknowns, solved by trying all sets of unknowns at the floor.
Eigen::Vector3d nearest_moments(const Eigen::Vector3d& moments, double floor) {
  Eigen::Matrix3d A;
  A << 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0;
  Eigen::Vector3d best = Eigen::Vector3d::Constant(2.0 * floor);
  double smallest = std::numeric_limits<double>::infinity();
  for (int active = 0; active < 8; ++active) {
    Eigen::Vector3d sigma = Eigen::Vector3d::Constant(floor);
    std::vector<int> free;
    for (int i = 0; i < 3; ++i)
      if (!(active & (1 << i))) free.push_back(i);
    if (!free.empty()) {
      Eigen::MatrixXd columns(3, static_cast<Eigen::Index>(free.size()));
      Eigen::Vector3d rest = moments;
      for (int i = 0; i < 3; ++i)
        if (active & (1 << i)) rest -= floor * A.col(i);
      for (std::size_t k = 0; k < free.size(); ++k)
        columns.col(static_cast<Eigen::Index>(k)) = A.col(free[k]);
      const Eigen::VectorXd x =
          (columns.transpose() * columns).ldlt().solve(columns.transpose() * rest);
      for (std::size_t k = 0; k < free.size(); ++k)
        sigma[free[k]] = x[static_cast<Eigen::Index>(k)];
    }
    if (sigma.minCoeff() < floor) continue;
    if (const double off = (A * sigma - moments).squaredNorm(); off < smallest) {
      smallest = off;
      best = A * sigma;
    }
  }
  return best;
}

std::string text(const Eigen::Matrix3d& I) {
  return fmt::format("ixx {} ixy {} ixz {} iyy {} iyz {} izz {}", I(0, 0), I(0, 1), I(0, 2),
                     I(1, 1), I(1, 2), I(2, 2));
}

}  // namespace

RepairedInertia repair_inertia(const std::string& body, double mass, const Eigen::Vector3d& p_BC,
                               const Eigen::Matrix3d& I_BC_B) {
  RepairedInertia out{Inertial::from_full(mass, p_BC, I_BC_B), {}, false};
  Eigen::Vector3d& I = out.inertial.principal;
  Eigen::Index largest = 0;
  const double top = I.maxCoeff(&largest);
  const double others = I.sum() - top;
  if (I.minCoeff() > 0.0 && top <= others) return out;
  if (I.minCoeff() > 0.0 && top <= others * (1.0 + kRounding)) {
    I[largest] = I[(largest + 1) % 3] + I[(largest + 2) % 3];
    out.rounded = true;
    return out;
  }
  const Eigen::Vector3d published = I;
  I = nearest_moments(published, mass * kThinnest * kThinnest);
  const bool negative = published.minCoeff() <= 0.0;
  out.repair = InertiaRepair{body, "inertia", text(I_BC_B), text(out.inertial.inertia_B()),
                             fmt::format("principal moments {}, {}, {} kg m^2: {}; the nearest "
                                         "possible (Frobenius norm), second moments of mass "
                                         "at least mass x (0.1 mm)^2",
                                         published[0], published[1], published[2],
                                         negative ? "not positive definite"
                                                  : "the largest exceeds the sum of the others")};
  return out;
}

}  // namespace handspan
