#pragma once
// The loop that everything runs in: in each tick inputs are latched,
// machines and sources say where references go, controllers answer, the plant advances, channels
// are published. A run is a function of build, app, seed and inputs; a snapshot is all of its
// state.
//
// Ticks count from 0; tick k begins at k base periods. After tick k measured channels are of time
// k + 1, and what was decided (references, errors, modes, commands) is of time k, the time of the
// observation that it answered: that is the stamp of each. The commanded joints are stamped with
// the time at which the arm is to be there.
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/channel.hpp"
#include "core/parameter_table.hpp"
#include "device/devices.hpp"
#include "plant/plant_set.hpp"
#include "plant/world.hpp"
#include "reference/arbiter.hpp"
#include "reference/mailbox.hpp"
#include "reference/pose_history.hpp"
#include "reference/slow_worker.hpp"
#include "reference/versions.hpp"
#include "session/app.hpp"
#include "session/arm_watch.hpp"
#include "session/fall_watch.hpp"
#include "session/grasp_watch.hpp"
#include "session/judge.hpp"
#include "session/machine.hpp"
#include "session/pacer.hpp"
#include "session/plant_watch.hpp"
#include "session/tick_times.hpp"
#include "session/unreached.hpp"

namespace handspan {

class Session;

/// Where inputs come from besides the mailboxes: a log that is run again.
class InputFeed {
 public:
  virtual ~InputFeed() = default;
  /// The next input of this tick, in the order of recording. Allocates and throws nothing.
  virtual bool next(std::int64_t tick, Input& input) = 0;
};

/// Who looks on: a recorder, a verifier, a station. Called from the loop's thread.
class SessionWatcher {
 public:
  virtual ~SessionWatcher() = default;
  /// Before the first tick and after restore().
  virtual void begin(Session&) {}
  /// After each tick. Allocates, locks and throws nothing.
  virtual void after_tick(Session& session) noexcept = 0;
  /// After the last tick of a run.
  virtual void end(Session&) {}
};

/// What a run must have the same of to be the same run, tick by tick.
enum class Quantity { kInputs, kReferences, kControl, kCommands, kPlant };
inline constexpr std::size_t kQuantities = 5;
/// "inputs", "references", "control", "commands", "plant".
const char* name_of(Quantity quantity);
using TickHashes = std::array<std::uint32_t, kQuantities>;

struct SessionOptions {
  std::unique_ptr<Plant> plant;  // in place of the app's; none: those, or its scene simulated
  // with a world of the app's scene, at its start, for an app without plants: compiled already
  std::unique_ptr<Plant> simulation;
  std::unique_ptr<InputFeed> feed;         // none: mailboxes only
  bool live_inputs = true;                 // false: mailboxes are not read, a replay is on its own
  bool live_devices = false;               // devices are opened, and asked at each tick
  std::vector<ToldVerdict> verdicts = {};  // of judges, for when nothing is simulated
  // live parameters with another value than the app's: set in the first tick, and recorded, as if
  // by the operator
  ParameterValues parameters = {};
};

class Session {
 public:
  /// @param app kept by reference
  /// @throws InputError or ConfigError with the place: a controller that does not suit its group, a
  /// mode whose task is not there, two machines that drive the same reference ...
  explicit Session(const App& app, SessionOptions options = {});
  // one that is gone at the end of its line
  explicit Session(App&& app, SessionOptions options = {}) = delete;
  ~Session();

  /// One base tick: act(), then observe(). Allocates, locks and throws nothing, as those.
  void tick() {
    act();
    observe();
  }
  /// Its first half: inputs are latched, controllers answer the present observation, the plant gets
  /// its commands. A plant that is the clock is waited for after it.
  void act();
  /// Its second half: simulators advance; what the plant observed last is published, watchers are
  /// called.
  void observe();
  /// When answers of what is slower than a tick are taken (reference/slow_worker.hpp): on a virtual
  /// clock exactly at their times, which each tick waits for; else as they come.
  void take_answers_as_they_come(bool as_they_come) { answers_as_they_come_ = as_they_come; }
  /// Waits for the answers that the next tick takes at their times. The tick does so by itself; who
  /// measures ticks calls it before. Not part of what a tick may not do: a virtual clock stands.
  void await_answers();
  /// Where things were. What is asked for later is to be tracked before the first tick.
  PoseHistory& history() { return history_; }
  /// Ticks done so far.
  std::int64_t ticks() const { return tick_; }
  /// Simulated time [ns].
  Nanoseconds now() const { return tick_ * base_; }
  Nanoseconds base_period() const { return base_; }
  /// Whether every machine is in a final state; false without machines.
  bool ended() const;
  /// Whether it has ended, and no machine's state leads on.
  bool over() const;

  /// The mailbox of a device's, a source's or the operator's ("operator") inputs; from one thread
  /// each.
  /// @throws InputError naming those there are
  Mailbox& mailbox(std::string_view name);
  /// Inputs from here besides the mailboxes, instead of those of the options; before the first
  /// tick.
  void set_feed(std::unique_ptr<InputFeed> feed) { feed_ = std::move(feed); }
  /// Whether a device that lives in the loop is asked for samples: not while a person gives them in
  /// its place. Between ticks; true at first.
  void set_scripted(std::size_t device, bool scripted) { scripted_[device] = scripted; }
  /// Inputs latched in the last tick.
  std::span<const Input> inputs() const { return inputs_; }
  const EventList& events() const { return events_; }
  TickHashes hashes();
  /// Inputs that did not fit into their mailboxes.
  std::uint64_t lost_inputs() const;
  /// Observations of real plants that the loop never saw, by their own counts.
  std::uint64_t lost_observations() const { return watch_ ? watch_->lost() : 0; }
  /// Wall time of the controllers' part of a tick.
  const TickTimes& control_times() const { return control_times_; }
  bool in_episode() const { return in_episode_; }
  /// What a recording that begins in the middle of a run has to state, since the events that said
  /// it came before: who operates, who has authority over what, and the episode that is under way.
  void tell_standing(EventList& events) const;
  /// Tells the watchers that the run is over.
  void finish();
  /// Gives back the simulation of a session that was made with one, or without plants; what is left
  /// may only be destroyed.
  std::unique_ptr<Plant> release_simulation();
  /// Inputs that were for nobody, or not understood.
  std::uint64_t rejected_inputs() const { return rejected_inputs_; }

  /// Everything that a run changes, as bytes, and back: the same inputs then give the same bits.
  /// Saving allocates nothing once the buffer has its size. @throws InputError when the bytes are
  /// of another app or damaged; the session is then not to be used
  void snapshot(std::vector<std::byte>& into);
  void restore(std::span<const std::byte> bytes);
  /// The same in two parts: the plant's, and the rest of the loop.
  void snapshot(std::vector<std::byte>& plant, std::vector<std::byte>& loop);
  void restore(std::span<const std::byte> plant, std::span<const std::byte> loop);
  /// In the next tick the tasks follow these instead of what the sources ask for: who drives the
  /// session from outside, step by step. Kept by reference until then.
  /// @param references of the arbiter's first references, in their order
  void follow(std::span<const Motion> references) { imposed_ = references; }

  /// Outlives the session, or is removed before. Between ticks too: the first few allocate nothing.
  void watch(SessionWatcher& watcher);
  void unwatch(SessionWatcher& watcher);

  const App& app() const { return app_; }
  Plant& plant() { return *plant_; }
  /// What may be changed while it runs: "task.NAME.weight" (stiffness, damping),
  /// "payload.NAME.carried", "loop_closure.NAME.closed", "belt.NAME.speed"; of what neither a
  /// controller nor a machine commands "joint.NAME.position" and "gripper.NAME.width"; and what
  /// sources and modes add.
  const ParameterTable& parameters() const { return parameters_; }
  /// The truth of the app's scene. None: nothing of it is simulated.
  World* world() { return world_; }
  /// The plants that plant() unites; none: it is the simulation of the whole scene.
  const PlantSet* plants() const { return plants_; }
  /// None when plants() is none.
  const PlantWatch* plant_watch() const { return watch_ ? &*watch_ : nullptr; }
  /// None: the app has none, or another controller in its place.
  WholeArm* whole_arm() { return whole_arm_; }
  /// That or another one, whatever moves the arms; null: nothing does.
  const ArmsController* arms_controller() const { return arms_controller_.get(); }
  Arbiter& arbiter() { return *arbiter_; }
  const Devices& devices() const { return devices_; }
  std::vector<Machine>& machines() { return machines_; }
  const Judges& judges() const { return judges_; }
  const GraspWatch& grasps() const { return *grasps_; }
  const ArmWatch& arm_watch() const { return *arm_watch_; }
  /// None: no whole-arm controller.
  const Unreached* unreached() const { return unreached_ ? &*unreached_ : nullptr; }
  std::vector<RandomGoals>& goals() { return goals_; }
  const Command& command() const { return command_; }
  const ChannelTable& channels() const { return channels_; }
  /// Index among the layout's groups has a controller of its own or the whole-arm controller's.
  bool controlled(std::size_t group) const { return groups_[group].controlled; }

 private:
  struct Group {
    std::unique_ptr<GroupController> controller;  // none: whole-arm's, or the modes' command
    bool controlled = false;
    bool held = false;  // suction: by what was observed before this tick's step
    Rate rate;
    VectorChannel q, v, tau, command;
  };
  struct Box {
    std::string name;
    std::unique_ptr<Mailbox> box;
    // of a device whose own thread gives way to a page, which has `box` then: that thread's
    std::unique_ptr<Mailbox> own = nullptr;
    Nanoseconds silent = 0;       // after so long without a page's sample its own thread is heard
    Nanoseconds taken_until = 0;  // by a page [ns]; of a live run only
  };

  static constexpr std::size_t kMostInputs = 256;  // of a tick

  void make_groups();
  void make_devices();
  void make_arms_controller();
  void make_references();
  void add_reference(Task& task);
  void make_machines();
  void add_belts();
  void add_manual_values();
  void set_from_start(const ParameterValues& values);
  void declare_channels();
  void start();
  void open_devices();
  void latch_inputs(const Moment& moment);
  void resume(const Moment& moment, std::string_view who);
  void watch_stop_devices(const Moment& moment);
  void add_versions();
  void offer_history();
  void open_sources();
  void connect_sources();
  void note_versions();
  void accept(const Input& input, const Moment& moment);
  bool set_parameter(std::string_view name, double value);
  void mark_episode(std::string_view mark, std::string_view text);
  void run_machines(const Moment& moment);
  void stop_arms(std::string_view reason);
  void watch_arms(const Observation& observation);
  void give_way(int arm, const Observation& observation);
  void rebase_arm(int arm, const Observation& observation);
  void tell_start();
  // the plant advances at every tick or every few: its period is a multiple of the base period
  bool plant_is_due() const { return now() % plant_->layout().period == 0; }
  // of what observes it
  Nanoseconds group_stamp(std::size_t group) {
    return plants_ ? plants_->group_stamp(group) : plant_->read().stamp;
  }
  Nanoseconds sensor_stamp(std::size_t sensor) {
    return plants_ ? plants_->sensor_stamp(sensor) : plant_->read().stamp;
  }
  void control(const Observation& observation);
  void stop_goals();
  void publish();
  void state(StateArchive& archive, bool with_plant);
  void restored();

  const App& app_;
  std::unique_ptr<Plant> plant_;
  PlantSet* plants_ = nullptr;       // plant_, when it is one
  World* world_ = nullptr;           // plant_'s
  std::optional<PlantWatch> watch_;  // of plants_
  std::optional<GraspWatch> grasps_;
  std::optional<FallWatch> fall_watch_;  // of world_
  std::optional<ArmWatch> arm_watch_;
  std::optional<Unreached> unreached_;  // references of whole_arm_
  std::vector<Nanoseconds> stamps_;     // of what each group measured
  std::unique_ptr<InputFeed> feed_;
  bool live_inputs_, live_devices_;
  std::vector<bool> scripted_;  // by device
  std::vector<std::pair<std::string, std::unique_ptr<RobotModel>>> models_;
  std::vector<Group> groups_;
  std::vector<std::size_t> suctions_;  // of groups_
  std::unique_ptr<ArmsController> arms_controller_;
  WholeArm* whole_arm_ = nullptr;  // it, when it is the QP
  std::vector<RandomGoals> goals_;
  EventList events_;
  Devices devices_;
  std::unique_ptr<Arbiter> arbiter_;
  Judges judges_;
  std::vector<Machine> machines_;
  std::vector<Box> mailboxes_;
  std::vector<SlowWorker*> workers_;  // of sources
  Versions versions_;                 // of the scene, and of machines in their order
  std::vector<Versions::Id> machine_versions_;
  PoseHistory history_;
  bool answers_as_they_come_ = false;
  std::vector<Input> inputs_;                // of this tick
  std::vector<FixedText<62>> named_events_;  // of this tick
  std::vector<VectorChannel> wrenches_;
  std::vector<std::pair<int, PoseChannel>> object_channels_;  // by body
  std::vector<ChoiceChannel> machine_channels_;
  ChannelTable channels_;
  Command command_, manual_;
  ParameterTable parameters_;
  std::vector<SessionWatcher*> watchers_;
  TickTimes control_times_;
  std::vector<std::byte> plant_bytes_;
  Nanoseconds base_ = 0;
  std::int64_t tick_ = 0;
  std::uint64_t rejected_inputs_ = 0;
  FixedText<62> operator_;
  FixedText<166> episode_task_;
  bool in_episode_ = false, first_events_ = false;
  bool waits_for_stop_device_ = false;  // stopped only since one has never been there
  bool goals_stop_ = false;             // goals of a script end where their arm comes to rest
  Nanoseconds answered_ = 0;            // stamp of the observation that was answered last
  std::span<const Motion> imposed_;     // references of the next tick
  double observe_time_ = 0.0;           // wall time of the controllers' look in this tick [s]
};

}  // namespace handspan
