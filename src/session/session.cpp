#include "session/session.hpp"

#include <fmt/format.h>
// all of it inline: no library to link
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/file_trees.hpp"
#include "core/suggest.hpp"
#include "core/tree_edit.hpp"
#include "mujoco/mujoco_plant.hpp"
#include "reference/frame_reference.hpp"
#include "session/session_plants.hpp"

namespace handspan {
namespace {

constexpr std::size_t kMostInputs = 256;  // of a tick
constexpr std::size_t kWatchers = 8;      // that come without allocation
constexpr char kOperator[] = "operator";

class Hash {
 public:
  Hash() { XXH3_64bits_reset(&state_); }
  void bytes(const void* data, std::size_t n) {
    if (n > 0) XXH3_64bits_update(&state_, data, n);
  }
  template <class T>
  void value(const T& x) {
    static_assert(std::has_unique_object_representations_v<T>);
    bytes(&x, sizeof x);
  }
  void numbers(const auto& v) {
    bytes(v.data(), sizeof(double) * static_cast<std::size_t>(v.size()));
  }
  void text(std::string_view t) { bytes(t.data(), t.size()); }
  std::uint32_t result() const { return static_cast<std::uint32_t>(XXH3_64bits_digest(&state_)); }

 private:
  XXH3_state_t state_;
};

// An error at a key of the app whose place its configuration did not keep.
ConfigError error_at(const App& app, const std::vector<TreeStep>& steps, std::string cause) {
  Place place{app.file.string(), 0, 0};
  try {
    const Node tree = load_tree(app.file);
    if (const Node* node = find(tree, steps)) place = node->place();
  } catch (const InputError&) {
    // changed since it was loaded: its name is left
  }
  return ConfigError({{place, text_of(steps), std::move(cause), ""}});
}

}  // namespace

const char* name_of(Quantity quantity) {
  constexpr const char* kNames[] = {"inputs", "references", "control", "commands", "plant"};
  return kNames[static_cast<std::size_t>(quantity)];
}

Session::Session(const App& app, SessionOptions options)
    : app_(app),
      feed_(std::move(options.feed)),
      live_inputs_(options.live_inputs),
      live_devices_(options.live_devices) {
  if (auto plants = session_plants(app, std::move(options.plant))) {
    plants_ = plants.get();
    watch_.emplace(*plants_);
    plant_ = std::move(plants);
  } else {
    plant_ = options.simulation ? std::move(options.simulation)
                                : std::make_unique<MujocoPlant>(app.scene);
  }
  world_ = plant_->world();
  make_groups();
  make_devices();
  add_versions();
  make_references();
  std::vector<bool> limp;
  for (std::size_t g = 0; g < groups_.size(); ++g)
    limp.push_back(plant_->layout().groups[g].kind == GroupKind::kTorque && !groups_[g].controlled);
  arm_watch_.emplace(app_.watch, app_.scene, plant_->layout(), whole_arm_,
                     app_.whole_arm ? &*app_.whole_arm : nullptr, base_, limp);
  if (whole_arm_) unreached_.emplace(*whole_arm_, *arbiter_);
  stamps_.assign(groups_.size(), 0);
  if (world_) fall_watch_.emplace(*world_, app_.scene);
  judges_.make(app_.judges, app_.scene, world_, std::move(options.verdicts));
  add_belts();
  make_machines();
  add_manual_values();
  set_from_start(options.parameters);
  declare_channels();
  inputs_.reserve(kMostInputs);
  named_events_.reserve(kMostInputs);
  watchers_.reserve(kWatchers);
  start();
  history_.record();
  if (live_devices_) open_devices();
  open_sources();
}

Session::~Session() {
  for (SlowWorker* worker : workers_) worker->close();
  devices_.close();
}

void Session::make_groups() {
  for (const auto& robot : app_.scene.robots)
    models_.emplace_back(
        robot.name, std::make_unique<RobotModel>(robot.description, app_.scene.physics.gravity));
  const PlantLayout& layout = plant_->layout();
  command_ = manual_ = Command::zero(layout);
  std::vector<Rate> rates = {Rate::from_period(layout.period)};
  for (std::size_t g = 0; g < layout.groups.size(); ++g) {
    const GroupLayout& group_layout = layout.groups[g];
    Group group;
    group.rate = group_layout.rate;
    for (const auto& [name, part] : app_.controllers) {
      if (name != group_layout.name) continue;
      const RobotInstance& robot = *app_.scene.robot(group_layout.robot);
      const auto& model =
          std::ranges::find(models_, robot.name, [](const auto& m) { return m.first; })->second;
      group.controller = part.make(GroupContext{*model, robot.limits, group_layout});
      group.controller->start(plant_->read().groups[g]);
      group.controlled = true;
    }
    rates.push_back(group.rate);
    groups_.push_back(std::move(group));
  }
  base_ = handspan::base_period(rates);
  grasps_.emplace(layout, plant_->read());
  // what modes may command starts where it is
  for (std::size_t g = 0; g < groups_.size(); ++g)
    if (layout.groups[g].kind == GroupKind::kPosition ||
        layout.groups[g].kind == GroupKind::kSuction)
      manual_.groups[g] = plant_->read().groups[g].q;
    else if (const auto& gripper = layout.groups[g].gripper;
             gripper && layout.groups[g].kind == GroupKind::kGripper)
      manual_.groups[g] << grasps_->width(g), gripper->speed, gripper->force;
}

void Session::make_devices() {
  mailboxes_.push_back({kOperator, std::make_unique<Mailbox>()});
  for (const auto& [name, config] : app_.devices) {
    const auto bad = [&](std::string cause, std::string hint) {
      return ConfigError({{config.place, "devices." + name, std::move(cause), std::move(hint)}});
    };
    if (name == kOperator)
      throw bad("is named as the operator's own mailbox", "choose another name");
    try {
      devices_.add(name, config, app_.seed);
    } catch (const ConfigError&) {
      throw;
    } catch (const InputError& error) {
      throw bad("cannot be made: " + std::string(error.what()), "");
    }
    Box& box = mailboxes_.emplace_back(Box{name, std::make_unique<Mailbox>()});
    if (devices_.driver(devices_.size() - 1).gives_way()) {
      box.own = std::make_unique<Mailbox>();
      box.silent = std::llround(config.limits.timeout * 1e9);
    }
  }
  scripted_.assign(devices_.size(), true);
}

void Session::open_devices() {
  std::vector<Mailbox*> boxes;
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    const auto& name = devices_.state_of(d).name();
    const auto box = std::ranges::find(mailboxes_, name, &Box::name);
    boxes.push_back(box->own ? box->own.get() : box->box.get());
  }
  devices_.open(boxes, channels_);
}

// Of the kind that the task says, with the limits that the app gives it.
void Session::add_reference(Task& task) {
  const std::string kind(task.reference_kind());
  if (kind.empty()) return;
  const auto bad = [&](std::string cause) {
    return error_at(app_, {"references", task.name()}, std::move(cause));
  };
  const auto given = std::ranges::find(app_.references, task.name(),
                                       [](const auto& entry) { return entry.first; });
  const ReferenceContext context{task, whole_arm_};
  try {
    if (given == app_.references.end()) {
      const auto plain =
          std::ranges::find(app_.reference_kinds, kind, &ReferenceRegistry::Part::name);
      if (plain == app_.reference_kinds.end())
        throw InputError(fmt::format(
            "there is no kind of reference '{}', which the task follows; register it", kind));
      arbiter_->add(plain->make(context));
      return;
    }
    if (given->second.name != kind)
      throw InputError(
          fmt::format("these are limits of type '{}', and the task follows '{}'; say "
                      "type: {}, or take them away",
                      given->second.name, kind, kind));
    arbiter_->add(given->second.make(context));
  } catch (const InputError& error) {
    throw bad(fmt::format("cannot be made: {}", error.what()));
  }
}

void Session::make_arms_controller() {
  if (app_.whole_arm) {
    auto qp = std::make_unique<WholeArm>(*app_.whole_arm, app_.scene, plant_->layout(), base_);
    whole_arm_ = qp.get();
    arms_controller_ = std::move(qp);
  } else if (const auto& other = app_.arms_controller) {
    try {
      arms_controller_ = other->make(ArmsContext{app_.scene, plant_->layout(), base_});
    } catch (const ConfigError&) {
      throw;
    } catch (const InputError& error) {
      throw ConfigError({{other->place, "whole_arm",
                          fmt::format("'{}' cannot be made: {}", other->name, error.what()), ""}});
    }
  } else {
    return;
  }
  const auto& groups = plant_->layout().groups;
  for (const std::string& name : arms_controller_->groups()) {
    const auto found = std::ranges::find(groups, name, &GroupLayout::name);
    if (found == groups.end())
      throw error_at(app_, {"whole_arm"},
                     fmt::format("commands the group '{}', which the scene does not have", name));
    const auto g = static_cast<std::size_t>(found - groups.begin());
    if (groups_[g].controlled)
      throw error_at(app_, {"controllers", name},
                     fmt::format("gives '{}' a controller, which whole_arm controls too", name));
    groups_[g].controlled = true;
  }
  arms_controller_->start(plant_->read());
  arms_controller_->declare_parameters(parameters_);
}

void Session::make_references() {
  make_arms_controller();
  arbiter_ = std::make_unique<Arbiter>(events_, whole_arm_);
  if (whole_arm_)
    for (std::size_t g = 0; g < app_.goals.size(); ++g) {
      try {
        goals_.emplace_back(app_.goals[g], *whole_arm_, app_.seed);
      } catch (const InputError& error) {
        throw error_at(app_, {"goals", g, "task"}, fmt::format("cannot be had: {}", error.what()));
      }
    }
  if (arms_controller_) {
    for (Task* task : arms_controller_->all_tasks()) {
      // tasks that goals drive have no other reference
      if (std::ranges::any_of(app_.goals, [&](const auto& g) { return g.task == task->name(); }))
        continue;
      add_reference(*task);
    }
    for (const auto& [name, part] : app_.references) {
      try {
        arbiter_->find_reference(name);
      } catch (const InputError& error) {
        throw error_at(app_, {"references", name}, fmt::format("limits nothing: {}", error.what()));
      }
    }
    arbiter_->start();
  }
  offer_history();
  for (const auto& together : app_.hold_together) {
    try {
      std::vector<ReferenceIndex> references;
      for (const auto& task : together.tasks) references.push_back(arbiter_->find_reference(task));
      arbiter_->hold_together(std::move(references));
    } catch (const InputError& error) {
      throw ConfigError({{together.place, "hold_together", error.what(), ""}});
    }
  }
  for (const auto& [name, part] : app_.sources) {
    if (name == kOperator)
      throw ConfigError(
          {{part.place, "sources", "has one named 'operator', which is the operator's own mailbox",
            "choose another name"}});
    if (devices_.has(name))
      throw ConfigError({{part.place, "sources." + name, "is named as a device",
                          "choose another name: inputs are for one of them"}});
    try {
      auto source = part.make(SourceContext{name, app_.seed, &devices_, &app_.scene, whole_arm_,
                                            world_, arbiter_.get(), &versions_, &history_});
      PartParameters own(parameters_, "source." + name);
      source->declare_parameters(own);
      if (source->worker() != nullptr) workers_.push_back(source->worker());
      arbiter_->add_source(name, std::move(source));
    } catch (const ConfigError&) {
      throw;
    } catch (const InputError& error) {
      throw ConfigError(
          {{part.place, "sources." + name, "cannot be made: " + std::string(error.what()), ""}});
    }
    mailboxes_.push_back({name, std::make_unique<Mailbox>()});
  }
}

void Session::add_versions() {
  versions_.add(kSceneVersion);
  for (const auto& [name, machine] : app_.machines)
    machine_versions_.push_back(versions_.add(kMachineVersion + name));
  history_ = PoseHistory(base_);
}

// Groups by their joints, free objects by the truth of the simulation, frames of tasks as the arm
// was measured.
void Session::offer_history() {
  const auto& groups = plant_->layout().groups;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].joints.empty() || groups[g].kind == GroupKind::kGripper) continue;
    history_.offer_joints(groups[g].name, groups[g].joints.size(),
                          [this, g](std::span<double> values) {
                            const Eigen::VectorXd& q = plant_->read().groups[g].q;
                            std::copy(q.begin(), q.end(), values.begin());
                            return group_stamp(g);
                          });
  }
  const auto write = [](const Pose& X, std::span<double> values) {
    Eigen::Map<Eigen::Vector3d>(values.data()) = X.p;
    Eigen::Map<Eigen::Vector4d>(values.data() + 3) = X.quaternion().coeffs();
  };
  if (world_)
    for (const auto& object : app_.scene.objects)
      history_.offer_pose(object.name,
                          [this, write, body = world_->body(object.name)](std::span<double> v) {
                            write(world_->body_pose(body), v);
                            return world_->time();
                          });
  for (const ReferenceIndex r : arbiter_->references())
    if (const auto* frame = dynamic_cast<const FrameReference*>(&arbiter_->reference(r)))
      history_.offer_pose(arbiter_->reference(r).frame_name(),
                          [this, write, frame](std::span<double> v) {
                            write(frame->arm().X_WE, v);
                            return answered_;
                          });
}

void Session::open_sources() {
  if (live_devices_)
    for (const auto& [name, part] : app_.sources) {
      try {
        arbiter_->source(arbiter_->find_source(name)).open();
      } catch (const InputError& error) {
        throw ConfigError({{part.place, "sources." + name,
                            "cannot be opened: " + std::string(error.what()), ""}});
      }
    }
  // who is given the inputs of an earlier run has its answers among them
  if (live_inputs_ && (live_devices_ || !feed_))
    for (SlowWorker* worker : workers_) worker->open();
}

void Session::make_machines() {
  machines_.reserve(app_.machines.size());
  std::vector<std::pair<std::string, std::string>> driven;  // what, by which machine
  for (const auto& [name, config] : app_.machines) {
    machines_.emplace_back(
        config, ModeContext{name, app_.scene, plant_->layout(), whole_arm_, *arbiter_, devices_,
                            world_, judges_, *grasps_, parameters_, &versions_});
    for (const std::string& what : machines_.back().drives()) {
      for (const auto& [other, by] : driven)
        if (other == what)
          throw ConfigError({{config.place, "machines." + name,
                              fmt::format("drives '{}', which '{}' drives too", what, by),
                              "machines run side by side: let one of them"}});
      driven.emplace_back(what, name);
      const auto& groups = plant_->layout().groups;
      for (std::size_t g = 0; g < groups.size(); ++g)
        if (groups[g].name == what && groups_[g].controlled)
          throw ConfigError({{config.place, "machines." + name,
                              fmt::format("commands the group '{}', which has a controller", what),
                              "take the controller away, or the mode"}});
    }
  }
}

// A belt of a scene that nothing simulates is known, so that an app with a machine that sets it
// runs, and stays as the scene has it; persons are not shown it.
void Session::add_belts() {
  constexpr double kUsual = 1.0;  // that persons may set, where the scene says nothing [m/s]
  for (const Belt& belt : app_.scene.belts) {
    const double most = std::clamp(2.0 * std::abs(belt.speed), kUsual, kMostBeltSpeed);
    const auto by_person =
        world_ ? belt.settable.value_or(std::array{-most, most}) : std::array{0.0, 0.0};
    parameters_.add(
        {"belt." + belt.body.name + ".speed", "m/s", -kMostBeltSpeed, kMostBeltSpeed,
         "how fast its surface moves", ParameterKind::kNumber, by_person},
        [this, &belt] { return world_ ? world_->belt_speed(belt.body.name) : belt.speed; },
        [this, &belt](double value, double) {
          if (world_) world_->set_belt_speed(belt.body.name, value);
        });
  }
}

// Through the operator's mailbox: a log then has them, and runs again without being told.
void Session::set_from_start(const ParameterValues& values) {
  for (const auto& [name, value] : values) {
    const ParameterInfo& info = parameters_.info(parameters_.find(name));
    if (!(value >= info.min && value <= info.max))
      throw InputError(out_of_range(info, value, {info.min, info.max}));
    Input input;
    input.kind = InputKind::kParameter;
    input.to = name;
    input.set(std::array{value});
    mailbox(kOperator).post(input);
  }
}

// What neither a controller nor a machine commands may be set by hand, where it goes to positions
// and is simulated: a real arm would jump there.
void Session::add_manual_values() {
  const auto& groups = plant_->layout().groups;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const GroupLayout& group = groups[g];
    const bool driven = std::ranges::any_of(machines_, [&](const Machine& machine) {
      return std::ranges::count(machine.drives(), group.name) > 0;
    });
    const bool real =
        plants_ != nullptr && std::ranges::any_of(plants_->members(), [&](const auto& member) {
          return !member.plant->simulated() &&
                 std::ranges::count(member.groups, static_cast<int>(g)) > 0;
        });
    if (groups_[g].controlled || driven || real) continue;
    Eigen::VectorXd& command = manual_.groups[g];
    const auto add = [&](const std::string& name, const char* unit, double low, double high,
                         const char* doc, double& value) {
      // a joint that cannot move has nothing to be set
      if (!(low < high)) return;
      parameters_.add(
          {name, unit, low, high, doc}, [&value] { return value; },
          [&value](double x, double) { value = x; });
    };
    if (group.kind == GroupKind::kGripper)
      add("gripper." + group.name + ".width", "m", group.gripper->shut(), group.gripper->wide(),
          "how far apart the jaws go", command[0]);
    if (group.kind != GroupKind::kPosition) continue;
    const RobotInstance& robot = *app_.scene.robot(group.robot);
    for (std::size_t j = 0; j < group.joints.size(); ++j) {
      const JointLimits& limits = *robot.limits.find(group.joints[j]);
      bool slides = false;
      for (const auto& body : robot.description.bodies)
        for (const auto& joint : body.joints)
          slides = slides || (joint.name == group.joints[j] && joint.type == JointType::kPrismatic);
      add("joint." + group.joints[j] + ".position", slides ? "m" : "rad",
          limits.continuous ? -2.0 * M_PI : limits.lower,
          limits.continuous ? 2.0 * M_PI : limits.upper, "where the joint goes",
          command[static_cast<Eigen::Index>(j)]);
    }
  }
}

namespace {

const char* unit_of(GroupKind kind) {
  switch (kind) {
    case GroupKind::kTorque:
      return "N m";
    case GroupKind::kVelocity:
      return "rad/s";
    case GroupKind::kPosition:
      return "rad";
    case GroupKind::kSuction:
    case GroupKind::kGripper:
      break;
  }
  return "";
}

}  // namespace

void Session::declare_channels() {
  const PlantLayout& layout = plant_->layout();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Rate observed = Rate::from_period(plants_ ? plants_->group_period(g) : layout.period);
    const auto& name = layout.groups[g].name;
    const auto& joints = layout.groups[g].joints;
    const auto n = static_cast<std::size_t>(layout.groups[g].states());
    const bool jaws = layout.groups[g].kind == GroupKind::kGripper;
    const bool suction = layout.groups[g].kind == GroupKind::kSuction;
    if (suction) suctions_.push_back(g);
    Group& group = groups_[g];
    if (suction) {
      const auto cup = [&](const char* what, const char* doc) {
        return channels_.vector(name + what, n, "", observed, doc, joints);
      };
      group.q = cup(".q", "1 while something is held");
      group.v = cup(".v", "vacuum, share of the full one");
      group.tau = cup(".tau", "pull, share of what breaks it away");
    } else {
      const JointChannels measured = channels_.joints(
          name, joints, observed, {"measured positions", "measured velocities", "drive torques"});
      group.q = measured.q;
      group.v = measured.v;
      group.tau = measured.tau;
    }
    if (jaws)
      group.command = channels_.vector(name + ".command", kGripperCommandSize, "m, m/s, N",
                                       group.rate, "to what width, how fast and how hard at most",
                                       {"width", "speed", "force"});
    else
      group.command = channels_.vector(name + ".command", n, unit_of(layout.groups[g].kind),
                                       group.rate, "as the controller gave it", joints);
    grasps_->declare(channels_, g, observed);
  }
  for (std::size_t s = 0; s < layout.sensors.size(); ++s)
    wrenches_.push_back(
        channels_.wrench(layout.sensors[s].name + ".wrench", layout.sensors[s].frame,
                         Rate::from_period(plants_ ? plants_->sensor_period(s) : layout.period),
                         "force and torque on the tool beyond the sensor, in the sensor's frame"));
  if (watch_) watch_->declare(channels_);
  const Rate base = Rate::from_period(base_);
  if (world_)
    for (const auto& object : app_.scene.objects)
      object_channels_.emplace_back(
          world_->body(object.name),
          channels_.pose("object." + object.name + ".pose", Rate::from_period(world_->period()),
                         "of a free object, in W"));
  if (arms_controller_) arms_controller_->declare(channels_, base);
  arbiter_->declare(channels_, base);
  if (unreached_) unreached_->declare(channels_, base);
  devices_.declare(channels_, base);
  for (const auto& machine : machines_)
    machine_channels_.push_back(
        channels_.choice("mode." + machine.name(), machine.states(), base, "present state"));
  judges_.declare(channels_, base);
  devices_.connect(channels_);
  connect_sources();
  channels_.seal();
}

// A mode's own source is named as the mode: MACHINE.STATE, and .2 ... for the second of a state.
void Session::connect_sources() {
  for (auto& [task, why] : arbiter_->connect_references(channels_))
    throw error_at(app_, {"whole_arm", "tasks", task, "object"}, std::move(why));
  for (auto& [source, why] : arbiter_->connect(channels_)) {
    std::vector<TreeStep> steps{"sources", source};
    const auto named = [&](const auto& entry) { return entry.first == source; };
    if (std::ranges::none_of(app_.sources, named)) {
      const std::size_t dot = source.find('.');
      std::string state = source.substr(std::min(source.size(), dot + 1));
      state.resize(std::min(state.size(), state.find('.')));
      steps = {"machines", source.substr(0, dot), "states", state};
    }
    throw error_at(app_, steps, "cannot be made: " + why);
  }
}

void Session::start() {
  const Moment moment{0, 0, seconds(base_), &plant_->read(), &events_};
  const ModeMoment at{moment, *arbiter_, manual_, events_};
  events_.clear(0);
  for (auto& machine : machines_)
    if (const auto mark = machine.start(at)) mark_episode(name_of(*mark), machine.name());
  tell_start();
  first_events_ = true;
  answered_ = plant_->read().stamp;
  if (arms_controller_) arms_controller_->publish_start(channels_, answered_);
  publish();
}

bool Session::ended() const {
  return !machines_.empty() &&
         std::ranges::all_of(machines_, [](const Machine& m) { return m.in_final(); });
}

bool Session::over() const {
  return ended() && std::ranges::none_of(machines_, [](const Machine& m) { return m.goes_on(); });
}

Mailbox& Session::mailbox(std::string_view name) {
  std::vector<std::string> names;
  for (auto& box : mailboxes_) {
    if (box.name == name) return *box.box;
    names.push_back(box.name);
  }
  const std::string text(name);
  throw InputError(fmt::format("there is no device or source '{}' to give inputs to; {}",
                               shown(text), did_you_mean(text, names, "there are")));
}

void Session::latch_inputs(const Moment& moment) {
  inputs_.clear();
  named_events_.clear();
  // in place: an input is large
  const auto room = [&]() -> Input* {
    if (inputs_.size() == kMostInputs) return nullptr;
    return &inputs_.emplace_back();
  };
  if (feed_)
    while (Input* input = room()) {
      if (feed_->next(moment.tick, *input)) continue;
      inputs_.pop_back();
      break;
    }
  const auto take_all = [&](Mailbox& box) {
    while (Input* input = room()) {
      if (box.take(*input)) continue;
      inputs_.pop_back();
      break;
    }
  };
  // the operator's come first: who acts from this tick on is known before devices are asked
  if (live_inputs_) take_all(*mailboxes_.front().box);
  for (const Input& input : inputs_)
    if (input.kind == InputKind::kOperator && input.count == 1)
      std::fill(scripted_.begin(), scripted_.end(), input.numbers[0] > 0.5);
  if (live_devices_)
    for (std::size_t d = 0; d < devices_.size(); ++d)
      if (Input* input = scripted_[d] ? room() : nullptr;
          input && !devices_.driver(d).sample(moment.now, *input))
        inputs_.pop_back();
  if (live_inputs_)
    for (std::size_t b = 1; b < mailboxes_.size(); ++b) {
      Box& box = mailboxes_[b];
      const std::size_t before = inputs_.size();
      take_all(*box.box);
      if (!box.own) continue;
      if (inputs_.size() > before) box.taken_until = moment.now + box.silent;
      if (moment.now < box.taken_until)
        box.own->discard();
      else
        take_all(*box.own);
    }
  if (live_inputs_)
    for (SlowWorker* worker : workers_)
      while (Input* input = room()) {
        if (worker->take(moment.now, !answers_as_they_come_, *input)) continue;
        inputs_.pop_back();
        break;
      }
  for (const Input& input : inputs_) accept(input, moment);
  devices_.update(moment);
  watch_stop_devices(moment);
}

void Session::resume(const Moment& moment, std::string_view who) {
  // what stops still stops: it is told again, and latched
  if (const auto reason = devices_.stop().reason; !reason.empty()) {
    events_.add("fault", "resume", reason);
    return;
  }
  // whatever has happened to it since it was stopped
  if (whole_arm_)
    for (std::size_t a = 0; a < whole_arm_->arms(); ++a)
      if (const int arm = static_cast<int>(a);
          arm_watch_->told(static_cast<std::size_t>(whole_arm_->group_of(arm))))
        rebase_arm(arm, *moment.observation);
  arm_watch_->arm(*moment.observation);
  arbiter_->resume(moment);
  goals_stop_ = false;
  for (auto& goals : goals_) whole_arm_->end_stop(goals.task().frame().mechanism);
  events_.add("resume", "", who);
}

// One that has never been there is waited for; what stops after that is latched.
void Session::watch_stop_devices(const Moment& moment) {
  const StopAnswer& answer = devices_.stop();
  if (!answer.reason.empty()) {
    if (!arbiter_->stopped()) {
      stop_arms(answer.reason);
      waits_for_stop_device_ = answer.waits;
    } else {
      waits_for_stop_device_ = waits_for_stop_device_ && answer.waits;
    }
  } else if (arbiter_->stopped() && (waits_for_stop_device_ || answer.resets)) {
    resume(moment, answer.resets ? "reset at a device" : "the stop device is there");
    waits_for_stop_device_ = false;
  }
}

void Session::accept(const Input& input, const Moment& moment) {
  switch (input.kind) {
    case InputKind::kSample:
      if (!devices_.receive(moment, input) && !arbiter_->receive(moment, input)) ++rejected_inputs_;
      return;
    case InputKind::kParameter:
      if (input.count != 1 || !set_parameter(input.to, input.numbers[0])) {
        ++rejected_inputs_;
        events_.add("fault", input.to, "no parameter, or not one number that it may have");
      }
      return;
    case InputKind::kStop:
      stop_arms(input.text.empty() ? std::string_view("stopped") : input.text.view());
      waits_for_stop_device_ = false;
      return;
    case InputKind::kResume:
      resume(moment, input.text);
      return;
    case InputKind::kEvent:
      named_events_.push_back(input.to);
      events_.add("event", input.to, input.text);
      return;
    case InputKind::kEpisode:
      mark_episode(input.to, input.text);
      return;
    case InputKind::kOperator:
      operator_ = input.text.view();
      events_.add("operator", operator_, "operates from now on");
      return;
  }
  ++rejected_inputs_;
}

void Session::stop_arms(std::string_view reason) {
  // goals of a script have no reference of ours: they end where the frames come to rest
  goals_stop_ = goals_stop_ || !arbiter_->stopped();
  arbiter_->stop(reason);
}

// What the plants measure that nobody asked for stops the arms; the arm that it was seen of begins
// anew from where it is.
void Session::watch_arms(const Observation& observation) {
  for (std::size_t g = 0; g < groups_.size(); ++g) stamps_[g] = group_stamp(g);
  if (arm_watch_->update(observation, stamps_, tick_, events_)) stop_arms(arm_watch_->reason());
  if (!whole_arm_) return;
  for (std::size_t a = 0; a < whole_arm_->arms(); ++a) {
    const int arm = static_cast<int>(a);
    const auto group = static_cast<std::size_t>(whole_arm_->group_of(arm));
    if (arm_watch_->tripped(group))
      rebase_arm(arm, observation);
    else if (arm_watch_->still_presses(group))
      give_way(arm, observation);
  }
}

// One that is held and presses too hard all the same gives way until it does not: where torques
// drive it, by not asking for it; else, since its servo stands where it is, by going back.
void Session::give_way(int arm, const Observation& observation) {
  constexpr double kRetreat = 0.1;  // [m/s]
  const auto group = static_cast<std::size_t>(whole_arm_->group_of(arm));
  if (plant_->layout().groups[group].kind == GroupKind::kTorque) {
    rebase_arm(arm, observation);
    return;
  }
  const ArmForce& force = arm_watch_->force(group);
  const double size = force.force().norm();
  if (size > 0.0) whole_arm_->retreat(force.tool(), kRetreat / size * force.force());
}

void Session::rebase_arm(int arm, const Observation& observation) {
  whole_arm_->rebase(arm, observation);
  // what it stopped at is gone
  whole_arm_->end_stop(whole_arm_->mechanism_of(arm));
  const ControlSystem& system = whole_arm_->system();
  const auto m = static_cast<std::size_t>(whole_arm_->mechanism_of(arm));
  const int offset = system.mechanisms()[m].offset;
  for (const auto& task : whole_arm_->tasks())
    if (std::ranges::any_of(task->blocks(), [&](const auto& b) { return b.offset == offset; }))
      task->hold(system, whole_arm_->state());
  for (const ReferenceIndex r : arbiter_->references()) {
    const auto& blocks = arbiter_->reference(r).task().blocks();
    if (std::ranges::any_of(blocks, [&](const auto& b) { return b.offset == offset; }))
      arbiter_->rebase(r);
  }
}

// What is said at the start. Where an arm starts nearer to something than it is to be kept, it
// leaves it by itself.
void Session::tell_start() {
  if (!whole_arm_) return;
  for (const auto& [name, arm] : app_.whole_arm->arms) {
    const auto g = static_cast<std::size_t>(plant_->layout().group(name));
    if (arm.feedback == Feedback::kMeasured &&
        plant_->layout().groups[g].kind != GroupKind::kTorque)
      events_.add("feedback", name,
                  "is measured, and its drive takes velocities or positions: its lag is taken for "
                  "a disturbance, and the arm may swing; leave feedback out");
  }
  for (const auto& constraint : whole_arm_->problem().constraints()) {
    auto* collision = dynamic_cast<Collision*>(constraint.get());
    if (collision == nullptr) continue;
    for (const auto& near : collision->inside_margin(whole_arm_->state()))
      events_.add("margin", near.pair,
                  fmt::format("starts {:.1f} mm apart and is kept {:.1f} mm apart: it moves away "
                              "by itself, at up to {:.2f} m/s",
                              1e3 * near.distance, 1e3 * collision->config().safety,
                              collision->config().recovery));
  }
}

bool Session::set_parameter(std::string_view name, double value) {
  const auto parameter = parameters_.look_up(name);
  if (!parameter) return false;
  const double before = parameters_.get(*parameter);
  if (!parameters_.set(*parameter, value, kRampTime)) return false;
  char text[64];
  const auto end = fmt::format_to_n(text, sizeof text, "{:.6g} → {:.6g}", before, value);
  events_.add("parameter", name, {text, std::min(end.size, sizeof text)});
  return true;
}

void Session::mark_episode(std::string_view mark, std::string_view text) {
  constexpr std::string_view kEnds[] = {"stop", "success", "failure", "discard"};
  if (mark == "start") {
    // one that nobody ended
    if (in_episode_) events_.add("episode", "stop", "another one starts");
    in_episode_ = true;
    episode_task_ = text;
    events_.add("episode", mark, text);
  } else if (std::ranges::count(kEnds, mark)) {
    if (in_episode_) events_.add("episode", mark, text);
    in_episode_ = false;
  } else {
    ++rejected_inputs_;
    events_.add("fault", mark,
                "is not a mark of an episode: start, stop, success, failure, discard");
  }
}

void Session::tell_standing(EventList& events) const {
  if (!operator_.view().empty()) events.add("operator", operator_, "operates");
  arbiter_->tell_authorities(events);
  if (in_episode_) events.add("episode", "start", episode_task_);
}

void Session::run_machines(const Moment& moment) {
  const ModeMoment at{moment, *arbiter_, manual_, events_};
  for (auto& machine : machines_) {
    if (arbiter_->stopped()) {
      machine.pause(base_);
      continue;
    }
    if (const auto mark = machine.update(at, named_events_))
      mark_episode(name_of(*mark), machine.name());
  }
}

void Session::control(const Observation& observation) {
  const Nanoseconds start = steady_now();
  if (arbiter_->stopped())
    stop_goals();
  else
    for (auto& goals : goals_) goals.update(now());
  arms_controller_->solve(command_);
  control_times_.add(seconds(steady_now() - start) + observe_time_);
  arms_controller_->publish(channels_, observation.stamp);
}

// goals of a script have no reference of ours: they go with the arm, which stops
void Session::stop_goals() {
  for (auto& goals : goals_) {
    FrameTask& task = goals.task();
    const int m = task.frame().mechanism;
    if (goals_stop_ && whole_arm_->due(m) && !whole_arm_->stops(m))
      whole_arm_->begin_stop(m, whole_arm_->rests(m), false);
    if (whole_arm_->stops(m)) task.set_reference(whole_arm_->stop_frame(task.frame()));
  }
}

void Session::await_answers() {
  if (answers_as_they_come_ || !live_inputs_) return;
  for (const SlowWorker* worker : workers_) worker->await(now());
}

void Session::note_versions() {
  for (std::size_t m = 0; m < machines_.size(); ++m)
    versions_.set(machine_versions_[m], machines_[m].entries());
}

void Session::act() {
  await_answers();
  const Observation& observation = plant_->read();
  const Moment moment{tick_, now(), seconds(base_), &observation, &events_};
  // those of the start belong to the first tick
  if (!first_events_) events_.clear(tick_);
  first_events_ = false;
  answered_ = observation.stamp;
  latch_inputs(moment);
  watch_arms(observation);
  run_machines(moment);
  note_versions();
  if (arms_controller_) {
    const Nanoseconds start = steady_now();
    arms_controller_->observe(observation, tick_);
    observe_time_ = seconds(steady_now() - start);
  }
  arbiter_->update(moment);
  for (std::size_t r = 0; r < imposed_.size(); ++r) arbiter_->impose({r}, imposed_[r]);
  imposed_ = {};
  if (arms_controller_) control(observation);
  if (unreached_) unreached_->update(seconds(base_), events_);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    if (!due(tick_, group.rate, base_)) continue;
    if (group.controller)
      group.controller->update(observation.groups[g], command_.groups[g]);
    else if (!group.controlled)
      command_.groups[g] = manual_.groups[g];
    channels_.write(group.command, command_.groups[g], group_stamp(g));
  }
  if (plant_is_due()) plant_->write(command_);
}

void Session::observe() {
  for (std::size_t g : suctions_) groups_[g].held = cup_state(plant_->read().groups[g]).holds;
  const bool was_diverged = diverged(world_);
  if (plant_is_due()) plant_->advance();
  const std::int64_t done = tick_++;
  if (!was_diverged && diverged(world_)) {
    events_.add("fault", "simulation", "diverged: it stands still, and nothing after this is true");
    arbiter_->stop("the simulation diverged");
  }
  for (std::size_t g : suctions_)
    if (groups_[g].held && !cup_state(plant_->read().groups[g]).holds &&
        asks_for_vacuum(command_.groups[g][0]))
      events_.add("suction", plant_->layout().groups[g].name, "lost what it held");
  grasps_->update(plant_->read(), command_, seconds(base_), events_);
  if (watch_) watch_->update(events_);
  if (fall_watch_) fall_watch_->update(events_);
  judges_.update(done, now(), events_);
  publish();
  history_.record();
  for (SessionWatcher* watcher : watchers_) watcher->after_tick(*this);
}

void Session::publish() {
  const Observation& observation = plant_->read();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    const GroupState& state = observation.groups[g];
    const Nanoseconds stamp = group_stamp(g);
    channels_.write(group.q, state.q, stamp);
    channels_.write(group.v, state.v, stamp);
    channels_.write(group.tau, state.tau, stamp);
    grasps_->publish(channels_, g, stamp);
  }
  for (std::size_t s = 0; s < wrenches_.size(); ++s)
    channels_.write(wrenches_[s], observation.wrenches[s], sensor_stamp(s));
  for (const auto& [body, channel] : object_channels_) {
    const Pose X_WB = world_->body_pose(body);
    channels_.write(channel, X_WB.p, X_WB.quaternion(), world_->time());
  }
  if (watch_) watch_->publish(channels_);
  // what was decided is of the observation that it answered
  arbiter_->publish(channels_, answered_);
  if (unreached_) unreached_->publish(channels_, answered_);
  devices_.publish(channels_, now());
  devices_.feed(channels_, now(), seconds(base_));
  for (std::size_t m = 0; m < machines_.size(); ++m)
    channels_.write(machine_channels_[m], machines_[m].current(), answered_);
  judges_.publish(channels_, observation.stamp);
}

TickHashes Session::hashes() {
  TickHashes result;
  const auto set = [&](Quantity quantity, const Hash& hash) {
    result[static_cast<std::size_t>(quantity)] = hash.result();
  };
  Hash inputs;
  for (const Input& input : inputs_) {
    inputs.value(input.stamp);
    inputs.value(input.kind);
    inputs.text(input.to);
    inputs.text(input.text);
    inputs.numbers(input.values());
  }
  set(Quantity::kInputs, inputs);
  Hash references;
  for (const ReferenceIndex r : arbiter_->references()) {
    const Motion& motion = arbiter_->reference(r).motion();
    references.numbers(motion.pose.X_WE.p);
    references.numbers(motion.pose.X_WE.R);
    references.numbers(motion.pose.V_WE);
    references.numbers(motion.q);
    references.numbers(motion.v);
    references.numbers(motion.wrench);
  }
  for (const auto& machine : machines_) references.value(machine.current());
  set(Quantity::kReferences, references);
  Hash control;
  if (whole_arm_) {
    for (const auto& m : whole_arm_->state().mechanisms) {
      control.numbers(m.qdd);
      control.numbers(m.tau);
    }
    for (std::size_t a = 0; a < whole_arm_->arms(); ++a) {
      control.numbers(whole_arm_->drive(static_cast<int>(a)).commanded_q());
      control.numbers(whole_arm_->drive(static_cast<int>(a)).commanded_v());
    }
  }
  set(Quantity::kControl, control);
  Hash commands;
  for (const auto& group : command_.groups) commands.numbers(group);
  set(Quantity::kCommands, commands);
  Hash plant;
  const Observation& observation = plant_->read();
  plant.value(observation.stamp);
  for (const auto& group : observation.groups) {
    plant.numbers(group.q);
    plant.numbers(group.v);
    plant.numbers(group.tau);
  }
  for (const auto& wrench : observation.wrenches) plant.numbers(wrench);
  if (world_) {
    plant.numbers(world_->positions());
    plant.numbers(world_->velocities());
  }
  set(Quantity::kPlant, plant);
  return result;
}

void Session::state(StateArchive& archive, bool with_plant) {
  archive.part("session", app_.name);
  archive(tick_, rejected_inputs_, operator_, in_episode_, episode_task_, first_events_,
          waits_for_stop_device_, goals_stop_, answered_);
  archive(*grasps_);
  if (watch_) archive(*watch_);
  if (fall_watch_) archive(*fall_watch_);
  archive(*arm_watch_);
  if (unreached_) archive(*unreached_);
  if (with_plant) {
    if (!archive.loading()) plant_->snapshot(plant_bytes_);
    archive.sized(plant_bytes_);
    if (archive.loading()) plant_->restore(plant_bytes_);
  }
  archive(command_.groups, manual_.groups);
  if (arms_controller_) archive(*arms_controller_);
  for (auto& group : groups_)
    if (group.controller) group.controller->state(archive);
  for (auto& goals : goals_) archive(goals);
  archive(devices_);
  archive(*arbiter_);
  archive(judges_);
  for (auto& machine : machines_) archive(machine);
  archive(parameters_, versions_, history_);
  archive(channels_);
}

void Session::snapshot(std::vector<std::byte>& into) {
  into.clear();
  StateArchive archive(into);
  state(archive, true);
}

void Session::snapshot(std::vector<std::byte>& plant, std::vector<std::byte>& loop) {
  plant_->snapshot(plant);
  loop.clear();
  StateArchive archive(loop);
  state(archive, false);
}

void Session::restore(std::span<const std::byte> bytes) {
  StateArchive archive(bytes);
  state(archive, true);
  archive.finish();
  restored();
}

void Session::restore(std::span<const std::byte> plant, std::span<const std::byte> loop) {
  plant_->restore(plant);
  StateArchive archive(loop);
  state(archive, false);
  archive.finish();
  restored();
}

void Session::restored() {
  inputs_.clear();
  named_events_.clear();
  events_.clear(tick_);
  for (SessionWatcher* watcher : watchers_) watcher->begin(*this);
}

std::unique_ptr<Plant> Session::release_simulation() {
  if (plants_ != nullptr) return nullptr;
  world_ = nullptr;
  return std::move(plant_);
}

void Session::finish() {
  for (SessionWatcher* watcher : watchers_) watcher->end(*this);
}

std::uint64_t Session::lost_inputs() const {
  std::uint64_t lost = 0;
  for (const auto& box : mailboxes_) lost += box.box->lost() + (box.own ? box.own->lost() : 0);
  return lost;
}

void Session::watch(SessionWatcher& watcher) {
  watchers_.push_back(&watcher);
  watcher.begin(*this);
}

void Session::unwatch(SessionWatcher& watcher) { std::erase(watchers_, &watcher); }

}  // namespace handspan
