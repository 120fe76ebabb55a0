#include "scene/scene.hpp"

#include <algorithm>

namespace handspan {

const RobotInstance* Scene::robot(std::string_view robot_name) const {
  for (const auto& robot : robots)
    if (robot.name == robot_name) return &robot;
  return nullptr;
}

ModelDescription simulated_description(const RobotInstance& robot) {
  ModelDescription description = robot.description;
  for (const auto& suction : robot.suctions)
    description = with_lip(std::move(description), suction);
  return description;
}

const ContactLaw& Scene::law(const std::string& a, const std::string& b) const {
  for (const auto& pair : pairs)
    if ((pair.a == a && pair.b == b) || (pair.a == b && pair.b == a)) return pair.law;
  return default_law;
}

}  // namespace handspan
