#include "learn/phase_basis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace handspan {

PhaseBasis::PhaseBasis(const BasisShape& shape) {
  const int n = shape.functions;
  if (shape.beyond < 0 || n > 1000 || n < 2 + 2 * shape.beyond)
    throw InputError(fmt::format(
        "a movement has {} functions a dimension, {} of them beyond each end; give at least two "
        "from end to end: 10 with 2 beyond for a reach and a grab, at most 1000",
        n, shape.beyond));
  if (!(shape.overlap > 0.0 && shape.overlap < 1.0))
    throw InputError(fmt::format(
        "the overlap of a movement's functions is {}; it must be between 0 and 1, such as 0.85",
        shape.overlap));
  // u = (beyond + s span) / (n - 1)
  const double span = n - 1 - 2 * shape.beyond, by_phase = span / (n - 1);
  const double width = -1.0 / (8.0 * n * n * std::log(shape.overlap));
  centers_.resize(n);
  for (int i = 0; i < n; ++i) centers_[i] = (i - shape.beyond) / span;
  per_variance_ = by_phase * by_phase / width;
}

void PhaseBasis::at(double phase, Eigen::Ref<Eigen::VectorXd> values,
                    Eigen::Ref<Eigen::VectorXd> slopes) const {
  const double inside = std::clamp(phase, 0.0, 1.0);
  double sum = 0.0, weighted = 0.0;
  for (Eigen::Index i = 0; i < centers_.size(); ++i) {
    const double off = centers_[i] - inside;
    slopes[i] = off * per_variance_;  // of the logarithm
    values[i] = std::exp(-0.5 * off * slopes[i]);
    sum += values[i];
    weighted += values[i] * slopes[i];
  }
  values /= sum;
  weighted /= sum;
  slopes.array() = values.array() * (slopes.array() - weighted);
  if (phase != inside) values += (phase - inside) * slopes;
}

}  // namespace handspan
