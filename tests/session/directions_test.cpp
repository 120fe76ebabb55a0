// Up is up and left is left, in every app, whatever moves its hands: an input device's controls are
// pushed as a person would, and the way that the source asks for is looked at in the world.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>

#include "core/error.hpp"
#include "device/devices.hpp"
#include "math/so3.hpp"
#include "scene/scene_frame.hpp"
#include "session/app.hpp"
#include "session/session.hpp"
#include "support/parts.hpp"
#include "teleop/jog.hpp"

namespace handspan {
namespace directions_test {

const std::filesystem::path kApps = std::filesystem::path(HANDSPAN_SOURCE_DIR) / "apps";

// where the operator looks in an app, in W: along x, but along -y where a box is tossed that way
Eigen::Vector3d forward_of(const std::string& app) {
  return app.starts_with("toss") ? Eigen::Vector3d(0, -1, 0) : Eigen::Vector3d(1, 0, 0);
}

struct Push {
  const char* control;
  double value;
  // what is asked for, as forward, left and up of the operator; linear and angular
  Eigen::Vector3d way, turn;
};
const Eigen::Vector3d kNone(0, 0, 0), kAhead(1, 0, 0), kLeft(0, 1, 0), kUp(0, 0, 1);

// as docs/devices.md has each device's controls
const std::map<std::string, std::vector<Push>> kPushes = {
    {"terminal_keyboard",
     {{"x", 1, kAhead, kNone},
      {"x", -1, -kAhead, kNone},
      {"y", 1, kLeft, kNone},
      {"z", 1, kUp, kNone},
      {"roll", 1, kNone, kAhead},
      {"pitch", 1, kNone, kLeft},
      {"yaw", 1, kNone, kUp}}},
    {"gamepad",
     {{"left.stick_y", 1, kAhead, kNone},
      {"left.stick_x", -1, kLeft, kNone},
      {"left.stick_x", 1, -kLeft, kNone},
      {"right.stick_y", 1, kUp, kNone},
      {"right.stick_x", -1, kNone, kUp},
      {"dpad.up", 1, kNone, kLeft},
      {"dpad.down", 1, kNone, -kLeft},
      {"dpad.left", 1, kNone, -kAhead},
      {"dpad.right", 1, kNone, kAhead}}},
    // of one of its hands, whose name comes before them
    {"page",
     {{"x", 1, kAhead, kNone},
      {"x", -1, -kAhead, kNone},
      {"y", 1, kLeft, kNone},
      {"y", -1, -kLeft, kNone},
      {"z", 1, kUp, kNone},
      {"z", -1, -kUp, kNone},
      {"roll", 1, kNone, kAhead},
      {"pitch", 1, kNone, kLeft},
      {"yaw", 1, kNone, kUp}}},
};

// "left." of a hand of the page: that whose clutch is the jog's dead man
std::string prefix_of(const std::string& driver, const JogConfig& config) {
  if (driver != "page" || !config.dead_man) return "";
  return config.dead_man->substr(0, config.dead_man->rfind('.') + 1);
}

// an app's devices and one of its sources, given samples
class Pushed {
 public:
  /// @param arms of a session of the app; null: there are none
  Pushed(const App& app, std::size_t source, WholeArm* arms) {
    for (const auto& [name, config] : app.devices) devices_.add(name, config, app.seed);
    const auto& [name, part] = app.sources[source];
    source_ = part.make(SourceContext{name, app.seed, &devices_, &app.scene, arms});
    motion_.pose.X_WE = {exp_so3({0.3, -0.8, 2.0}), Eigen::Vector3d(0.4, 0.1, 0.9)};
    // at a face of its workspace it does not go on
    if (const auto* jog = dynamic_cast<const Jog*>(source_.get()); jog && jog->config().workspace) {
      const WorkspaceConfig& box = *jog->config().workspace;
      const Pose X_WB = box.frame ? scene_frame(app.scene, *box.frame) : Pose();
      motion_.pose.X_WE.p = X_WB.p + X_WB.R * (0.5 * (box.lower + box.upper));
    }
    for (std::size_t d = 0; d < devices_.size(); ++d)
      samples_.emplace_back(devices_.state_of(d).name(), devices_.driver(d).layout());
    source_->start(moment(), motion_);
  }
  const DeviceState& device(std::size_t d) const { return devices_.state_of(d); }
  const JogConfig& jog() const { return dynamic_cast<const Jog&>(*source_).config(); }
  void all(double value) {
    for (std::size_t d = 0; d < samples_.size(); ++d) {
      const DeviceLayout& layout = device(d).layout();
      for (std::size_t a = 0; a < layout.axes.size(); ++a) samples_[d].set_axis(a, value);
      for (std::size_t b = 0; b < layout.buttons.size(); ++b)
        samples_[d].set_button(b, value > 0.5);
    }
  }
  void hands(const Eigen::Vector3d& p, const Eigen::Quaterniond& q) {
    for (std::size_t d = 0; d < samples_.size(); ++d)
      for (std::size_t i = 0; i < device(d).layout().poses.size(); ++i)
        samples_[d].set_pose(i, TrackedAs::kController, p, q);
  }
  DeviceSample& sample(std::size_t d) { return samples_[d]; }
  /// So many samples; what is asked for goes on from what it was.
  SourceAnswer send(int times) {
    SourceAnswer answer;
    for (int i = 0; i < times; ++i) {
      now_ += 10'000'000;
      for (auto& sample : samples_) {
        sample.set_stamp(now_);
        devices_.receive(moment(), sample.input());
      }
      devices_.update(moment());
      answer = source_->update(moment(), motion_, wanted_);
    }
    return answer;
  }
  const Motion& wanted() const { return wanted_; }
  const Motion& reference() const { return motion_; }

 private:
  Moment moment() const { return {now_ / 10'000'000, now_, 0.01, nullptr}; }
  Devices devices_;
  std::unique_ptr<Source> source_;
  std::vector<DeviceSample> samples_;
  Motion motion_, wanted_;
  Nanoseconds now_ = 0;
};

std::vector<std::filesystem::path> apps() {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(kApps))
    if (file.path().extension() == ".yaml") files.push_back(file.path());
  std::ranges::sort(files);
  return files;
}

class Directions : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Directions, AreThoseOfTheOperator) {
  const App app = load_app(GetParam(), test_parts());
  const Eigen::Vector3d ahead = forward_of(app.name), left = Eigen::Vector3d::UnitZ().cross(ahead);
  const auto in_world = [&](const Eigen::Vector3d& v) -> Eigen::Vector3d {
    return v.x() * ahead + v.y() * left + v.z() * Eigen::Vector3d::UnitZ();
  };
  // its arms, where they are at the start
  Session session(app);
  session.tick();
  for (std::size_t s = 0; s < app.sources.size(); ++s) {
    const std::string& type = app.sources[s].second.name;
    SCOPED_TRACE(app.sources[s].first + ", a " + type);
    if (type == "hand") {
      // WebXR's axes: x right, y up, z backward
      const std::pair<Eigen::Vector3d, Eigen::Vector3d> ways[] = {
          {{0, 0.1, 0}, kUp}, {{-0.1, 0, 0}, kLeft}, {{0, 0, -0.1}, kAhead}};
      for (const auto& [d, way] : ways) {
        Pushed pushed(app, s, session.whole_arm());
        const Eigen::Quaterniond q = exp_quaternion({0.2, 0.4, -0.3});
        const Eigen::Vector3d p(0.2, 1.1, -0.4);
        pushed.hands(p, q);
        pushed.all(0.0);
        pushed.send(5);
        pushed.all(1.0);
        ASSERT_EQ(pushed.send(5).status, SourceStatus::kActive);
        // what is pressed may snap it to a frame
        const Eigen::Matrix3d R = pushed.wanted().pose.X_WE.R;
        for (int i = 1; i <= 40; ++i) {
          pushed.hands(p + std::min(1.0, i / 20.0) * d, q);
          pushed.send(1);
        }
        const Eigen::Vector3d moved = pushed.wanted().pose.X_WE.p - pushed.reference().pose.X_WE.p;
        // by more or less than the hand, but that way and no other
        EXPECT_GE(moved.norm(), 0.05);
        EXPECT_LT((moved.normalized() - in_world(way)).norm(), 1e-3)
            << "the hand goes " << d.transpose() << ", the frame " << moved.transpose();
        EXPECT_LT(angle_between(pushed.wanted().pose.X_WE.R, R), 1e-3);
      }
    } else if (type == "jog") {
      const JogConfig config = Pushed(app, s, session.whole_arm()).jog();
      const auto device =
          std::ranges::find(app.devices, config.device, &decltype(app.devices)::value_type::first);
      ASSERT_NE(device, app.devices.end());
      const auto d = static_cast<std::size_t>(device - app.devices.begin());
      const std::string& driver = device->second.driver.name;
      const auto pushes = kPushes.find(driver);
      ASSERT_NE(pushes, kPushes.end()) << "no device of the table: " << driver;
      const std::string prefix = prefix_of(driver, config);
      for (const Push& push : pushes->second) {
        Pushed pushed(app, s, session.whole_arm());
        pushed.all(0.0);
        pushed.send(5);
        // the dead man's button, and all other controls that are none of those pushed; a snap turns
        // it too
        for (std::size_t b = 0; b < pushed.device(d).layout().buttons.size(); ++b) {
          const std::string& name = pushed.device(d).layout().buttons[b];
          const bool moves = (config.snap && name == config.snap->control) ||
                             std::ranges::any_of(pushes->second, [&](const Push& other) {
                               return name == prefix + other.control;
                             });
          if (!moves && !name.starts_with("speed")) pushed.sample(d).set_button(b, true);
        }
        pushed.send(3);
        const Control control = pushed.device(d).control(prefix + push.control);
        if (control.is_axis)
          pushed.sample(d).set_axis(control.index, push.value);
        else
          pushed.sample(d).set_button(control.index, true);
        ASSERT_EQ(pushed.send(50).status, SourceStatus::kActive);
        const Vector6d V = pushed.wanted().pose.V_WE;
        EXPECT_LT((V.head<3>().normalized() - in_world(push.way)).norm(), 1e-6)
            << push.control << " " << push.value;
        EXPECT_LT((V.tail<3>().normalized() - in_world(push.turn)).norm(), 1e-6)
            << push.control << " " << push.value;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Apps, Directions, testing::ValuesIn(apps()), [](const auto& file) {
  std::string name = file.param.stem().string();
  std::ranges::replace(name, '-', '_');
  return name;
});

// toss.md, section 8: alpha = 2
TEST(TossDirections, AreTheThesisOnesPutRight) {
  const App app = load_app(kApps / "toss.yaml", test_parts());
  const std::pair<Eigen::Vector3d, Eigen::Vector3d> ways[] = {
      {{0, 0.1, 0}, {0, 0, 0.2}}, {{0, 0, -0.1}, {0, -0.2, 0}}, {{0.1, 0, 0}, {-0.2, 0, 0}}};
  for (const auto& [d, moved] : ways) {
    Pushed pushed(app, 0, nullptr);
    const Eigen::Vector3d p(0.2, 1.1, -0.4);
    pushed.hands(p, Eigen::Quaterniond::Identity());
    pushed.all(0.0);
    pushed.send(5);
    pushed.all(1.0);
    pushed.send(5);
    for (int i = 1; i <= 60; ++i) {
      pushed.hands(p + std::min(1.0, i / 20.0) * d, Eigen::Quaterniond::Identity());
      pushed.send(1);
    }
    EXPECT_LT((pushed.wanted().pose.X_WE.p - pushed.reference().pose.X_WE.p - moved).norm(), 1e-6)
        << d.transpose();
  }
}

}  // namespace directions_test
}  // namespace handspan
