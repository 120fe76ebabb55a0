#include "session/logged_wrench.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/suggest.hpp"
#include "record/mcap_reader.hpp"
#include "record/messages.hpp"
#include "session/log_layout.hpp"

namespace handspan {
namespace {

struct TimedWrench {
  double time = 0.0;  // since the first [s]
  Vector6d F;
};

std::vector<TimedWrench> wrenches_of(const LoggedWrenchConfig& config) {
  const McapReader reader(config.log);
  const std::string topic = topic_of(config.channel);
  const auto is_wrench = [&](const McapChannel& channel) {
    const McapSchema* schema = reader.schema(channel.schema);
    return schema && schema->name == message_type<messages::WrenchStamped>().name;
  };
  const McapChannel* channel = reader.channel(topic);
  if (channel == nullptr || !is_wrench(*channel)) {
    std::vector<std::string> there;
    for (const auto& c : reader.channels())
      if (is_wrench(c)) there.push_back(c.topic);
    throw InputError(fmt::format("{} has no wrenches under {}{}", config.log.string(), topic,
                                 there.empty() ? std::string("; it has none at all")
                                               : "; " + did_you_mean(topic, there, "it has")));
  }
  std::vector<TimedWrench> wrenches;
  McapQuery query;
  query.topics = {topic};
  query.from = std::llround(config.from * 1e9);
  if (config.to) query.to = std::llround(*config.to * 1e9);
  Nanoseconds first = 0;
  reader.messages(query, [&](const McapChannel&, const McapMessage& message) {
    const auto m = decode<messages::WrenchStamped>(message.bytes);
    TimedWrench next;
    std::copy(m.force.begin(), m.force.end(), next.F.data());
    std::copy(m.torque.begin(), m.torque.end(), next.F.data() + 3);
    if (!next.F.allFinite())
      throw InputError(fmt::format("{}: {} has a wrench at {:.3f} s that is none",
                                   config.log.string(), topic, seconds(message.log_time)));
    if (wrenches.empty()) first = message.log_time;
    next.time = seconds(message.log_time - first) / config.speed;
    if (wrenches.empty() || next.time > wrenches.back().time) wrenches.push_back(next);
    return true;
  });
  if (wrenches.size() < 2)
    throw InputError(
        fmt::format("{}: {} has {} wrenches in the time that is asked for; give another",
                    config.log.string(), topic, wrenches.size()));
  return wrenches;
}

class LoggedWrench : public Source {
 public:
  explicit LoggedWrench(std::vector<TimedWrench> wrenches) : wrenches_(std::move(wrenches)) {}

  void start(const Moment&, const Motion&) override { t_ = 0.0; }
  // the reference comes back to where it was by itself
  void resume(const Moment&, const Motion&) override {}
  bool ends() const override { return true; }
  MotionKind asks_for() const override { return MotionKind::kWrench; }
  SourceAnswer update(const Moment& moment, const Motion&, Motion& wanted) override {
    t_ += moment.dt;
    const auto next = std::ranges::upper_bound(wrenches_, t_, {}, &TimedWrench::time);
    if (next == wrenches_.end()) {
      wanted.wrench = wrenches_.back().F;
      return {SourceStatus::kDone};
    }
    const TimedWrench& b = *next;
    const TimedWrench& a = next == wrenches_.begin() ? b : *(next - 1);
    const double s = b.time > a.time ? (t_ - a.time) / (b.time - a.time) : 0.0;
    wanted.wrench = a.F + s * (b.F - a.F);
    return {SourceStatus::kActive};
  }
  void state(StateArchive& archive) override { archive(t_); }

 private:
  std::vector<TimedWrench> wrenches_;
  double t_ = 0.0;
};

}  // namespace

std::unique_ptr<Source> logged_wrench(const LoggedWrenchConfig& config) {
  return std::make_unique<LoggedWrench>(wrenches_of(config));
}

}  // namespace handspan
