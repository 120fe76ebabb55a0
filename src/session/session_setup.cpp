// What a Session does once: before its first tick, at its end, and when somebody begins to watch
// it. It is a file of its own beside session.cpp, which is the loop, and has no header: nobody else
// calls it. One file, since each step of the making needs what those before it made.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/file_trees.hpp"
#include "core/tree_edit.hpp"
#include "mujoco/mujoco_plant.hpp"
#include "reference/frame_reference.hpp"
#include "session/session.hpp"
#include "session/session_plants.hpp"

namespace handspan {
namespace {

constexpr char kOperator[] = "operator";
constexpr std::size_t kWatchers = 8;  // that come without allocation

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
