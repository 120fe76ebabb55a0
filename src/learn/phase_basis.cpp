#include "learn/phase_basis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace handspan {
namespace {

constexpr double kOverlap = 0.7;  // of a function's height, where it meets its neighbour

}  // namespace

PhaseBasis::PhaseBasis(int functions) {
  if (functions < 2)
    throw InputError(
        fmt::format("a movement has {} weights a dimension; give 2 at least, 10 for a reach and a "
                    "grab",
                    functions));
  centers_ = Eigen::VectorXd::LinSpaced(functions, 0.0, 1.0);
  width_ = -1.0 / (8.0 * functions * functions * std::log(kOverlap));
}

void PhaseBasis::at(double phase, Eigen::Ref<Eigen::VectorXd> values,
                    Eigen::Ref<Eigen::VectorXd> slopes) const {
  const double inside = std::clamp(phase, 0.0, 1.0);
  double sum = 0.0, weighted = 0.0;
  for (Eigen::Index i = 0; i < centers_.size(); ++i) {
    const double off = centers_[i] - inside;
    values[i] = std::exp(-off * off / (2.0 * width_));
    slopes[i] = off / width_;  // of the logarithm
    sum += values[i];
    weighted += values[i] * slopes[i];
  }
  values /= sum;
  weighted /= sum;
  slopes.array() = values.array() * (slopes.array() - weighted);
  // none within: adding 0 times a slope would still be the same
  if (phase != inside) values += (phase - inside) * slopes;
}

}  // namespace handspan
