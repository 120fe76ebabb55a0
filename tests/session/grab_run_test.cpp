// apps/grab.yaml with chance in it: plates that are turned, a box that lies elsewhere, a hand that
// is late or early, another speed. The box is lifted and neither slips nor tilts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <numbers>

#include "core/random.hpp"
#include "core/text_file.hpp"
#include "session_support.hpp"
#include "support/sized.hpp"
#include "teleop/person.hpp"

namespace handspan {
namespace {

const std::filesystem::path kRoot = HANDSPAN_SOURCE_DIR;
constexpr double kDegree = std::numbers::pi / 180.0;

void replace(std::string& text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  ASSERT_NE(at, std::string::npos) << what;
  text.replace(at, what.size(), with);
}

// what is drawn for one grab
struct Chance {
  std::array<Eigen::Vector2d, 2> tilt;  // of the plates, about their own x and y [rad]
  Eigen::Vector2d d_box;                // in the world's x and y [m]
  double late = 0.0;                    // the right hand; negative: the left one [s]
  double speed = 0.3;                   // of approach [m/s]
};

Chance draw(std::uint64_t seed) {
  RandomStream random(seed, "grab");
  Chance c;
  for (auto& tilt : c.tilt)
    for (double& angle : tilt) angle = random.uniform(-8.0, 8.0) * kDegree;
  for (double& d : c.d_box) d = random.uniform(-0.02, 0.02);
  c.late = random.uniform(-0.1, 0.1);
  c.speed = random.uniform(0.2, 0.4);
  return c;
}

// apps/grab.yaml as text, with its scene, changed by chance
struct GrabFiles {
  explicit GrabFiles(const Chance& c) {
    app = read_text_file(kRoot / "apps/grab.yaml");
    app = app.substr(app.find("duration:"));
    scene = read_text_file(kRoot / "scenes/grab.yaml");
    for (std::size_t side = 0; side < 2; ++side)
      replace(app, "-0.12], rpy: [0.0, 0.0, 0.0]}",
              fmt::format("-0.12], rpy: [{}, {}, 0.0]}}", c.tilt[side].x(), c.tilt[side].y()));
    for (const char* side : {"left", "right"}) {
      const std::string approach = fmt::format(
          "{}: [{{do: move, to: [0, 0.0, 0], of: object.box.pose, speed: 0.3 m/s", side);
      const double late = (std::string(side) == "right" ? 1.0 : -1.0) * c.late;
      replace(app, approach,
              fmt::format("{}: [{{do: pause, time: {}}}, {{do: move, to: [0, 0.0, 0], of: "
                          "object.box.pose, speed: {}",
                          side, std::max(late, 0.0), c.speed));
    }
    replace(
        scene, "pose: {position: [0.59, 0.4, 0.29]}",
        fmt::format("pose: {{position: [{}, {}, 0.29]}}", 0.59 + c.d_box.x(), 0.4 + c.d_box.y()));
  }
  std::string app, scene;
};

// steps of the script in apps/grab.yaml
constexpr std::size_t kLift = 3, kPutBack = 4;

// the face of a pad in its plate [m]
constexpr double kPad = 0.036;

struct Grab {
  double lifted = 0.0;  // [m]
  double slip = 0.0;    // of the box on a pad, while lifted [m]
  double tilt = 0.0;    // of the box's z axis from where it was [rad]
  bool put_back = false;
  bool good() const { return lifted > 0.15 && slip < 0.005 && tilt < 15.0 * kDegree; }
};

Grab grab(std::uint64_t seed) {
  const GrabFiles files(draw(seed));
  const test::AppFolder folder(files.scene);
  App app = folder.app(files.app);
  app.seed = seed;
  SessionOptions options;
  options.live_devices = true;
  Session session(app, std::move(options));
  const auto& person = dynamic_cast<const Person&>(session.devices().driver(0));
  MujocoPlant& plant = *session.simulation();
  const int box = plant.body("box");
  const Pose X_start = plant.body_pose(box);
  // the middle of a pad, and the point of the box that lay on it when the lift began
  struct Touch {
    int plate = 0;
    Eigen::Vector3d p_B = Eigen::Vector3d::Zero();
    Eigen::Vector3d p_W(const MujocoPlant& plant) const {
      return plant.body_pose(plate) * Eigen::Vector3d(0.0, 0.0, kPad);
    }
  };
  std::array<Touch, 2> touches = {Touch{plant.body("left.plate")},
                                  Touch{plant.body("right.plate")}};
  Grab g;
  double z_before = 0.0;
  bool held = false;
  while (person.step() <= kPutBack && session.now() < 60 * kSecond) {
    session.tick();
    const Pose X = plant.body_pose(box);
    if (person.step() == kLift) {
      if (!held) {
        held = true;
        for (Touch& t : touches) t.p_B = X.inverse() * t.p_W(plant);
        z_before = X.p.z();
      }
      g.lifted = std::max(g.lifted, X.p.z() - z_before);
      for (const Touch& t : touches) g.slip = std::max(g.slip, (X * t.p_B - t.p_W(plant)).norm());
      g.tilt = std::max(g.tilt, std::acos(std::clamp(X.R.col(2).z(), -1.0, 1.0)));
    }
  }
  const Pose X_end = plant.body_pose(box);
  g.put_back = person.step() > kPutBack && std::abs(X_end.p.z() - X_start.p.z()) < 0.02;
  return g;
}

TEST(GrabRun, RandomGrabsAreGood) {
  const int grabs = test::sized(60);
  int good = 0, back = 0;
  for (int seed = 1; seed <= grabs; ++seed) {
    const Grab g = grab(static_cast<std::uint64_t>(seed));
    good += g.good() ? 1 : 0;
    back += g.put_back ? 1 : 0;
    if (std::getenv("HANDSPAN_VERBOSE") != nullptr || !g.good())
      fmt::print("grab {}: lifted {:.3f} m, slip {:.1f} mm, tilt {:.1f} deg{}\n", seed, g.lifted,
                 1000.0 * g.slip, g.tilt / kDegree, g.put_back ? "" : ", not put back");
  }
  fmt::print("{} of {} grabs are good, {} boxes were put back\n", good, grabs, back);
  EXPECT_GE(good, grabs * 57 / 60);
}

}  // namespace
}  // namespace handspan
