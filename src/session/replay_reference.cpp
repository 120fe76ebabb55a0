// The mode that follows what a reference did in a log: a demonstration repeated, another arm's
// motion.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"
#include "record/mcap_reader.hpp"
#include "record/messages.hpp"
#include "session/log_layout.hpp"
#include "session/logged_wrench.hpp"
#include "session/modes.hpp"

namespace handspan {
namespace {

struct ReplayReferenceConfig {
  std::string task;
  std::filesystem::path log;
  std::optional<std::string> channel;  // none: reference.TASK.pose (wrench)
  double from = 0.0;
  std::optional<double> to;
  bool relative = false;
  double speed = 1.0;
};

struct TimedPose {
  double time = 0.0;  // since the first [s]
  Eigen::Vector3d p;
  Eigen::Quaterniond q;
};

std::vector<TimedPose> poses_of(const ReplayReferenceConfig& config) {
  const McapReader reader(config.log);
  const std::string topic = topic_of(config.channel.value_or("reference." + config.task + ".pose"));
  const McapChannel* channel = reader.channel(topic);
  const McapSchema* schema = channel ? reader.schema(channel->schema) : nullptr;
  if (schema == nullptr || schema->name != message_type<messages::PoseStamped>().name) {
    std::vector<std::string> poses;
    for (const auto& c : reader.channels())
      if (const McapSchema* s = reader.schema(c.schema);
          s && s->name == message_type<messages::PoseStamped>().name)
        poses.push_back(c.topic);
    throw InputError(fmt::format("{} has no poses under {}{}", config.log.string(), topic,
                                 poses.empty() ? std::string("; it has none at all")
                                               : "; " + did_you_mean(topic, poses, "it has")));
  }
  std::vector<TimedPose> poses;
  McapQuery query;
  query.topics = {topic};
  query.from = std::llround(config.from * 1e9);
  if (config.to) query.to = std::llround(*config.to * 1e9);
  Nanoseconds first = 0;
  reader.messages(query, [&](const McapChannel&, const McapMessage& message) {
    const auto m = decode<messages::PoseStamped>(message.bytes);
    const Eigen::Vector3d p(m.position[0], m.position[1], m.position[2]);
    const Eigen::Vector4d q(m.orientation[0], m.orientation[1], m.orientation[2], m.orientation[3]);
    if (!p.allFinite() || !q.allFinite() || !(q.norm() > 1e-6))
      throw InputError(fmt::format("{}: {} has a pose at {:.3f} s that is none",
                                   config.log.string(), topic, seconds(message.log_time)));
    if (poses.empty()) first = message.log_time;
    const double time = seconds(message.log_time - first) / config.speed;
    if (!poses.empty() && time <= poses.back().time) return true;
    poses.push_back({time, p, quaternion_from_xyzw(q)});
    return true;
  });
  if (poses.size() < 2)
    throw InputError(fmt::format("{}: {} has {} poses in the time that is asked for; give another",
                                 config.log.string(), topic, poses.size()));
  return poses;
}

class ReplayReference : public Source {
 public:
  explicit ReplayReference(const ReplayReferenceConfig& config)
      : relative_(config.relative), poses_(poses_of(config)) {}

  void start(const Moment&, const Motion& reference) override {
    t_ = 0.0;
    if (relative_)
      X_WL_ = {poses_.front().q.toRotationMatrix().transpose() * reference.pose.X_WE.R,
               reference.pose.X_WE.p - poses_.front().p};
  }
  // the reference comes back to where it was by itself
  void resume(const Moment&, const Motion&) override {}
  bool ends() const override { return true; }
  SourceAnswer update(const Moment& moment, const Motion&, Motion& wanted) override {
    t_ += moment.dt;
    const auto next = std::ranges::upper_bound(poses_, t_, {}, &TimedPose::time);
    const bool end = next == poses_.end();
    const TimedPose& b = end ? poses_.back() : *next;
    const TimedPose& a = next == poses_.begin() ? b : *(next - 1);
    Pose X = Pose::from(b.p, b.q);
    Vector6d V = Vector6d::Zero();
    if (!end && b.time > a.time) {
      const double span = b.time - a.time, s = (t_ - a.time) / span;
      const Eigen::Vector3d turn = log_quaternion(b.q * a.q.conjugate());
      X = Pose::from(a.p + s * (b.p - a.p), exp_quaternion(s * turn) * a.q);
      V << (b.p - a.p) / span, turn / span;
    }
    if (relative_) X = {X.R * X_WL_.R, X.p + X_WL_.p};
    wanted.pose = {X, V, Vector6d::Zero()};
    return {end ? SourceStatus::kDone : SourceStatus::kActive};
  }
  void state(StateArchive& archive) override { archive(t_, X_WL_.p, X_WL_.R); }

 private:
  bool relative_;
  std::vector<TimedPose> poses_;
  double t_ = 0.0;
  Pose X_WL_;
};

std::unique_ptr<Source> source_of(const ReplayReferenceConfig& config, const Arbiter& arbiter) {
  switch (arbiter.kind(arbiter.outlet(config.task))) {
    case MotionKind::kPose:
      return std::make_unique<ReplayReference>(config);
    case MotionKind::kWrench:
      if (config.relative) throw InputError("'relative' is for poses; leave it out for a wrench");
      return logged_wrench({config.log,
                            config.channel.value_or("reference." + config.task + ".wrench"),
                            config.from, config.to, config.speed});
    case MotionKind::kJoints:
      break;
  }
  throw InputError(
      fmt::format("'{}' is a task of joints; this is for poses and wrenches", config.task));
}

class ReplayReferenceMode : public Mode {
 public:
  ReplayReferenceMode(const ReplayReferenceConfig& config, const ModeContext& context)
      : config_(config), outlet_(context.arbiter.outlet(config.task)) {
    source_ = context.arbiter.add_source(context.name, source_of(config, context.arbiter));
  }
  void enter(const ModeMoment& at) override {
    Grant grant;
    grant.source = source_;
    at.arbiter.grant(outlet_, {&grant, 1}, at.moment);
  }
  bool update(const ModeMoment& at) override { return at.arbiter.done(outlet_); }
  std::string text() const override {
    return fmt::format("{} does again what is in {}", config_.task,
                       config_.log.filename().string());
  }
  std::vector<std::string> drives() const override { return {config_.task}; }

 private:
  ReplayReferenceConfig config_;
  int outlet_, source_ = 0;
};

}  // namespace

void register_replay_reference(ModeRegistry& registry) {
  registry.add(
      "replay_reference",
      object<ReplayReferenceConfig>("ReplayReference", "a reference does again what a log has")
          .required("task", &ReplayReferenceConfig::task, text(), "of a pose or a wrench")
          .required("log", &ReplayReferenceConfig::log, file())
          .optional("channel", &ReplayReferenceConfig::channel, text(),
                    "of poses or wrenches; left out: the reference of the same task")
          .optional("from", &ReplayReferenceConfig::from, number("s").min(0), "of the log")
          .optional("to", &ReplayReferenceConfig::to, number("s").above(0))
          .optional("relative", &ReplayReferenceConfig::relative, boolean(),
                    "moved so that it begins where the reference is")
          .optional("speed", &ReplayReferenceConfig::speed, number().above(0).max(10),
                    "times as fast"),
      "the reference of a pose or a wrench does again what one did in a log",
      [](const ReplayReferenceConfig& config, const ModeContext& context) {
        return std::make_unique<ReplayReferenceMode>(config, context);
      });
}

}  // namespace handspan
