#include "teleop/joint_jog.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "control/posture_task.hpp"
#include "control/whole_arm.hpp"
#include "core/error.hpp"
#include "core/named.hpp"
#include "core/object.hpp"
#include "core/values.hpp"
#include "device/devices.hpp"

namespace handspan {
namespace {

const std::vector<std::string>& joints_of(const std::string& task, const SourceContext& context) {
  if (context.arms == nullptr)
    throw InputError("a jog of joints needs a whole-arm controller, and there is none");
  const auto* posture = dynamic_cast<const PostureTask*>(&context.arms->task(task));
  if (posture == nullptr)
    throw InputError(fmt::format("the task '{}' has no joints of its own; give a posture", task));
  return posture->joint_names();
}

}  // namespace

JointJog::JointJog(const JointJogConfig& config, const SourceContext& context)
    : name_(context.name),
      config_(config),
      device_(&device_of(context, config.device)),
      joints_(joints_of(config.task, context)),
      rates_(joints_.size()),
      dead_man_(config.dead_man, *device_),
      scale_(config.scale, *device_),
      v_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(joints_.size()))) {
  for (const auto& [name, binding] : config.joints) {
    const std::string who = fmt::format("the task '{}'", config.task);
    rates_[find_named(who, "joint", name, joints_)].emplace(binding, *device_);
  }
  if (!config.choice) return;
  next_ = device_->control(config.choice->next);
  if (config.choice->previous) previous_ = device_->control(*config.choice->previous);
  for (auto& rate : rates_) rate.emplace(config.choice->rate, *device_);
}

// what is held now was not meant for it
void JointJog::take_up() {
  dead_man_.open();
  scale_.begin(*device_);
  next_was_ = next_ && device_->pressed(*next_);
  previous_was_ = previous_ && device_->pressed(*previous_);
}

void JointJog::start(const Moment& moment, const Motion&) {
  take_up();
  tick_ = moment.tick - 1;
  v_.setZero();
}

void JointJog::resume(const Moment& moment, const Motion&) {
  // not asked for a while: it was stopped
  if (tick_ < moment.tick - 1) take_up();
  tick_ = moment.tick;
}

void JointJog::choose() {
  const bool next = next_ && device_->pressed(*next_);
  const bool previous = previous_ && device_->pressed(*previous_);
  const std::size_t n = joints_.size();
  if (next && !next_was_) chosen_ = (chosen_ + 1) % n;
  if (previous && !previous_was_) chosen_ = (chosen_ + n - 1) % n;
  next_was_ = next;
  previous_was_ = previous;
}

SourceAnswer JointJog::update(const Moment& moment, const Motion& reference, Motion& wanted) {
  tick_ = moment.tick;
  if (reference.q.size() != v_.size())
    return {SourceStatus::kLost, "it is made for the joints of another task"};
  scale_.update(*device_);
  choose();
  bool at_rest = true;
  for (Eigen::Index j = 0; j < v_.size(); ++j) {
    const auto i = static_cast<std::size_t>(j);
    const bool moves = rates_[i] && (!next_ || i == chosen_);
    const double rate = moves ? respond(rates_[i]->value(*device_), config_.response) : 0.0;
    at_rest = at_rest && rate == 0.0;
    v_[j] = scale_.value() * config_.speed * rate;
  }
  if (!dead_man_.update(*device_, at_rest)) {
    v_.setZero();
    return {SourceStatus::kSilent, dead_man_.reason()};
  }
  wanted.q.noalias() = reference.q + moment.dt * v_;
  wanted.v = v_;
  wanted.a.setZero();
  return {};
}

void JointJog::declare(ChannelTable& channels, Rate rate) {
  const std::string name = "source." + name_;
  scale_channel_ = channels.number(name + ".scale", "", rate, "of the full speed");
  velocity_channel_ = channels.vector(name + ".velocity", joints_.size(), "rad/s", rate,
                                      "that it asks for", joints_);
  if (next_) joint_channel_ = channels.choice(name + ".joint", joints_, rate, "that is chosen");
}

void JointJog::publish(ChannelTable& channels, Nanoseconds stamp) const {
  channels.write(scale_channel_, scale_.value(), stamp);
  channels.write(velocity_channel_, v_, stamp);
  if (next_) channels.write(joint_channel_, chosen_, stamp);
}

void JointJog::state(StateArchive& archive) {
  archive(dead_man_, scale_, tick_, v_, chosen_, next_was_, previous_was_);
  if (archive.loading()) chosen_ = std::min(chosen_, joints_.size() - 1);
}

void register_joint_jog(SourceRegistry& registry) {
  const auto choice = object<JointChoiceConfig>("JointChoice", "one joint at a time")
                          .required("next", &JointChoiceConfig::next, text(),
                                    "control of the device: the joint after this one")
                          .optional("previous", &JointChoiceConfig::previous, text())
                          .required("rate", &JointChoiceConfig::rate, rate_binding_schema());
  registry.add(
      "joint_jog",
      object<JointJogConfig>("JointJog", "joints driven by rates")
          .required("device", &JointJogConfig::device, text())
          .required("task", &JointJogConfig::task, text(), "a posture, whose joints it moves")
          .optional("joints", &JointJogConfig::joints, dictionary(rate_binding_schema()),
                    "a rate a joint, by its name (left.joint1)")
          .optional("choose", &JointJogConfig::choice, choice, "one joint by buttons instead")
          .optional("response", &JointJogConfig::response, response_schema())
          .optional("speed", &JointJogConfig::speed, number("rad/s").above(0).max(20),
                    "at full deflection; of a sliding joint [m/s]")
          .optional("scale", &JointJogConfig::scale, speed_scale_schema())
          .optional("dead_man", &JointJogConfig::dead_man, text(),
                    "control of the device that must be held")
          .check(
              [](const JointJogConfig& c) -> std::optional<Fault> {
                if (c.joints.empty() == c.choice.has_value()) return std::nullopt;
                return Fault{c.choice ? "has joints and a choice of one" : "moves no joint",
                             "give joints, or choose"};
              },
              "joints, or choose"),
      "joints driven by rates", [](const JointJogConfig& config, const SourceContext& context) {
        return std::make_unique<JointJog>(config, context);
      });
}

}  // namespace handspan
