#pragma once
// Made-up demonstrations of two hands that go to a box, hit it and lift it.
#include <cmath>
#include <vector>

#include "core/random.hpp"
#include "learn/pose_promp.hpp"

namespace handspan::test {

struct GrabDemonstrations {
  std::vector<PoseDemonstration> all;
  std::vector<double> impacts;
};

/// The box is at x, y and turned by rz, each at random; hands end at its sides, 0.15 m off.
inline GrabDemonstrations grab_demonstrations(int n, std::uint64_t seed, int samples = 150) {
  GrabDemonstrations out;
  RandomStream random(seed, "grab demonstrations");
  for (int i = 0; i < n; ++i) {
    PoseDemonstration d;
    d.name = "grab " + std::to_string(i);
    d.X_WB = Pose::from_rpy({random.normal(0.6, 0.03), random.normal(0.4, 0.03), 0.29},
                            {0.0, 0.0, random.normal(0.5, 0.1)});
    const double impact = 1.0 + 0.1 * random.uniform(), end = 1.6 + 0.1 * random.uniform();
    d.hands.resize(2);
    const double lift = random.normal(0.2, 0.01);
    for (int k = 0; k < samples; ++k) {
      const double t = end * k / (samples - 1);
      const double reach = std::min(1.0, t / impact), up = t > impact ? lift * (t - impact) : 0.0;
      d.times.push_back(t);
      for (int side = 0; side < 2; ++side) {
        const double off = (side == 0 ? 1.0 : -1.0) * (0.15 + 0.3 * (1.0 - reach));
        Pose X = *d.X_WB * Pose::from_rpy({0.0, off, 0.0}, {M_PI_2, 0.2 * (1.0 - reach), 0.0});
        X.p.z() += up;
        d.hands[static_cast<std::size_t>(side)].push_back(X);
      }
    }
    out.impacts.push_back(impact);
    out.all.push_back(std::move(d));
  }
  return out;
}

inline const std::vector<std::string> kHandNames = {"left", "right"};
inline const std::vector<int> kBoxAxes = {0, 1, 5};

}  // namespace handspan::test
