#pragma once
// A session with a headset as a person might have recorded it, of our own making: 20 s at about
// 90 Hz with jitter, every second frame as the one before, quantised to 1 mm and 0.001; both hands
// move slowly and fast; the controllers drop out at 10.53 s, bare hands are seen meanwhile, and the
// controllers are back at another place at 19.2 s.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "core/random.hpp"
#include "math/so3.hpp"

namespace handspan::test {

struct HandMotion {
  Eigen::Vector3d p;
  Eigen::Quaterniond q;
};

/// Of the left (side = 1) or right (side = -1) hand at t [s], in WebXR's axes; up to 0.7 m/s and
/// 5 rad/s.
inline HandMotion hand_motion(double t, double side) {
  // calm, then lively, then a few flicks of the wrist
  const double lively =
      0.5 * (1.0 + std::tanh(2.0 * (t - 3.0))) * (0.575 - 0.425 * std::tanh(4.0 * (t - 8.5)));
  const double flick =
      std::exp(-20.0 * (t - 6.0) * (t - 6.0)) + std::exp(-20.0 * (t - 19.6) * (t - 19.6));
  const Eigen::Vector3d p =
      Eigen::Vector3d(-0.2 * side, 1.0, -0.3) +
      lively * Eigen::Vector3d(0.05 * std::sin(1.9 * t + side), 0.08 * std::sin(1.3 * t),
                               0.07 * std::sin(2.3 * t + 1.0)) +
      flick * Eigen::Vector3d(0.1 * side, 0.1, 0.1);
  const Eigen::Vector3d turn = lively * Eigen::Vector3d(0.2 * std::sin(2.1 * t), 0.3 * std::sin(t),
                                                        0.2 * std::sin(1.7 * t + side)) +
                               flick * Eigen::Vector3d(1.2, 0.0, 0.4 * side);
  return {p, exp_quaternion(turn) * exp_quaternion({0.9, 0.0, 0.4 * side})};
}

inline std::string headset_session() {
  std::string text = "t";
  for (const char side : {'l', 'r'})
    for (const char* column :
         {"source", "x", "y", "z", "qx", "qy", "qz", "qw", "trigger", "squeeze", "primary"})
      text += fmt::format(",{}_{}", side, column);
  text += "\n";
  RandomStream random(20, "headset_session");
  double t = 0.0, seen = 0.0;
  for (int frame = 0; t < 20.0; ++frame) {
    if (frame % 2 == 0) seen = t;
    text += fmt::format("{:.4f}", t);
    for (const double side : {1.0, -1.0}) {
      const char* source = "controller";
      if (t >= 10.53 && t < 19.2) source = t < 10.7 || (t > 13.0 && t < 13.4) ? "none" : "hand";
      if (t >= 19.12 && t < 19.2) source = "none";
      if (std::string(source) == "none") {
        text += ",none,,,,,,,,,,";
        continue;
      }
      HandMotion m = hand_motion(seen, side);
      if (t >= 19.2) m.p += Eigen::Vector3d(0.1, -0.15, 0.05);
      text += fmt::format(",{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},0,0,0", source,
                          m.p.x(), m.p.y(), m.p.z(), m.q.x(), m.q.y(), m.q.z(), m.q.w());
    }
    text += "\n";
    t += 0.0111 + random.uniform(-0.004, 0.004) + (frame % 97 == 96 ? 0.03 : 0.0);
  }
  return text;
}

}  // namespace handspan::test
