// A controller of one group of joints, `sag`: gravity compensation that is off by a factor.
#include <handspan/control/controller.hpp>
#include <handspan/core/parts.hpp>
#include <handspan/core/values.hpp>

using namespace handspan;

namespace {

struct SagConfig {
  double factor = 0.95;
};

class Sag : public GroupController {
 public:
  Sag(const SagConfig& config, const GroupContext& context)
      : context_(context),
        factor_(config.factor),
        data_(context.model),
        q_(context.model.neutral()) {}

  void start(const GroupState&) override {}

  void update(const GroupState& state, Eigen::Ref<Eigen::VectorXd> command) override {
    const auto& joints = context_.group.joints;
    for (std::size_t i = 0; i < joints.size(); ++i)
      q_[static_cast<int>(i)] = state.q[static_cast<int>(i)];
    command = factor_ * gravity_forces(context_.model, data_, q_).head(command.size());
  }

 private:
  GroupContext context_;
  double factor_;
  RobotData data_;
  Eigen::VectorXd q_;
};

}  // namespace

void register_sag(Parts& parts) {
  parts.of<ControllerRegistry>().add(
      "sag",
      object<SagConfig>("Sag").optional("factor", &SagConfig::factor, number().min(0).max(1)),
      "gravity compensation that is off by a factor",
      [](const SagConfig& config, const GroupContext& context) {
        return std::make_unique<Sag>(config, context);
      });
}
