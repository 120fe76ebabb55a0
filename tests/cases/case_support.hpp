#pragma once
// Runs the small inputs that went wrong (../shared/cases beside the tree) and measures what came of
// it. A test:
//
//   TEST(ControlCases, AWallIsNotSlidAlong) {
//     HANDSPAN_NEEDS_CASES();
//     const test::CaseFolder folder("control");
//     const test::CaseRun run = test::run_case(folder / "wall.yaml", folder / "wall.csv", 8.0);
//     EXPECT_LT(run.slip("right_hand", 3.0, 8.0), 0.01);
//   }
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "device/headset_csv.hpp"
#include "log/log_file.hpp"
#include "session/app.hpp"
#include "session/run.hpp"
#include "support/parts.hpp"

namespace handspan::test {

inline std::filesystem::path cases_path() {
  return std::filesystem::path(HANDSPAN_SOURCE_DIR) / "../shared/cases";
}

/// First line of a test that needs the folder.
#define HANDSPAN_NEEDS_CASES()                            \
  if (!std::filesystem::is_directory(test::cases_path())) \
  GTEST_SKIP() << "there is no folder " << test::cases_path()

/// A copy of one folder of the cases ("control", "apps", "own", "devices") in today's words, with
/// the project's robots beside it; gone with the object. So a test may adapt a file, and write logs
/// there.
class CaseFolder {
 public:
  explicit CaseFolder(const std::string& part) {
    std::string made = (std::filesystem::temp_directory_path() / "handspan_case_XXXXXX").string();
    if (mkdtemp(made.data()) == nullptr) throw std::runtime_error("no temporary folder");
    root_ = made;
    std::filesystem::create_directory_symlink(std::filesystem::path(HANDSPAN_SOURCE_DIR) / "robots",
                                              root_ / "robots");
    std::filesystem::copy(cases_path() / part, root_ / part,
                          std::filesystem::copy_options::recursive);
    folder_ = root_ / part;
    translate();
  }
  ~CaseFolder() { std::filesystem::remove_all(root_); }
  CaseFolder(const CaseFolder&) = delete;
  CaseFolder& operator=(const CaseFolder&) = delete;

  const std::filesystem::path& path() const { return folder_; }
  std::filesystem::path operator/(const std::string& file) const { return folder_ / file; }
  /// A file of another folder of the cases, where it lies ("devices/trigger_rest_m1.csv").
  static std::filesystem::path beside(const std::string& file) { return cases_path() / file; }

  std::string read(const std::string& file) const {
    std::ifstream in(folder_ / file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  /// Writes a file and gives its path.
  std::filesystem::path write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file) << text;
    return folder_ / file;
  }
  /// Replaces the first `from` in a file; the test fails when it is not there.
  void change(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = read(file);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << "no '" << from << "' in " << file;
    write(file, text.replace(at, from.size(), to));
  }

 private:
  // The cases keep the words of handspan 0.1; docs/renamed.md has the old and new ones.
  void translate() const {
    std::vector<std::pair<std::regex, std::string>> words;
    std::ifstream table(std::filesystem::path(HANDSPAN_SOURCE_DIR) / "docs/renamed.md");
    const std::regex row(R"(^\| `([\w.]+):?` \| `([\w.]+):?` \|.*)"),
        type_row(R"(^\| `type: (\w+)` \| `type: (\w+)` \|.*)");
    std::smatch cells;
    for (std::string line; std::getline(table, line);)
      if (std::regex_match(line, cells, type_row))
        words.emplace_back(std::regex("type: " + cells[1].str() + "\\b"),
                           "type: " + cells[2].str());
      else if (std::regex_match(line, cells, row) && cells[1].str().find('.') == std::string::npos)
        words.emplace_back(std::regex("(^|[\\s{,])" + cells[1].str() + ":(?=\\s|$)",
                                      std::regex::ECMAScript | std::regex::multiline),
                           "$1" + cells[2].str() + ":");
    if (words.size() < 10) throw std::runtime_error("docs/renamed.md has no table of words");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      const std::string file = entry.path().lexically_relative(folder_).string();
      if (entry.path().extension() != ".yaml") continue;
      const std::string old = read(file);
      std::string text = old;
      for (const auto& [from, to] : words) text = std::regex_replace(text, from, to);
      if (text != old) write(file, text);
    }
  }

  std::filesystem::path root_, folder_;
};

/// What was at the end of a tick: tick k ends at (k + 1) base periods.
struct CaseTick {
  double time = 0.0;                         // [s]
  std::vector<Eigen::VectorXd> q, v;         // of the plant, by actuator group [rad], [rad/s]
  std::vector<Eigen::VectorXd> commanded_q;  // of the whole-arm controller, by its arms [rad]
  std::vector<Pose> tools;                   // of the plant, by pose task: where its frame is, in W
  std::vector<Vector6d> twists;    // likewise, velocity of its origin and angular velocity
  std::vector<Pose> references;    // by pose task: the limited reference
  std::vector<Pose> objects;       // of the scene's free objects, in its order
  std::vector<Vector6d> wrenches;  // by force/torque sensor, in its frame [N, N m]
};

struct CaseEvent {
  double time = 0.0;  // [s]
  std::string kind, name, text;
};

struct CaseRun {
  std::vector<std::string> groups;   // "left.arm", as in CaseTick::q
  std::vector<std::string> tasks;    // pose tasks, as in CaseTick::tools
  std::vector<std::string> objects;  // as in CaseTick::objects
  std::vector<std::string> joints;   // all of the groups, one after the other
  std::vector<JointLimits> limits;   // of those
  std::vector<CaseTick> ticks;
  std::vector<CaseEvent> events;
  RunSummary summary;

  static std::size_t index_in(const std::vector<std::string>& names, const std::string& name) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) throw std::out_of_range("the case has no '" + name + "'");
    return static_cast<std::size_t>(found - names.begin());
  }
  std::size_t group(const std::string& name) const { return index_in(groups, name); }
  std::size_t task(const std::string& name) const { return index_in(tasks, name); }
  std::size_t object(const std::string& name) const { return index_in(objects, name); }
  const CaseTick& end() const { return ticks.back(); }
  /// The first tick that ends at that time or later; the last one for later times.
  const CaseTick& at(double time) const {
    const auto found = std::ranges::lower_bound(ticks, time - 1e-9, {}, &CaseTick::time);
    return found == ticks.end() ? ticks.back() : *found;
  }
  /// Those from and to these times, for loops.
  std::span<const CaseTick> between(double from, double to) const {
    const auto begin = std::ranges::lower_bound(ticks, from - 1e-9, {}, &CaseTick::time);
    const auto stop = std::ranges::upper_bound(ticks, to + 1e-9, {}, &CaseTick::time);
    return {begin, stop};
  }
  /// Where a pose task's frame was.
  const Pose& tool(const std::string& task_name, double time) const {
    return at(time).tools[task(task_name)];
  }
  /// How far a task's frame gets from where it was at `from`, up to `to` [m].
  double slip(const std::string& task_name, double from, double to) const {
    const std::size_t t = task(task_name);
    const Eigen::Vector3d start = at(from).tools[t].p;
    double most = 0.0;
    for (const auto& tick : between(from, to))
      most = std::max(most, (tick.tools[t].p - start).norm());
    return most;
  }
  /// Largest distance of a task's reference from its frame, in those times [m].
  double reference_distance(const std::string& task_name, double from, double to) const {
    const std::size_t t = task(task_name);
    double most = 0.0;
    for (const auto& tick : between(from, to))
      most = std::max(most, (tick.references[t].p - tick.tools[t].p).norm());
    return most;
  }
  /// Largest change of any joint of the plant from where it was at `from`, up to `to` [rad].
  double joints_moved(double from, double to) const {
    const CaseTick& start = at(from);
    double most = 0.0;
    for (const auto& tick : between(from, to))
      for (std::size_t g = 0; g < tick.q.size(); ++g)
        if (tick.q[g].size() > 0)
          most = std::max(most, (tick.q[g] - start.q[g]).lpNorm<Eigen::Infinity>());
    return most;
  }
  /// Largest measured joint speed as a share of its limit, in those times.
  double speed_share(double from, double to) const {
    double most = 0.0;
    for (const auto& tick : between(from, to)) {
      std::size_t joint = 0;
      for (const auto& v : tick.v)
        for (Eigen::Index i = 0; i < v.size(); ++i, ++joint)
          most = std::max(most, std::abs(v[i]) / limits[joint].velocity);
    }
    return most;
  }
  /// Events of a kind ("" for all) whose name or text has that in it ("" for all).
  std::vector<CaseEvent> events_of(const std::string& kind, const std::string& with = "") const {
    std::vector<CaseEvent> found;
    for (const auto& event : events)
      if ((kind.empty() || event.kind == kind) && (event.text.find(with) != std::string::npos ||
                                                   event.name.find(with) != std::string::npos))
        found.push_back(event);
    return found;
  }
  /// All of them, one a line: for failure messages.
  std::string told() const {
    std::ostringstream out;
    for (const auto& event : events)
      out << event.time << " s: " << event.kind << " " << event.name << ": " << event.text << "\n";
    return out.str();
  }
};

/// Looks on and keeps every tick. Allocates: not for tests that count allocations.
class CaseWatcher : public SessionWatcher {
 public:
  explicit CaseWatcher(Session& session) {
    const PlantLayout& layout = session.plant().layout();
    for (const auto& group : layout.groups) {
      run.groups.push_back(group.name);
      const RobotInstance& robot = *session.app().scene.robot(group.robot);
      for (const auto& joint : group.joints) {
        run.joints.push_back(joint);
        run.limits.push_back(*robot.limits.find(joint));
      }
    }
    for (const auto& object : session.app().scene.objects) run.objects.push_back(object.name);
    for (const auto& robot : session.app().scene.robots)
      robots_.push_back(std::make_unique<Robot>(robot, session.app().scene.physics.gravity));
    WholeArm* arms = session.whole_arm();
    if (arms == nullptr) return;
    for (const auto& task : arms->problem().tasks()) {
      const auto* frame = dynamic_cast<const FrameTask*>(task.get());
      if (frame == nullptr) continue;
      const std::string& name =
          arms->system().mechanisms()[static_cast<std::size_t>(frame->frame().mechanism)].name;
      for (std::size_t r = 0; r < robots_.size(); ++r)
        if (robots_[r]->name == name) frames_.push_back({frame, r, frame->frame().frame});
      run.tasks.push_back(task->name());
    }
  }

  void after_tick(Session& session) noexcept override {
    const double time = seconds(session.now());
    CaseTick tick;
    tick.time = time;
    const Observation& observation = session.plant().read();
    for (const auto& group : observation.groups) {
      tick.q.push_back(group.q);
      tick.v.push_back(group.v);
    }
    tick.wrenches = observation.wrenches;
    if (const World* world = session.world()) {
      for (auto& robot : robots_) {
        world->robot_state(robot->name, robot->q, robot->v);
        update_kinematics(robot->model, robot->data, robot->q, robot->v);
      }
      for (const auto& object : run.objects)
        tick.objects.push_back(world->body_pose(world->body(object)));
    }
    for (const auto& frame : frames_) {
      const Robot& robot = *robots_[frame.robot];
      tick.tools.push_back(frame_pose(robot.model, robot.data, frame.frame));
      tick.twists.push_back(frame_velocity(robot.model, robot.data, frame.frame));
      tick.references.push_back(frame.task->reference().X_WE);
    }
    if (WholeArm* arms = session.whole_arm())
      for (std::size_t a = 0; a < arms->arms(); ++a)
        tick.commanded_q.push_back(arms->drive(static_cast<int>(a)).commanded_q());
    run.ticks.push_back(std::move(tick));
    for (const Event& event : session.events().events())
      run.events.push_back({time, std::string(event.kind.view()), std::string(event.name.view()),
                            std::string(event.text.view())});
  }

  CaseRun run;

 private:
  struct Robot {
    Robot(const RobotInstance& instance, const Eigen::Vector3d& gravity)
        : name(instance.name),
          model(instance.description, gravity),
          data(model),
          q(model.neutral()),
          v(Eigen::VectorXd::Zero(model.nv())) {}
    std::string name;
    RobotModel model;
    RobotData data;
    Eigen::VectorXd q, v;
  };
  struct Frame {
    const FrameTask* task;
    std::size_t robot;
    FrameId frame;
  };
  std::vector<std::unique_ptr<Robot>> robots_;
  std::vector<Frame> frames_;
};

struct CaseOptions {
  std::filesystem::path input = {};  // a recording of a headset; empty: none
  double duration = 0.0;             // [s]; 0: as the app says
  std::uint64_t seed = 0;            // 0: as the app says
  std::string device = {};           // empty: the app's only headset
  /// Before each tick, in the loop: for inputs, or hands that disturb the plant.
  std::function<void(Session&)> before_tick = {};
};

/// What `handspan run APP --input CSV --for DURATION --seed SEED` does, without a picture, kept
/// tick by tick. @throws InputError or ConfigError as that does
inline CaseRun run_case(const std::filesystem::path& file, const CaseOptions& options) {
  App app = load_app(file, test_parts());
  if (options.seed != 0) app.seed = options.seed;
  SessionOptions inputs;
  inputs.live_devices = true;
  Session session(app, std::move(inputs));
  if (!options.input.empty()) {
    std::string device = options.device;
    for (const auto& [name, config] : app.devices)
      if (device.empty() && config.driver.name == "headset") device = name;
    session.set_feed(std::make_unique<LogFeed>(
        at_their_stamps(read_headset_csv(options.input, device), session.base_period())));
  }
  CaseWatcher watcher(session);
  session.watch(watcher);
  RunOptions how;
  how.until = std::llround(1e9 * (options.duration > 0.0 ? options.duration : app.duration));
  if (options.before_tick)
    how.between = [&](const PacerCounts&) {
      options.before_tick(session);
      return true;
    };
  if (options.before_tick) options.before_tick(session);
  watcher.run.summary = run_session(session, how);
  session.unwatch(watcher);
  return std::move(watcher.run);
}

inline CaseRun run_case(const std::filesystem::path& app, const std::filesystem::path& input = {},
                        double duration = 0.0) {
  CaseOptions options;
  options.input = input;
  options.duration = duration;
  return run_case(app, options);
}

}  // namespace handspan::test
