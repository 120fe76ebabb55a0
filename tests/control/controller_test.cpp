#include "control/controller.hpp"
#include "control/control_parts.hpp"

#include <gtest/gtest.h>

namespace handspan {
namespace controller_test {

struct Nothing {};

class Silent : public GroupController {
 public:
  void start(const GroupState&) override {}
  void update(const GroupState&, Eigen::Ref<Eigen::VectorXd> command) override {
    command.setZero();
  }
};

TEST(Controllers, OfAProgramStandBesideTheBuiltInOnesAndNamesAreTakenOnce) {
  Parts parts;
  register_control(parts);
  ControllerRegistry& controllers = parts.of<ControllerRegistry>();
  const auto add = [&] {
    controllers.add("silent", object<Nothing>("Silent"), "",
                    [](const Nothing&, const GroupContext&) { return std::make_unique<Silent>(); });
  };
  add();
  EXPECT_TRUE(controllers.contains("silent"));
  EXPECT_TRUE(controllers.contains("joint_springs"));
  EXPECT_THROW(add(), InputError);
}

}  // namespace controller_test
}  // namespace handspan
