#include "skills/toss/rigid_toss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace handspan {
namespace {

void check_options(const TossOptions& options) {
  const auto positive = [](const char* name, double value) {
    if (!(value > 0.0 && std::isfinite(value)))
      throw InputError(fmt::format("a toss's {} is {}; it must be > 0", name, value));
  };
  positive("longest", options.longest);
  positive("still_speed", options.still_speed);
  positive("still_turn", options.still_turn);
  positive("still_for", options.still_for);
  if (!(options.deepest_start >= 0.0))
    throw InputError(
        fmt::format("a toss's deepest_start is {}; it must be >= 0", options.deepest_start));
  if (!(options.sample_period >= 0.0 && std::isfinite(options.sample_period)))
    throw InputError(
        fmt::format("a toss's sample_period is {}; it must be >= 0", options.sample_period));
}

// The surface against whose skin the box is still, of those that it touches; -1: none.
int still_on(const RigidData& data, const TossOptions& options) {
  if (data.w_WB_B.norm() > options.still_turn) return -1;
  for (std::size_t i = 0; i < data.contacts().size(); ++i)
    if (data.contacts()[i].impulse != Eigen::Vector3d::Zero() &&
        (data.v_WC - data.contacts()[i].v_surface).norm() <= options.still_speed)
      return data.surface_of(i);
  return -1;
}

}  // namespace

TossResult toss(const RigidModel& model, RigidData& data, const RigidState& start,
                const TossOptions& options, std::vector<TossSample>* trajectory) {
  check_options(options);
  set_state(model, data, start);
  if (const double gap = deepest_gap(model, data); gap < -options.deepest_start)
    throw InputError(fmt::format(
        "the box starts {:.1f} mm deep in a surface; start it in flight or at most {:.1f} mm deep",
        -1e3 * gap, 1e3 * options.deepest_start));

  TossResult result;
  const double h = model.timestep();
  const auto most_steps = static_cast<std::int64_t>(std::ceil(options.longest / h));
  const auto every =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(std::llround(options.sample_period / h)));
  if (trajectory) trajectory->push_back({0.0, start});
  RigidState still_state;
  double still_since = 0.0;
  int still = -1;
  RigidState before = start;
  for (std::int64_t i = 1; i <= most_steps && !result.at_rest; ++i) {
    const bool flies = std::isinf(result.first_impact);
    if (flies) before = state(model, data);
    step(model, data);
    if (trajectory && i % every == 0) trajectory->push_back({data.time, state(model, data)});
    if (flies && !data.contacts().empty()) {
      result.first_impact = data.time;
      result.before_impact = before;
      const Eigen::Vector3d n_B = before.X_WB.R.transpose() * data.contacts()[0].n;
      result.impact_tilt = std::acos(std::min(1.0, n_B.cwiseAbs().maxCoeff()));
    }
    const int now = still_on(data, options);
    if (now < 0 || now != still) {
      still = now;
      still_since = data.time;
      if (now >= 0) still_state = state(model, data);
    } else if (data.time - still_since >= options.still_for) {
      result.at_rest = true;
    }
  }
  result.end = result.at_rest ? still_state : state(model, data);
  result.time = result.at_rest ? still_since : data.time;
  result.surface = result.at_rest ? still : -1;
  return result;
}

}  // namespace handspan
