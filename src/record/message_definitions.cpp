#include "record/message_definitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <list>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/error.hpp"

namespace handspan {
namespace {

struct Part {
  std::string_view name;
  std::string_view fields;
};

// ROS 2's common interfaces, without their comments
constexpr std::array<Part, 10> kParts = {{
    {"builtin_interfaces/Time", "int32 sec\nuint32 nanosec\n"},
    {"std_msgs/Header", "builtin_interfaces/Time stamp\nstring frame_id\n"},
    {"geometry_msgs/Point", "float64 x\nfloat64 y\nfloat64 z\n"},
    {"geometry_msgs/Quaternion", "float64 x\nfloat64 y\nfloat64 z\nfloat64 w\n"},
    {"geometry_msgs/Vector3", "float64 x\nfloat64 y\nfloat64 z\n"},
    {"geometry_msgs/Pose", "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n"},
    {"geometry_msgs/Twist", "geometry_msgs/Vector3 linear\ngeometry_msgs/Vector3 angular\n"},
    {"geometry_msgs/Wrench", "geometry_msgs/Vector3 force\ngeometry_msgs/Vector3 torque\n"},
    {"geometry_msgs/Transform",
     "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n"},
    {"geometry_msgs/TransformStamped",
     "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform\n"},
}};

}  // namespace

std::string full_definition(const std::string& fields) {
  std::string text = fields;
  std::list<std::string> wanted;  // grows while it is gone through
  const auto want = [&](std::string_view of) {
    std::istringstream lines{std::string(of)};
    for (std::string line; std::getline(lines, line);) {
      std::string type = line.substr(0, line.find_first_of(" ["));
      if (type.find('/') != std::string::npos && std::ranges::find(wanted, type) == wanted.end())
        wanted.push_back(std::move(type));
    }
  };
  want(fields);
  for (const std::string& name : wanted) {
    const auto part = std::ranges::find(kParts, std::string_view(name), &Part::name);
    if (part == kParts.end())
      throw InputError(
          fmt::format("message type {} is not known; add it to the definitions", shown(name)));
    text += std::string(80, '=') + fmt::format("\nMSG: {}\n{}", name, part->fields);
    want(part->fields);
  }
  return text;
}

}  // namespace handspan
