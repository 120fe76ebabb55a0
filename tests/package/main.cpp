// handspan with a controller of one's own: `sag` gives a torque-driven group gravity compensation
// that is off by a factor.
#include <cli/main.hpp>
#include <control/controller.hpp>
#include <core/values.hpp>

struct SagConfig {
  double factor = 0.95;
};

class Sag : public handspan::GroupController {
 public:
  Sag(const SagConfig& config, const handspan::GroupContext& context)
      : context_(context),
        factor_(config.factor),
        data_(context.model),
        q_(context.model.neutral()) {}

  void start(const handspan::GroupState&) override {}

  void update(const handspan::GroupState& state, Eigen::Ref<Eigen::VectorXd> command) override {
    const auto& joints = context_.group.joints;
    for (std::size_t i = 0; i < joints.size(); ++i)
      q_[static_cast<int>(i)] = state.q[static_cast<int>(i)];
    command = factor_ * handspan::gravity_forces(context_.model, data_, q_).head(command.size());
  }

 private:
  handspan::GroupContext context_;
  double factor_;
  handspan::RobotData data_;
  Eigen::VectorXd q_;
};

int main(int argc, char** argv) {
  using namespace handspan;
  controllers().add(
      "sag",
      object<SagConfig>("Sag").optional("factor", &SagConfig::factor, number().min(0).max(1)),
      "gravity compensation that is off by a factor",
      [](const SagConfig& config, const GroupContext& context) {
        return std::make_unique<Sag>(config, context);
      });
  return handspan::main(argc, argv);
}
