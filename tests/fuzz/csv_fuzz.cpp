// Any bytes as a recording of a headset: it is read or refused with words, and what is read is
// survived by what follows a hand.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/error.hpp"
#include "device/headset.hpp"
#include "device/headset_csv.hpp"
#include "teleop/clutch.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace handspan;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    DeviceState state("headset", headset_layout(), {});
    Clutch clutch({{}, {}, true}, state, 0, {});
    Nanoseconds now = 0;
    for (const Input& input : parse_headset_csv(text, "fuzz.csv", "headset")) {
      now += 10'000'000;
      state.receive({now / 1'000'000, now, 1e-3, nullptr}, input);
      if (!clutch.update(state)) continue;
      const PoseEstimate e = state.pose(0).estimate(now);
      if (!e.p_VC.allFinite() || std::abs(e.q_VC.norm() - 1.0) > 1e-6) __builtin_trap();
    }
  } catch (const InputError& error) {
    if (*error.what() == '\0') __builtin_trap();
  }
  return 0;
}
