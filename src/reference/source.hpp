#pragma once
// Where references come from: a person, a plan, a recording, vision, a policy.
// A source asks for a motion; the arbiter decides who has authority, and the reference that the
// controller gets keeps its limits whatever is asked. A new skill is most often a new source.
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>

#include "control/axis_feedback.hpp"
#include "core/channel.hpp"
#include "core/parameter_table.hpp"
#include "core/registry.hpp"
#include "reference/input.hpp"
#include "reference/motion.hpp"

namespace handspan {

enum class SourceStatus : std::uint8_t {
  kActive,  // asks for what it wrote
  kDone,    // asks for what it wrote, and that is its end
  kSilent,  // asks for nothing now: the reference brakes to rest
  kLost,    // something failed (stale, not finite): the reference brakes to rest and stays there
            // until the source is started anew
};

struct SourceAnswer {
  SourceStatus status = SourceStatus::kActive;
  const char* reason = "";  // kSilent, kLost: why, as a person reads it; lives for ever
  Axes axes = kAllAxes;     // that it has a say in
  double share = 1.0;       // of the share that it was given; finite, 0: it has no say now
  // of a pose: from this tick on it has the velocity and the acceleration that it wrote, whatever
  // they were before, as after an impact. Only one whose jumps() is true may say so
  bool jump = false;
  // of a task of a frame: what of its position and velocity feedback acts in this tick, in the axes
  // of its gains, beside what the mode `feedback` says. None: all of it. Only one whose
  // shares_feedback() is true may say so
  std::optional<FeedbackShares> feedback = {};
};

/// How near the measured arm must be to where a source ends for that to be its end.
struct Tolerance {
  double distance = 0.005;                  // [m]
  double angle = std::numbers::pi / 180.0;  // [rad]
};

class SlowWorker;

class Source {
 public:
  static constexpr char kKind[] = "source";

  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  Source() = default;

  /// It gets authority, or goes on after a hold: from this reference. Allocates and throws nothing,
  /// as all that follows.
  virtual void start(const Moment& moment, const Motion& reference) = 0;
  /// It goes on after a hold, from this reference: a plan with what is left of it. By itself: as
  /// start().
  virtual void resume(const Moment& moment, const Motion& reference) { start(moment, reference); }
  /// Whether it comes to an end by itself, so that what it asks for on the way is not a goal.
  virtual bool ends() const { return false; }
  /// None: its end is where the reference is there.
  virtual std::optional<Tolerance> tolerance() const { return {}; }
  /// What it does, in words that follow the name of a task: "moves through 3 poses". Empty: a
  /// person or something else that needs no more than its name.
  virtual std::string text() const { return {}; }
  /// The axes in which whoever is behind it says where to go, in W: of a hand forward, left and up
  /// as the person sees it, of a jog those of its rates. Axes of a tool are none of a person.
  virtual Eigen::Matrix3d R_WO() const { return Eigen::Matrix3d::Identity(); }
  /// The kind of reference that it moves.
  virtual std::string_view asks_for() const { return kPoseKind; }
  /// Whether it can move references of a kind: by itself, of the kind that it asks for. A pose that
  /// comes with its velocity moves a twist too.
  virtual bool moves(std::string_view kind) const { return kind == asks_for(); }
  /// Whether it may announce jumps of velocity (SourceAnswer::jump). What cannot take them refuses
  /// it at load.
  virtual bool jumps() const { return false; }
  /// Whether it may give shares of feedback (SourceAnswer::feedback). A task that has none refuses
  /// it at load.
  virtual bool shares_feedback() const { return false; }
  /// While it has authority, once a tick. `wanted` has what it wrote in the tick before.
  virtual SourceAnswer update(const Moment& moment, const Motion& reference, Motion& wanted) = 0;
  /// What it asks for is farther ahead of the arm than the leash is long: it is moved by p and
  /// turned by R about its own origin, in W, for good, as by a clutch. Whether it is: a plan, or
  /// poses that mean places in W, stay what they are.
  virtual bool shift(const Eigen::Vector3d& /*p*/, const Eigen::Matrix3d& /*R*/) { return false; }
  /// An input for it, at the tick that it is latched; also without authority.
  virtual void receive(const Moment&, const Input&) {}
  /// Whether a button is down, for transitions; by the source's own names. False: unknown.
  virtual bool button(std::string_view) const { return false; }
  virtual bool has_button(std::string_view) const { return false; }

  /// What of it may be changed live, at set-up: "source.NAME." + its name.
  virtual void declare_parameters(PartParameters&) {}
  virtual void declare(ChannelTable&, Rate) {}
  virtual void publish(ChannelTable&, Nanoseconds) const {}
  /// At set-up, when all channels are declared: finds those that it reads, whatever declares them.
  /// @throws InputError for one that is not there
  virtual void connect(const ChannelTable&) {}
  /// Who answers its questions in a thread, whose answers are inputs of this source; null: it asks
  /// none.
  virtual SlowWorker* worker() { return nullptr; }
  /// A run in which devices are opened begins: it connects to whom it asks. @throws InputError when
  /// that cannot be
  virtual void open() {}
  /// Everything that a run changes.
  virtual void state(StateArchive&) {}
};

class Arbiter;
class Devices;
class PoseHistory;
class Versions;
class WholeArm;
class World;
struct Scene;

/// What a source is made for; what it points to outlives it. Null where a test has none.
struct SourceContext {
  std::string name;
  std::uint64_t seed = 0;
  const Devices* devices = nullptr;
  const Scene* scene = nullptr;
  WholeArm* arms = nullptr;
  const World* world = nullptr;        // null: nothing is simulated, as in an open replay
  const Arbiter* arbiter = nullptr;    // has all references already
  const Versions* versions = nullptr;  // of what changes while a question is answered
  PoseHistory* history = nullptr;      // where things were
};

using SourceRegistry = Registry<Source, const SourceContext&>;

}  // namespace handspan
