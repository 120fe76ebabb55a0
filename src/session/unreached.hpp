#pragma once
// References that their frames do not reach: a joint at its end, an arm stretched out, bodies that
// are kept apart. Found when the error of a pose does not shrink, named by what binds in the QP's
// answer, with a way out. Letters: W world, E end-effector frame.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "control/frame_task.hpp"
#include "control/whole_arm.hpp"
#include "core/channel.hpp"
#include "core/fixed_text.hpp"
#include "reference/arbiter.hpp"

namespace handspan {

/// More than this is away, when it does not shrink [m, rad].
inline constexpr double kUnreachedDistance = 0.01, kUnreachedAngle = 0.06;
/// After which it is told [s].
inline constexpr double kUnreachedTime = 0.3;

struct UnreachedSummary {
  std::string task;
  std::uint64_t times = 0;  // that it was told
  double time = 0.0;        // unreached [s]
  double distance = 0.0;    // largest then [m]
  double angle = 0.0;       // [rad]
  std::string last;         // what bound last; empty: nothing did
};

class Unreached {
 public:
  /// Of the arbiter's references of frames. Both outlive it.
  Unreached(const WholeArm& arms, const Arbiter& arbiter);

  // in a tick; nothing allocates, locks or throws

  /// After the controller. An error that a contact or another task makes alone, with no limit that
  /// binds, is none of these.
  void update(double dt, EventList& events);
  /// Whether the frame of a reference is away from its reference and does not come nearer, since
  /// something binds; and what, in words.
  bool unreached(ReferenceIndex reference) const;
  std::string_view cause(ReferenceIndex reference) const;

  void declare(ChannelTable& channels, Rate rate);
  void publish(ChannelTable& channels, Nanoseconds stamp) const;
  std::vector<UnreachedSummary> summary() const;
  void state(StateArchive& archive);

 private:
  struct Watched {
    ReferenceIndex reference;
    const FrameTask* task = nullptr;
    FrameId shoulder;          // about which the arm turns as a whole
    double since = 0.0;        // it is away and does not come nearer, for so long [s]
    double best = 0.0;         // nearest in that time [m]
    double until_asked = 0.0;  // again what binds [s]
    bool told = false;
    std::uint64_t times = 0;
    double time = 0.0, distance = 0.0, angle = 0.0;
    FixedText<126> cause;
    BooleanChannel channel;
    void state(StateArchive& archive) {
      archive(since, best, until_asked, told, times, time, distance, angle, cause);
    }
  };

  bool find_cause(Watched& watched);

  const WholeArm& arms_;
  const Arbiter& arbiter_;
  std::vector<Watched> watched_;
};

}  // namespace handspan
