// Robots of other people, imported as they are, pick cubes with their own gripper or a shipped one:
// from a URDF to a grasp with what docs/import.md and docs/grippers.md say.
#include <algorithm>
#include <map>

#include "support/program.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace imported_pick_test {

namespace fs = std::filesystem;

const char kScene[] = R"(name: pick
# without it MuJoCo lets what is held by friction creep
physics: {noslip_iterations: 5}
contact:
  # stiffer than by default: light jaws sink into what they press
  default: {friction: 0.9, time_constant: 0.004, impedance: [0.98, 0.99, 0.001]}
robots:
  arm: {robot: <robot>, <tool> q: <start>}
objects:
  cube:
    pose: {position: [<cube_x>, 0.0, <half>], rpy: [0, 0, 0]}
    mass: <mass>
    shapes: [{type: box, size: [<size>, <size>, <size>], rgba: [0.85, 0.55, 0.25, 1.0]}]
frames:
  place: {position: <place>}
views:
  overview: {eye: <eye>, target: [0.15, 0, 0.1]}
)";

const char kApp[] = R"(name: pick
scene: ../scenes/pick.yaml
duration: 20 s
whole_arm:
  arms:
    arm.<arm>: {}
  tasks:
    hand: {type: pose, frame: arm.<frame>, stiffness: 100}
    posture: {type: posture, robot: arm, stiffness: 10, weight: 1.0e-4}
  constraints:
    - {type: torque_limits}
    - {type: jerk_limits}
references:
  hand: {speed: 0.3 m/s, acceleration: 0.8 m/s^2, angular_speed: 1.5 rad/s, angular_acceleration: 4 rad/s^2}
machines:
  arm:
    start: rest
    states:
      rest:
        do: [{type: hold, tasks: [hand]}]
        next: [{to: above, when: [{type: after, time: 0.2 s}]}]
      above:
        episode: start
        do:
          - {type: move_to, task: hand, tolerance: {distance: 8 mm, angle: 12 deg}, waypoints: [{in: cube, position: [<offset>, 0, <above>], rpy: [180 deg, 0, <yaw>]}]}
          - {type: release, group: arm.<gripper>, width: <open>}
        next: [{to: down, when: [{type: done}]}]
      down:
        do: [{type: move_to, task: hand, linear: {velocity: 0.1 m/s}, tolerance: {distance: 5 mm, angle: 8 deg}, waypoints: [{in: cube, position: [<offset>, 0, <depth>], rpy: [180 deg, 0, <yaw>]}]}]
        next: [{to: grip, when: [{type: done}]}]
      grip:
        do: [{type: grip, group: arm.<gripper>, force: <force>}]
        next:
          - {to: lift, when: [{type: done}, {type: held, group: arm.<gripper>}]}
          - {to: missed, when: [{type: done}]}
      lift:
        do: [{type: move_to, task: hand, tolerance: {distance: 8 mm, angle: 12 deg}, waypoints: [{relative: true, position: [0, 0, <above>]}]}]
        next: [{to: carry, when: [{type: done}]}]
      carry:
        do: [{type: move_to, task: hand, tolerance: {distance: 8 mm, angle: 12 deg}, waypoints: [{in: place, position: [0, 0, <carry>], rpy: [180 deg, 0, <place_yaw>]}]}]
        next:
          - {to: lower, when: [{type: done}, {type: held, group: arm.<gripper>}]}
          - {to: missed, when: [{type: held, group: arm.<gripper>, held: false}]}
      lower:
        do: [{type: move_to, task: hand, linear: {velocity: 0.1 m/s}, tolerance: {distance: 5 mm, angle: 10 deg}, waypoints: [{in: place, position: [0, 0, <put>], rpy: [180 deg, 0, <place_yaw>]}]}]
        next: [{to: let_go, when: [{type: done}]}]
      let_go:
        do: [{type: release, group: arm.<gripper>, width: <open>}]
        next: [{to: placed, when: [{type: done}]}]
      placed: {final: true, episode: success}
      missed: {final: true, episode: failure}
picture: {view: overview}
)";

const char kStudy[] = R"(title: An imported robot picks cubes
subject: {app: ../apps/pick.yaml}
n: <runs>
seed: 1
longest: 25 s
vary:
  x: {uniform: [-30 mm, 40 mm], add: true, key: "scene.objects.cube.pose.position[0]"}
  y: {uniform: [-60 mm, 60 mm], add: true, key: "scene.objects.cube.pose.position[1]"}
  yaw: {uniform: [-40 deg, 40 deg], add: true, key: "scene.objects.cube.pose.rpy[2]"}
metrics:
  cube: {type: object, object: cube}
good:
  cube.z: {above: <least_z>}
  cube.x: {above: <least_x>, below: <most_x>}
  cube.y: {above: <least_y>, below: <most_y>}
expect:
  - {statistic: share, of: good, at_least: 0.95, doc: 19 of 20}
)";

struct Pick {
  std::string name, urdf, options;          // of `import`
  std::string group, gripper;               // a line of robot.yaml, and what takes its place
  std::map<std::string, std::string> keys;  // of the scene, the app and the study
};

void PrintTo(const Pick& pick, std::ostream* out) { *out << pick.name; }

const Pick kPicks[] = {
    // by position, with a jaw of its own that turns against a fixed one
    {"so101",
     "so_arm_description/urdf/so101.urdf",
     "--drive position --mount gripper_frame_link",
     "joints: [\"gripper\"],\n     drive: position",
     "joints: [\"gripper\"], drive: position,\n     gripper: {closed: [-0.01], open: [1.2], pads: "
     "[{body: gripper_link, position: [-0.002, 0, -0.096]},\n       {body: "
     "moving_jaw_so101_v1_link, position: [-0.0125, -0.07, 0.0189]}], force: 20 N, speed: 0.2 m/s}",
     {{"arm", "arm"},
      {"yaw", "180 deg"},
      {"place_yaw", "225 deg"},
      {"frame", "gripper_frame_link_mount"},
      {"gripper", "gripper"},
      {"tool", ""},
      {"start", "[0, -0.6, 0.5, 1.5, 0]"},
      {"cube_x", "0.21"},
      {"size", "25 mm"},
      {"half", "0.0125"},
      {"mass", "0.02"},
      {"place", "[0.15, 0.15, 0]"},
      {"eye", "[0.6, 0.5, 0.4]"},
      {"offset", "-0.024"},
      {"above", "0.05"},
      {"depth", "0"},
      {"open", "45 mm"},
      {"force", "8 N"},
      {"carry", "0.06"},
      {"put", "0.016"},
      {"least_z", "10 mm"},
      {"least_x", "120 mm"},
      {"most_x", "180 mm"},
      {"least_y", "120 mm"},
      {"most_y", "180 mm"}}},
    // by torque, with its own hand
    {"panda",
     "panda_description/urdf/panda.urdf",
     "",
     "joints: [\"panda_finger_joint1\"],\n     drive: position",
     "joints: [\"panda_finger_joint1\"], drive: position,\n     gripper: {closed: [0.0], open: "
     "[0.04], force: 70 N, speed: 0.1 m/s}",
     {{"arm", "arm"},
      {"yaw", "0 deg"},
      {"place_yaw", "45 deg"},
      {"frame", "panda_hand_tcp"},
      {"gripper", "hand"},
      {"tool", ""},
      {"start", "[0, -0.3, 0, -2.3, 0, 2.0, 0.785]"},
      {"cube_x", "0.5"},
      {"size", "40 mm"},
      {"half", "0.02"},
      {"mass", "0.1"},
      {"place", "[0.4, 0.3, 0]"},
      {"eye", "[1.5, 1.2, 0.9]"},
      {"offset", "0"},
      {"above", "0.1"},
      {"depth", "0.005"},
      {"open", "75 mm"},
      {"force", "30 N"},
      {"carry", "0.15"},
      {"put", "0.028"},
      {"least_z", "15 mm"},
      {"least_x", "370 mm"},
      {"most_x", "430 mm"},
      {"least_y", "270 mm"},
      {"most_y", "330 mm"}}},
    // by velocity, with a shipped gripper
    {"xarm7",
     "xarm_description/urdf/xarm7.urdf",
     "--drive velocity --mount link_eef",
     "",
     "",
     {{"arm", "xarm7"},
      {"yaw", "180 deg"},
      {"place_yaw", "225 deg"},
      {"frame", "tcp"},
      {"gripper", "gripper"},
      {"tool", "tool: gripper2f,"},
      {"start", "[0, -0.4, 0, 1.0, 0, 1.4, 0]"},
      {"cube_x", "0.4"},
      {"size", "40 mm"},
      {"half", "0.02"},
      {"mass", "0.1"},
      {"place", "[0.3, 0.3, 0]"},
      {"eye", "[1.5, 1.2, 0.9]"},
      {"offset", "0"},
      {"above", "0.1"},
      {"depth", "0.005"},
      {"open", "75 mm"},
      {"force", "30 N"},
      {"carry", "0.15"},
      {"put", "0.028"},
      {"least_z", "15 mm"},
      {"least_x", "270 mm"},
      {"most_x", "330 mm"},
      {"least_y", "270 mm"},
      {"most_y", "330 mm"}}},
};

class ImportedPick : public test::InFolder, public testing::WithParamInterface<Pick> {};

fs::path example_robots() {
  std::error_code none;
  for (const auto& python : fs::directory_iterator(test::kRoot / ".deps/venv/lib", none)) {
    const fs::path robots =
        python.path() / "site-packages/cmeel.prefix/share/example-robot-data/robots";
    if (fs::is_directory(robots)) return robots;
  }
  return {};
}

std::string filled(std::string text, const std::map<std::string, std::string>& keys) {
  for (const auto& [key, value] : keys)
    for (std::size_t at; (at = text.find("<" + key + ">")) != std::string::npos;)
      text.replace(at, key.size() + 2, value);
  return text;
}

TEST_P(ImportedPick, PicksCubesThatLieAnyhow) {
  const fs::path robots = example_robots();
  if (robots.empty()) GTEST_SKIP() << "no example robots: tools/setup --meshes";
  const Pick& pick = GetParam();
  const test::Result r =
      run("import " + (robots / pick.urdf).string() + " --name " + pick.name + " --out robots/" +
          pick.name + " --package example-robot-data=" + robots.parent_path().string() + " " +
          pick.options);
  ASSERT_EQ(r.code, 0) << r.output;
  if (!pick.group.empty()) {
    const std::string file = "robots/" + pick.name + "/robot.yaml";
    std::string yaml = read(file);
    const std::size_t at = yaml.find(pick.group);
    ASSERT_NE(at, std::string::npos) << yaml;
    write(file, yaml.replace(at, pick.group.size(), pick.gripper));
  }
  auto keys = pick.keys;
  keys["robot"] = pick.name;
  keys["runs"] = std::to_string(std::max(3, test::sized(20)));
  write("scenes/pick.yaml", filled(kScene, keys));
  write("apps/pick.yaml", filled(kApp, keys));
  write("studies/pick.yaml", filled(kStudy, keys));
  const test::Result study = run("study studies/pick.yaml --out results");
  ASSERT_EQ(study.code, 0) << study.output;
  EXPECT_TRUE(study.has("holds   share of good")) << study.output;
}

INSTANTIATE_TEST_SUITE_P(Robots, ImportedPick, testing::ValuesIn(kPicks),
                         [](const auto& pick) { return pick.param.name; });

}  // namespace imported_pick_test
}  // namespace handspan
