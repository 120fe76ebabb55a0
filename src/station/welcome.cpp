#include "station/welcome.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "teleop/hand.hpp"
#include "teleop/jog.hpp"

namespace handspan {
namespace {

using Json = nlohmann::json;

Json numbers(const auto& v) {
  Json list = Json::array();
  for (const double x : v) list.push_back(x);
  return list;
}

Json quaternion_json(const Eigen::Matrix3d& R) {
  return numbers(Eigen::Quaterniond(R).normalized().coeffs());
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

// an input or two: what feeds a control, or what a jog has its rate from
Json bound(const std::string& axis, double sign, const std::string& plus,
           const std::string& minus) {
  if (!axis.empty()) return {{"axis", axis}, {"sign", sign}};
  return {{"plus", plus}, {"minus", minus}};
}

Json devices_json(const Session& session) {
  Json devices = Json::array();
  for (std::size_t d = 0; d < session.devices().size(); ++d) {
    const DeviceState& device = session.devices().state_of(d);
    const DeviceLayout& layout = device.layout();
    const Device& driver = session.devices().driver(d);
    Json outputs = Json::array(), feeds = Json::array();
    for (const DeviceOutput& output : layout.outputs)
      outputs.push_back({{"name", output.name}, {"size", output.size}, {"unit", output.unit}});
    for (const PageFeed& feed : driver.page_feeds()) {
      Json json = bound(feed.axis, feed.sign, feed.plus, feed.minus);
      json["control"] = feed.control;
      feeds.push_back(std::move(json));
    }
    devices.push_back({{"name", device.name()},
                       {"driver", session.app().devices[d].second.driver.name},
                       {"layout",
                        {{"poses", layout.poses},
                         {"axes", layout.axes},
                         {"buttons", layout.buttons},
                         {"outputs", outputs}}},
                       {"feeds", feeds},
                       {"takes_samples", session.devices().takes_page(d)},
                       {"own", !driver.takes_samples()}});
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

// sources of a class that follow something in some state, each once, with the reference
template <class T>
std::vector<std::pair<ReferenceIndex, SourceIndex>> followed(Session& session) {
  std::vector<std::pair<ReferenceIndex, SourceIndex>> all;
  for (const auto& machine : session.machines())
    for (const auto& [reference, source] : machine.follows()) {
      if (dynamic_cast<const T*>(&session.arbiter().source(source)) == nullptr) continue;
      const auto same = [&](const auto& one) {
        return one.first.value == reference.value && one.second.value == source.value;
      };
      if (std::ranges::none_of(all, same)) all.emplace_back(reference, source);
    }
  return all;
}

// how a pose of a device moves a reference: a headset
Json hands_json(Session& session) {
  Json hands = Json::array();
  Arbiter& arbiter = session.arbiter();
  for (const auto& [reference, source] : followed<Hand>(session)) {
    const auto& hand = dynamic_cast<const Hand&>(arbiter.source(source));
    const HandConfig& config = hand.config();
    Json controls = Json::array();
    for (const auto& control : {config.clutch.safety, config.clutch.motion})
      if (control) controls.push_back(*control);
    hands.push_back({{"name", arbiter.source_name(source)},
                     {"reference", arbiter.reference(reference).name()},
                     {"device", config.device},
                     {"pose", config.pose},
                     {"controls", controls},
                     {"space", quaternion_json(hand.mapping().R_WV)}});
  }
  return hands;
}

// how the axes and buttons of a device move a reference: what a page's keys, pads and gizmo ask for
Json jogs_json(Session& session) {
  // in the order of JogFrame
  constexpr const char* kFrames[] = {"world", "base", "tool", "view"};
  Json jogs = Json::array();
  Arbiter& arbiter = session.arbiter();
  const auto named = [](const std::optional<std::string>& name) {
    return name ? Json(*name) : Json();
  };
  for (const auto& [reference, source] : followed<Jog>(session)) {
    const auto& jog = dynamic_cast<const Jog&>(arbiter.source(source));
    const JogConfig& config = jog.config();
    Json rates = Json::array();
    for (const auto* rate :
         {&config.x, &config.y, &config.z, &config.roll, &config.pitch, &config.yaw})
      rates.push_back(*rate ? bound((*rate)->axis, (*rate)->sign, (*rate)->plus, (*rate)->minus)
                            : Json());
    jogs.push_back({{"name", arbiter.source_name(source)},
                    {"reference", arbiter.reference(reference).name()},
                    {"device", config.device},
                    {"rates", rates},
                    {"frame", kFrames[static_cast<std::size_t>(config.frame)]},
                    {"axes", quaternion_json(jog.R_WO())},
                    {"dead_man", named(config.dead_man)},
                    {"faster", named(config.scale.faster)},
                    {"slower", named(config.scale.slower)},
                    {"snap", config.snap ? Json(config.snap->control) : Json()},
                    {"speed", {config.speed, config.angular_speed}},
                    {"response", {config.response.dead_zone, config.response.exponent}}});
  }
  return jogs;
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
  return {{"app", session.app().name},        {"base_period", seconds(session.base_period())},
          {"scene", scene_json(session)},     {"channels", channels},
          {"devices", devices_json(session)}, {"references", references_json(session)},
          {"hands", hands_json(session)},     {"jogs", jogs_json(session)},
          {"parameters", changeable},         {"machines", machines}};
}

}  // namespace handspan
