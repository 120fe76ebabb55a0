#include "import/import_limits.hpp"

#include <fmt/format.h>

#include <optional>

namespace handspan {
namespace {

constexpr double kTimeToSpeed = 0.25;  // [s]
constexpr double kBrakingShare = 0.75;
constexpr double kRiseTime = 0.04;  // of acceleration and torque [s]

}  // namespace

void complete_limits(ImportedLimits& joint, const ImportOptions& options) {
  JointLimits& l = joint.limits;
  const auto set = [&](const char* key, double& value, const std::optional<double>& given,
                       double standard, const char* how) {
    value = given.value_or(standard);
    joint.sources[key] = given ? "not in the file: stated on import"
                               : fmt::format("not in the file: handspan's default, {}", how);
  };
  set("acceleration", l.acceleration, options.acceleration, l.velocity / kTimeToSpeed,
      "full speed in 0.25 s");
  set("braking", l.braking, options.braking, kBrakingShare * l.acceleration, "0.75 x acceleration");
  set("jerk", l.jerk, options.jerk, l.acceleration / kRiseTime, "full acceleration in 40 ms");
  set("torque_rate", l.torque_rate, options.torque_rate, l.torque / kRiseTime,
      "full torque in 40 ms");
}

std::map<std::string, std::string> stated_sources(const std::string& joint, bool has_velocity,
                                                  bool has_effort, const ImportOptions& options) {
  std::map<std::string, std::string> out;
  const auto set = [&](const char* key, bool has, const std::map<std::string, double>& by_joint) {
    if (by_joint.contains(joint))
      out[key] = has ? "stated on import for this joint, instead of the file's"
                     : "not in the file: stated on import for this joint";
    else if (!has)
      out[key] = "not in the file: stated on import";
  };
  set("velocity", has_velocity, options.velocity_by_joint);
  set("torque", has_effort, options.effort_by_joint);
  return out;
}

}  // namespace handspan
