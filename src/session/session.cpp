#include "session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/named.hpp"

namespace handspan {

bool Session::ended() const {
  return !machines_.empty() &&
         std::ranges::all_of(machines_, [](const Machine& m) { return m.in_final(); });
}

bool Session::over() const {
  return ended() && std::ranges::none_of(machines_, [](const Machine& m) { return m.goes_on(); });
}

Mailbox& Session::mailbox(std::string_view name) {
  return *mailboxes_[find_named("", "device or source to give inputs to called", name, mailboxes_,
                                &Box::name)]
              .box;
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

}  // namespace handspan
