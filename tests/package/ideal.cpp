// A plant, `ideal`: an arm somewhere else that does what its velocity commands say, 500 times a
// second. A driver's thread would receive and send; here poll() does.
#include <handspan/core/parts.hpp>
#include <handspan/core/values.hpp>
#include <handspan/plant/plants.hpp>
#include <handspan/plant/scene_layout.hpp>

using namespace handspan;

namespace {

struct IdealConfig {
  double start = 0.0;
};

class Ideal : public Plant {
 public:
  static constexpr Nanoseconds kPeriod = 2'000'000;

  Ideal(const IdealConfig& config, const PlantContext& context)
      : layout_(scene_layout(context.scene, context.robots)), command_(Command::zero(layout_)) {
    layout_.period = kPeriod;
    for (auto& group : layout_.groups) {
      group.rate = Rate::from_period(kPeriod);
      observation_.groups.push_back({Eigen::VectorXd::Constant(group.size(), config.start),
                                     Eigen::VectorXd::Zero(group.size()),
                                     Eigen::VectorXd::Zero(group.size())});
    }
    observation_.wrenches.assign(layout_.sensors.size(), Vector6d::Zero());
  }

  const PlantLayout& layout() const override { return layout_; }
  const Observation& read() override { return observation_; }
  void write(const Command& command) override {
    for (std::size_t g = 0; g < command_.groups.size(); ++g)
      if (command.groups[g].allFinite())
        command_.groups[g] = command.groups[g];
      else
        ++faults_.not_finite;
  }
  void poll(Nanoseconds now) override {
    for (; observation_.stamp + kPeriod <= now; observation_.stamp += kPeriod) {
      ++observation_.sequence;
      for (std::size_t g = 0; g < command_.groups.size(); ++g) {
        if (layout_.groups[g].kind != GroupKind::kVelocity) continue;
        observation_.groups[g].v = command_.groups[g];
        observation_.groups[g].q += seconds(kPeriod) * command_.groups[g];
      }
    }
  }
  void advance() override {}
  const CommandFaults& faults() const override { return faults_; }
  void tare(int) override {}
  bool recover() override { return true; }
  void snapshot(std::vector<std::byte>& into) const override { into.clear(); }
  void restore(std::span<const std::byte>) override {}

 private:
  PlantLayout layout_;
  Observation observation_;
  Command command_;
  CommandFaults faults_;
};

}  // namespace

void register_ideal(Parts& parts) {
  parts.of<PlantRegistry>().add(
      "ideal",
      object<IdealConfig>("Ideal").optional("start", &IdealConfig::start, number("rad"),
                                            "where its joints are at first"),
      "does exactly what it is told", [](const IdealConfig& config, const PlantContext& c) {
        return std::make_unique<Ideal>(config, c);
      });
}
