// apps/grab.yaml goes on by itself for as long as it is let run: also when something went wrong,
// and when a person took over in the middle and gave back at a bad moment.
#include <gtest/gtest.h>

#include <cmath>

#include "device/headset.hpp"
#include "person/person.hpp"
#include "session_support.hpp"
#include "support/parts.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace endurance_run_test {

const std::filesystem::path kRoot = HANDSPAN_SOURCE_DIR;
constexpr std::size_t kLift = 3, kPutBack = 4;

// What the person does, and what the app puts back.
class Grabs {
 public:
  explicit Grabs(std::uint64_t seed) : app(load(seed)), session(app, live()) {
    person = &dynamic_cast<const Person&>(session.devices().driver(0));
    box = world().body("box");
    z = world().body_pose(box).p.z();
  }
  void tick() {
    session.tick();
    for (const Event& event : session.events().events())
      if (event.kind == "scene" && event.name == "put back") ++put_back;
    if (person->round() != round) {
      round = person->round();
      if (highest > 0.0) ++tries;
      highest = 0.0;
    }
    if (person->step() == kLift) highest = std::max(highest, world().body_pose(box).p.z() - z);
    if (person->step() > kPutBack && highest > 0.0) {
      ++tries;
      if (highest > 0.15 && std::abs(world().body_pose(box).p.z() - z) < 0.02) {
        ++good;
        last_good = session.now();
      }
      highest = 0.0;
    }
  }
  void run(double time) {
    for (const Nanoseconds end = session.now() + std::llround(time * 1e9); session.now() < end;)
      tick();
  }
  World& world() { return *session.world(); }
  bool carries() { return world().body_pose(box).p.z() > z + 0.1; }

  static App load(std::uint64_t seed) {
    App app = load_app(kRoot / "apps/grab.yaml", test_parts());
    app.seed = seed;
    return app;
  }
  static SessionOptions live() {
    SessionOptions options;
    options.live_devices = true;
    return options;
  }

  App app;
  Session session;
  const Person* person;
  int box = 0;
  double z = 0.0, highest = 0.0;
  std::uint64_t round = 0;
  int tries = 0, good = 0, put_back = 0;
  Nanoseconds last_good = 0;
};

TEST(GrabRun, TheScriptedPersonGoesOnGrabbing) {
  for (const std::uint64_t seed : {0, 2, 3}) {
    Grabs grabs(seed);
    const double time = test::sized(1000);
    grabs.run(time);
    // a grab takes 10 to 15 s
    EXPECT_GE(grabs.good, static_cast<int>(time / 25.0)) << "seed " << seed;
    EXPECT_GE(grabs.good, std::floor(0.9 * grabs.tries)) << "seed " << seed;
    EXPECT_LT(seconds(grabs.session.now() - grabs.last_good), 40.0) << "seed " << seed;
  }
}

// A person at the page takes over while the box is in the air, drops it, drives the arms somewhere,
// and gives back: hands far away, one of them beside the pillar, a clutch still closed.
class TakenOver : public Grabs {
 public:
  explicit TakenOver(std::uint64_t seed)
      : Grabs(seed),
        layout(session.devices().driver(0).layout()),
        sample(session.devices().state_of(0).name(), layout) {}

  // until the person carries the box
  bool carried(double patience) {
    const Nanoseconds end = session.now() + std::llround(patience * 1e9);
    while (!carries() && session.now() < end) tick();
    return carries();
  }
  void take() {
    session.set_scripted(0, false);
    for (std::size_t h = 0; h < 2; ++h) X[h] = person->hand(h).X_VC(session.now());
    for (const bool down : {false, true}) {
      clutch[0] = clutch[1] = down;
      act(0.2, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero());
    }
  }
  void give_back() { session.set_scripted(0, true); }
  // hands move so fast along W's axes, as their device's are turned
  void act(double time, const Eigen::Vector3d& left, const Eigen::Vector3d& right) {
    const Nanoseconds end = session.now() + std::llround(time * 1e9);
    const Eigen::Matrix3d R_WV = rotation_of({});
    while (session.now() < end) {
      X[0].p += 1e-3 * R_WV.transpose() * left;
      X[1].p += 1e-3 * R_WV.transpose() * right;
      if (session.ticks() % 10 == 0) {
        for (std::size_t a = 0; a < layout.axes.size(); ++a) {
          const bool is_left = layout.axes[a].starts_with("left.");
          const bool is_clutch =
              layout.axes[a].ends_with(".squeeze") || layout.axes[a].ends_with(".trigger");
          sample.set_axis(a, is_clutch && clutch[is_left ? 0 : 1] ? 1.0 : 0.0);
        }
        for (std::size_t b = 0; b < layout.buttons.size(); ++b) sample.set_button(b, false);
        for (std::size_t h = 0; h < 2; ++h)
          sample.set_pose(h, TrackedAs::kController, X[h].p, X[h].quaternion());
        sample.set_stamp(session.now());
        EXPECT_TRUE(session.mailbox("headset").post(sample.input()));
      }
      tick();
    }
  }
  Eigen::Vector3d tool(const char* side) {
    return world().body_pose(world().body(std::string(side) + ".plate")).p;
  }

  const DeviceLayout& layout;
  DeviceSample sample;
  std::array<Pose, 2> X;
  std::array<bool, 2> clutch{};
};

TEST(GrabRun, GoesOnAfterSomebodyTookOverAndGaveBackAtABadMoment) {
  TakenOver grabs(1);
  // 2 minutes in full
  const int times = std::max(1, test::sized(80) / 20);
  for (int i = 0; i < times; ++i) {
    ASSERT_TRUE(grabs.carried(60.0)) << "time " << i;
    grabs.take();
    // apart: it falls
    grabs.act(0.6, {0.0, 0.3, 0.0}, {0.0, -0.3, 0.0});
    EXPECT_FALSE(grabs.carries());
    // and about
    grabs.act(1.5, {0.1, -0.2, -0.1}, {-0.1, 0.1, 0.2});
    grabs.give_back();
    const int good = grabs.good;
    const Nanoseconds since = grabs.session.now();
    while (grabs.good == good && grabs.session.now() < since + 60 * kSecond) grabs.tick();
    EXPECT_EQ(grabs.good, good + 1) << "time " << i;
  }
}

// The clutch of one hand opens while both carry the box: the other hand stays with it.
TEST(GrabRun, OneHandLostTheOtherStaysAndTheBoxWithThem) {
  for (const std::size_t lost : {0U, 1U}) {
    TakenOver grabs(1 + lost);
    ASSERT_TRUE(grabs.carried(60.0));
    grabs.take();
    grabs.act(0.5, {0.05, 0.0, 0.05}, {0.05, 0.0, 0.05});
    ASSERT_TRUE(grabs.carries());
    const auto seen = [&] {
      const Eigen::Vector3d middle = 0.5 * (grabs.tool("left") + grabs.tool("right"));
      return Eigen::Vector3d(grabs.world().body_pose(grabs.box).p - middle);
    };
    const double apart = (grabs.tool("left") - grabs.tool("right")).norm();
    const Eigen::Vector3d held = seen();
    grabs.clutch[lost] = false;
    double moved = 0.0, widened = 0.0;
    for (int i = 0; i < 100; ++i) {
      // the other hand pulls away from the box, 0.2 m in a second
      const Eigen::Vector3d away(0.0, lost == 0 ? -0.2 : 0.2, 0.0);
      grabs.act(0.01, lost == 0 ? Eigen::Vector3d::Zero() : away,
                lost == 0 ? away : Eigen::Vector3d::Zero());
      moved = std::max(moved, (seen() - held).norm());
      widened = std::max(widened, (grabs.tool("left") - grabs.tool("right")).norm() - apart);
    }
    const Arbiter& arbiter = grabs.session.arbiter();
    const ReferenceIndex other = arbiter.find_reference(lost == 0 ? "right_hand" : "left_hand");
    EXPECT_TRUE(arbiter.holding(other));
    EXPECT_EQ(std::string(arbiter.reason(other)).substr(0, 20), "holds together with ");
    EXPECT_TRUE(grabs.carries());
    EXPECT_LT(moved, 0.005);
    EXPECT_LT(widened, 0.01);
    // pressed anew, both go on
    grabs.clutch[lost] = true;
    grabs.act(0.3, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero());
    EXPECT_FALSE(arbiter.holding(other));
    EXPECT_TRUE(grabs.carries());
  }
}

}  // namespace endurance_run_test
}  // namespace handspan
