#include "log/logged_wrench.hpp"

#include "math/trajectory.hpp"

namespace handspan {
namespace {

WrenchTrajectory wrenches_of(const LoggedWrenchConfig& config) {
  const auto rows = read_series<Vector6d>(ChannelLog(config.log), config.channel, config.span);
  std::vector<TimedVector<Vector6d>> wrenches;
  for (const auto& row : rows)
    wrenches.push_back({replay_time(row.time, rows.front().time, config.speed), row.value});
  return WrenchTrajectory(std::move(wrenches));
}

class LoggedWrench : public Source {
 public:
  explicit LoggedWrench(WrenchTrajectory wrenches) : wrenches_(std::move(wrenches)) {}

  void start(const Moment&, const Motion&) override { t_ = 0.0; }
  // the reference comes back to where it was by itself
  void resume(const Moment&, const Motion&) override {}
  bool ends() const override { return true; }
  std::string_view asks_for() const override { return kWrenchKind; }
  SourceAnswer update(const Moment& moment, const Motion&, Motion& wanted) override {
    t_ += moment.dt;
    wrenches_.at(t_, now_);
    wanted.wrench = now_.x;
    return {now_.over ? SourceStatus::kDone : SourceStatus::kActive};
  }
  void state(StateArchive& archive) override { archive(t_); }

 private:
  WrenchTrajectory wrenches_;
  WrenchTrajectory::State now_;
  double t_ = 0.0;
};

}  // namespace

std::unique_ptr<Source> logged_wrench(const LoggedWrenchConfig& config) {
  return std::make_unique<LoggedWrench>(wrenches_of(config));
}

}  // namespace handspan
