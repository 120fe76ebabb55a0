// A skill of one's own, all of it in one file: nodding. The mode `nod` lets a hand go down and up
// again, the judge `nodded` counts how often a body did so, by what is simulated, and the metric
// `nods` measures it in studies.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <handspan/core/object.hpp>
#include <handspan/core/parts.hpp>
#include <handspan/core/values.hpp>
#include <handspan/session/follow_mode.hpp>
#include <handspan/session/judge.hpp>
#include <handspan/study/metric.hpp>
#include <numbers>

using namespace handspan;

namespace {

// ---- the mode: a source of its own moves the reference of a task

struct NodConfig {
  double depth = 0.05, period = 2.0;  // [m], [s]
  std::int64_t times = 2;
};

class NodSource : public Source {
 public:
  explicit NodSource(const NodConfig& config) : config_(config) {}

  bool ends() const override { return true; }
  std::string text() const override {
    return fmt::format("nods {} times by {:g} m", config_.times, config_.depth);
  }
  void start(const Moment&, const Motion& reference) override {
    start_ = reference.pose.X_WE;
    t_ = 0.0;
  }
  // after a hold it goes on with the nod that it was in
  void resume(const Moment&, const Motion&) override {}
  SourceAnswer update(const Moment& moment, const Motion&, Motion& wanted) override {
    const double end = static_cast<double>(config_.times) * config_.period;
    t_ = std::min(end, t_ + moment.dt);
    const double w = 2.0 * std::numbers::pi / config_.period, r = 0.5 * config_.depth;
    wanted.pose = {start_, Vector6d::Zero(), Vector6d::Zero()};
    wanted.pose.X_WE.p.z() -= r * (1.0 - std::cos(w * t_));
    wanted.pose.V_WE[2] = -r * w * std::sin(w * t_);
    wanted.pose.A_WE[2] = -r * w * w * std::cos(w * t_);
    if (t_ < end) return {SourceStatus::kActive};
    wanted.pose = {start_, Vector6d::Zero(), Vector6d::Zero()};
    return {SourceStatus::kDone};
  }
  void state(StateArchive& archive) override { archive(start_.p, start_.R, t_); }

 private:
  NodConfig config_;
  Pose start_;
  double t_ = 0.0;  // since it began [s]
};

// ---- the judge

// @throws InputError: the world has no body of that name
int body_named(const World& world, const std::string& name) {
  if (std::ranges::find(world.bodies(), name) == world.bodies().end())
    throw InputError("no body is called '" + shown(name) +
                     "'; those of robots are ROBOT.BODY, such as left.link7");
  return world.body(name);
}

struct NoddedConfig {
  std::string body;
  double depth = 0.04;  // [m]
  std::int64_t times = 1;
};

class Nodded : public Judge {
 public:
  Nodded(const NoddedConfig& config, const JudgeContext& context)
      : config_(config), world_(context.world), body_(body_named(world_, config.body)) {}

  void update(Nanoseconds) override {
    const double z = world_.body_pose(body_).p.z();
    // down, when it is so much lower than it was highest, and up again likewise
    end_ = down_ ? std::min(end_, z) : std::max(end_, z);
    if (std::abs(z - end_) < config_.depth) return;
    nods_ += down_;
    down_ = !down_;
    end_ = z;
  }
  Verdict verdict() const override {
    if (nods_ >= config_.times) return Verdict::kGood;
    return nods_ > 0 || down_ ? Verdict::kOpen : Verdict::kNone;
  }
  VerdictText words() const override {
    char text[VerdictText::kMost];
    const auto end = fmt::format_to_n(text, sizeof text, "it nodded {} times", nods_);
    return std::string_view(text, std::min(end.size, sizeof text));
  }
  std::string text() const override {
    return fmt::format("good when {} has nodded {} times by {:g} m", config_.body, config_.times,
                       config_.depth);
  }
  void state(StateArchive& archive) override { archive(end_, down_, nods_); }

 private:
  NoddedConfig config_;
  const World& world_;
  int body_;
  double end_ = -1e9;  // highest on the way up, lowest on the way down [m]
  bool down_ = false;  // it goes down
  std::int64_t nods_ = 0;
};

// ---- the metric

struct NodsConfig {
  std::string body;
};

class Nods : public Metric {
 public:
  Nods(const NodsConfig& config, const World& world)
      : world_(world), body_(body_named(world, config.body)), start_(z()), lowest_(start_) {}

  std::vector<Column> columns() const override {
    return {{"depth", "m", "of the lowest point under the start"},
            {"left", "m", "from the start at the end"}};
  }
  void after_tick(Session&) noexcept override { lowest_ = std::min(lowest_, z()); }
  void values(Session&, std::span<double> into) override {
    into[0] = start_ - lowest_;
    into[1] = std::abs(z() - start_);
  }

 private:
  double z() const { return world_.body_pose(body_).p.z(); }

  const World& world_;
  int body_;
  double start_, lowest_;  // [m]
};

}  // namespace

void register_nod(Parts& parts) {
  using OfMode = OfTask<NodConfig>;
  parts.of<ModeRegistry>().add(
      "nod",
      object<OfMode>("Nod")
          .required("task", &OfMode::task, text(), "whose frame nods")
          .optional("depth", &OfMode::depth, number("m").above(0))
          .optional("period", &OfMode::period, number("s").above(0), "of one nod")
          .optional("times", &OfMode::times, integer().min(1)),
      "a hand goes down and up again", [](const OfMode& config, const ModeContext& context) {
        return std::make_unique<FollowMode>(config.task, std::make_unique<NodSource>(config),
                                            context);
      });
  parts.of<JudgeRegistry>().add(
      "nodded",
      object<NoddedConfig>("Nodded")
          .required("body", &NoddedConfig::body, text(), "such as left.link7")
          .optional("depth", &NoddedConfig::depth, number("m").above(0), "that counts as a nod")
          .optional("times", &NoddedConfig::times, integer().min(1), "that are good"),
      "a body went down and up again", [](const NoddedConfig& config, const JudgeContext& context) {
        return std::make_unique<Nodded>(config, context);
      });
  parts.of<MetricRegistry>().add(
      "nods",
      object<NodsConfig>("Nods").required("body", &NodsConfig::body, text(), "such as left.link7"),
      "how deep a body nodded", [](const NodsConfig& config, const MetricContext& context) {
        const World* world = context.session.world();
        if (world == nullptr) throw InputError("nothing is simulated, so that no body is seen");
        return std::make_unique<Nods>(config, *world);
      });
}
