#pragma once
// What check and import find out about robots, as JSON.
#include <nlohmann/json.hpp>
#include <vector>

#include "import/robot_check.hpp"

namespace handspan {

nlohmann::ordered_json to_json(const RobotReport& report);
nlohmann::ordered_json to_json(const std::vector<InertiaRepair>& repairs);

}  // namespace handspan
