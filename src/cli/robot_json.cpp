#include "cli/robot_json.hpp"

namespace handspan {
namespace {

// null: not compared on that base
nlohmann::ordered_json to_json(const Parity& parity) {
  if (parity.states == 0) return nullptr;
  return {{"states", parity.states},
          {"worst", parity.worst()},
          {"mass_matrix", parity.mass_matrix},
          {"nonlinear_effects", parity.nonlinear_effects},
          {"frame_positions", parity.frame_positions},
          {"frame_rotations", parity.frame_rotations},
          {"jacobians", parity.jacobians},
          {"bias_accelerations", parity.bias_accelerations},
          {"constraint_rows", parity.constraint_rows}};
}

}  // namespace

nlohmann::ordered_json to_json(const RobotReport& report) {
  nlohmann::ordered_json json = {{"mass", report.mass}, {"reach", nullptr}};
  if (!report.reach_frame.empty())
    json["reach"] = {{"frame", report.reach_frame}, {"distance", report.reach}};
  auto bodies = nlohmann::ordered_json::array();
  for (const auto& b : report.bodies)
    bodies.push_back({{"name", b.name},
                      {"mass", b.mass},
                      {"principal", {b.principal[0], b.principal[1], b.principal[2]}},
                      {"triangle_slack", b.triangle_slack},
                      {"repaired", b.repaired}});
  json["bodies"] = std::move(bodies);
  json["engines"] = {{"agree", report.parity_holds},
                     {"bound", kParityBound},
                     {"fixed", to_json(report.fixed)},
                     {"floating", to_json(report.floating)},
                     {"planar", to_json(report.planar)}};
  return json;
}

nlohmann::ordered_json to_json(const std::vector<InertiaRepair>& repairs) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& r : repairs)
    json.push_back({{"what", r.what},
                    {"body", r.body},
                    {"published", r.published},
                    {"used", r.used},
                    {"reason", r.reason}});
  return json;
}

}  // namespace handspan
