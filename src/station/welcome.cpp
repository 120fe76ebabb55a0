#include "station/welcome.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "teleop/hand.hpp"

namespace handspan {
namespace {

using Json = nlohmann::json;

Json numbers(const auto& v) {
  Json list = Json::array();
  for (const double x : v) list.push_back(x);
  return list;
}

Json placed(const Placement& X, Json into) {
  into["position"] = numbers(X.p);
  into["quaternion"] = numbers(X.q.coeffs());
  return into;
}

Json shape_json(const Shape& shape) {
  Json json = placed(shape.X_BG, {{"collides", shape.collides}});
  json["rgba"] = numbers(shape.rgba);
  const Eigen::Vector3d& s = shape.size;
  switch (shape.type) {
    case ShapeType::kBox:
      json["type"] = "box";
      json["size"] = numbers(Eigen::Vector3d(2.0 * s));
      break;
    case ShapeType::kSphere:
      json["type"] = "sphere";
      json["size"] = {s[0]};
      break;
    case ShapeType::kCapsule:
    case ShapeType::kCylinder:
      json["type"] = shape.type == ShapeType::kCapsule ? "capsule" : "cylinder";
      json["size"] = {s[0], 2.0 * s[1]};
      break;
    case ShapeType::kMesh:
      json["type"] = "mesh";
      json["size"] = Json::array();
      for (const auto& vertex : shape.vertices) json["vertices"].push_back(numbers(vertex));
      break;
  }
  return json;
}

Json shapes_json(const std::vector<Shape>& shapes) {
  Json list = Json::array();
  for (const auto& shape : shapes) list.push_back(shape_json(shape));
  return list;
}

Json body_json(const Scene& scene, const std::string& name, bool world) {
  Json body = {{"name", name},
               {"kind", "fixture"},
               {"shapes", Json::array()},
               {"mass", 0.0},
               {"frames", Json::array()}};
  if (world) {
    body["kind"] = "ground";
    return body;
  }
  for (const auto& robot : scene.robots) {
    const ModelDescription all = simulated_description(robot);
    for (std::size_t b = 0; b < all.bodies.size(); ++b) {
      if (all.bodies[b].name != name) continue;
      body["kind"] = "robot";
      body["robot"] = robot.name;
      body["shapes"] = shapes_json(all.bodies[b].shapes);
      body["mass"] = all.bodies[b].inertial.mass;
      for (const auto& frame : all.frames)
        if (frame.body == static_cast<int>(b))
          body["frames"].push_back(placed(frame.X_BF, {{"name", frame.name}}));
      return body;
    }
  }
  const auto is = [&](const SceneBody& candidate, const char* kind) {
    if (candidate.name != name) return false;
    body["kind"] = kind;
    body["shapes"] = shapes_json(candidate.shapes);
    body["mass"] = candidate.inertial.mass;
    return true;
  };
  for (const auto& object : scene.objects)
    if (is(object, "object")) return body;
  for (const auto& fixture : scene.fixtures)
    if (is(fixture, "fixture")) return body;
  for (const auto& kinematic : scene.kinematics)
    if (is(kinematic.body, "kinematic")) return body;
  for (const auto& belt : scene.belts)
    if (is(belt.body, "belt")) body["speed"] = {belt.speed, 0.0, 0.0};
  return body;
}

Json scene_json(Session& session) {
  const Scene& scene = session.app().scene;
  Json bodies = Json::array(), views = Json::array(), frames = Json::array();
  if (session.world() != nullptr) {
    const auto& names = session.world()->bodies();
    for (std::size_t b = 0; b < names.size(); ++b)
      bodies.push_back(body_json(scene, names[b], b == 0));
  }
  for (const auto& view : scene.views)
    views.push_back(
        {{"name", view.name}, {"eye", numbers(view.eye)}, {"target", numbers(view.target)}});
  for (const auto& [name, X_WF] : scene.frames) frames.push_back(placed(X_WF, {{"name", name}}));
  return {{"name", scene.name},
          {"bodies", bodies},
          {"views", views},
          {"frames", frames},
          {"ground", scene.ground ? Json(scene.ground->height) : Json()}};
}

Json devices_json(const Session& session) {
  Json devices = Json::array();
  for (std::size_t d = 0; d < session.devices().size(); ++d) {
    const DeviceState& device = session.devices().state_of(d);
    const DeviceLayout& layout = device.layout();
    devices.push_back({{"name", device.name()},
                       {"driver", session.app().devices[d].second.driver.name},
                       {"layout",
                        {{"poses", layout.poses},
                         {"axes", layout.axes},
                         {"buttons", layout.buttons},
                         {"outputs", layout.outputs}}},
                       {"takes_samples", session.devices().driver(d).takes_samples()}});
  }
  return devices;
}

Json references_json(Session& session) {
  Json references = Json::array();
  Arbiter& arbiter = session.arbiter();
  for (const ReferenceIndex r : arbiter.references()) {
    const Reference& reference = arbiter.reference(r);
    Json json = {{"name", reference.name()}, {"kind", reference.kind()}};
    if (const std::string frame = reference.frame_name(); !frame.empty()) json["frame"] = frame;
    references.push_back(json);
  }
  return references;
}

// how a pose of a device moves a reference, so that a page can be a hand without a headset
Json hands_json(Session& session) {
  Json hands = Json::array();
  Arbiter& arbiter = session.arbiter();
  for (const auto& machine : session.machines())
    for (const auto& [reference, source] : machine.follows()) {
      const auto* hand = dynamic_cast<const Hand*>(&arbiter.source(source));
      if (hand == nullptr) continue;
      const HandConfig& config = hand->config();
      Json controls = Json::array();
      for (const auto& control : {config.clutch.safety, config.clutch.motion})
        if (control) controls.push_back(*control);
      hands.push_back(
          {{"name", arbiter.source_name(source)},
           {"reference", arbiter.reference(reference).name()},
           {"device", config.device},
           {"pose", config.pose},
           {"controls", controls},
           {"space", numbers(Eigen::Quaterniond(hand->mapping().R_WV).normalized().coeffs())},
           {"axes", numbers(Eigen::Quaterniond(hand->mapping().R_EC).normalized().coeffs())},
           {"scale", numbers(config.scale)},
           {"jog", {config.jog.speed, config.jog.angular_speed}}});
    }
  return hands;
}

}  // namespace

ShownLayout shown_layout(Session& session) {
  ShownLayout shown;
  if (session.world() != nullptr) shown.bodies = session.world()->bodies();
  for (const ReferenceIndex r : session.arbiter().references())
    shown.references.push_back(session.arbiter().reference(r).name());
  shown.channels = session.channels().channels();
  return shown;
}

std::vector<std::size_t> persons_parameters(const ParameterTable& table) {
  std::vector<std::size_t> all;
  for (std::size_t p = 0; p < table.size(); ++p)
    if (table.info(p).for_persons()) all.push_back(p);
  return all;
}

Json describe_loop(Session& session) {
  Json channels = Json::array(), machines = Json::array(), changeable = Json::array();
  for (const auto& info : session.channels().channels())
    channels.push_back({{"name", info.name},
                        {"type", name_of(info.type)},
                        {"unit", info.unit},
                        {"size", info.size},
                        {"labels", info.labels},
                        {"choices", info.choices},
                        {"rate", info.rate.hz()},
                        {"doc", info.doc}});
  for (const auto& machine : session.machines())
    machines.push_back({{"name", machine.name()}, {"states", machine.states()}});
  const ParameterTable& table = session.parameters();
  for (const std::size_t p : persons_parameters(table)) {
    const ParameterInfo& info = table.info(p);
    const auto [min, max] = info.persons_range();
    changeable.push_back({{"name", info.name},
                          {"kind", name_of(info.kind)},
                          {"value", table.get(p)},
                          {"unit", info.unit},
                          {"min", min},
                          {"max", max},
                          {"doc", info.doc}});
  }
  return {{"app", session.app().name},
          {"base_period", seconds(session.base_period())},
          {"scene", scene_json(session)},
          {"channels", channels},
          {"devices", devices_json(session)},
          {"references", references_json(session)},
          {"hands", hands_json(session)},
          {"parameters", changeable},
          {"machines", machines}};
}

}  // namespace handspan
