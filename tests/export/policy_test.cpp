// What an export is for: scripted grabs are recorded, exported, a small policy is fitted to them,
// and it grabs by itself. The box stands elsewhere each time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <deque>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "data/dataset.hpp"
#include "log/recorder.hpp"
#include "math/so3.hpp"
#include "session/session_support.hpp"
#include "support/parts.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace policy_test {

constexpr double kLifted = 0.15, kLow = 0.29;  // of the box's middle above where it stands [m]
constexpr int kTeleoperation = 2;              // of mode.both
const std::array<std::string, 2> kHands = {"left_hand", "right_hand"};

// Its network, evaluated row by row; layers but the last are rectified.
class Policy {
 public:
  explicit Policy(const std::filesystem::path& file) {
    std::ifstream in(file);
    const auto j = nlohmann::json::parse(in);
    keys_ = j["keys"].get<std::vector<std::string>>();
    columns = j["columns"].get<std::vector<std::string>>();
    chunk = j["chunk"];
    force_ = j["force"];
    const auto vector = [](const nlohmann::json& from) {
      const auto v = from.get<std::vector<double>>();
      return Eigen::VectorXd(Eigen::VectorXd::Map(v.data(), std::ssize(v)));
    };
    mean_ = vector(j["mean"]);
    std_ = vector(j["std"]);
    offset_ = vector(j["offset"]);
    scale_ = vector(j["scale"]);
    for (const auto& layer : j["layers"]) {
      const Eigen::VectorXd bias = vector(layer["bias"]);
      Eigen::MatrixXd weight(bias.size(), std::ssize(layer["weight"][0]));
      for (Eigen::Index r = 0; r < weight.rows(); ++r)
        weight.row(r) = vector(layer["weight"][static_cast<std::size_t>(r)]).transpose();
      layers_.emplace_back(weight, bias);
    }
  }

  // the next `chunk` actions, a column each
  Eigen::MatrixXd operator()(const ChannelTable& table) const {
    Eigen::VectorXd x(mean_.size());
    Eigen::Index at = 0;
    for (const auto& key : keys_) {
      // a key has underscores for the channel's dots
      for (const ChannelInfo& info : table.channels()) {
        std::string name = info.name;
        std::ranges::replace(name, '.', '_');
        if (name != key) continue;
        const auto value = table.numbers(table.find(info.name));
        if (name.ends_with("wrench")) {
          x.segment(at, value.size()) = (value.array() / force_).tanh().matrix();
          at += value.size();
        } else {
          x.segment<3>(at) = value.head<3>();
          at += 3;
        }
      }
    }
    EXPECT_EQ(at, x.size());
    x = (x - mean_).cwiseQuotient(std_);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      x = layers_[i].first * x + layers_[i].second;
      if (i + 1 < layers_.size()) x = x.cwiseMax(0.0);
    }
    Eigen::MatrixXd actions = Eigen::MatrixXd::Map(x.data(), offset_.size(), chunk);
    for (Eigen::Index k = 0; k < chunk; ++k)
      // no farther than anybody ever went
      actions.col(k) = offset_ + scale_.cwiseProduct(actions.col(k).cwiseMax(-1.0).cwiseMin(1.0));
    return actions;
  }

  std::vector<std::string> columns;
  Eigen::Index chunk = 0;

 private:
  std::vector<std::string> keys_;
  double force_ = 1.0;
  Eigen::VectorXd mean_, std_, offset_, scale_;
  std::vector<std::pair<Eigen::MatrixXd, Eigen::VectorXd>> layers_;
};

// Where the hands are to be in the row in hand: what the policy says, and the sources ask for.
struct Board {
  std::array<Pose, 2> from, to;
  std::int64_t first = 0, ticks = 50;
  bool set = false;
};
Board board;

class PolicySource : public Source {
 public:
  explicit PolicySource(std::size_t hand) : hand_(hand) {}
  void start(const Moment&, const Motion&) override {}
  SourceAnswer update(const Moment& moment, const Motion& reference, Motion& wanted) override {
    wanted = reference;
    if (!board.set) return {};
    const Pose &a = board.from[hand_], &b = board.to[hand_];
    const double time = static_cast<double>(board.ticks) * moment.dt;
    const double share = std::min(
        1.0, static_cast<double>(moment.tick - board.first + 1) / static_cast<double>(board.ticks));
    const Eigen::Vector3d turn = log_so3(b.R * a.R.transpose());
    wanted.pose.X_WE.p = a.p + share * (b.p - a.p);
    wanted.pose.X_WE.R = exp_so3(share * turn) * a.R;
    wanted.pose.V_WE << (b.p - a.p) / time, turn / time;
    wanted.pose.A_WE.setZero();
    return {};
  }

 private:
  std::size_t hand_;
};

struct PolicyConfig {
  Place place;
  double hand = 0.0;
};

Parts made_parts() {
  Parts parts = built_in_parts();
  parts.of<SourceRegistry>().add(
      "fitted_policy",
      object<PolicyConfig>("Policy", "follows a fitted policy")
          .place(&PolicyConfig::place)
          .required("hand", &PolicyConfig::hand, number().min(0).max(1)),
      "follows a fitted policy",
      [](const PolicyConfig& config, const SourceContext&) -> std::unique_ptr<Source> {
        return std::make_unique<PolicySource>(static_cast<std::size_t>(config.hand));
      });
  return parts;
}

const Parts& parts() {
  static const Parts made = made_parts();
  return made;
}

// apps/grab.yaml with the box elsewhere, and the policy's hands where asked
class Grabs {
 public:
  Grabs() {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("handspan_policy_{}", getpid());
    std::filesystem::create_directories(folder_);
  }
  ~Grabs() { std::filesystem::remove_all(folder_); }
  Grabs(const Grabs&) = delete;
  const std::filesystem::path& folder() const { return folder_; }

  App app(std::uint64_t seed, bool policy) const {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> away(-0.02, 0.02);
    const std::filesystem::path source(HANDSPAN_SOURCE_DIR);
    const double x = 0.59 + away(random), y = 0.40 + away(random);
    std::ofstream(folder_ / "scene.yaml") << fmt::format(
        "extends: {}\nobjects: {{box: {{pose: {{position: [{:.6f}, {:.6f}, 0.29]}}}}}}\n",
        (source / "scenes/grab.yaml").string(), x, y);
    std::ofstream out(folder_ / "app.yaml");
    out << fmt::format("extends: {}\nscene: scene.yaml\n", (source / "apps/grab.yaml").string());
    if (policy)
      out << R"(sources:
  left_policy: {type: fitted_policy, hand: 0}
  right_policy: {type: fitted_policy, hand: 1}
machines:
  both:
    states:
      teleoperation:
        do:
          - {type: follow, task: left_hand, sources: [{source: left_policy}]}
          - {type: follow, task: right_hand, sources: [{source: right_policy}]}
)";
    out.close();
    App app = load_app(folder_ / "app.yaml", parts());
    app.seed = seed;
    return app;
  }

 private:
  std::filesystem::path folder_;
};

bool teleoperates(const Session& session) {
  const ChannelTable& table = session.channels();
  return table.integer(table.find("mode.both")) == kTeleoperation;
}

double height(const Session& session) {
  const ChannelTable& table = session.channels();
  return table.numbers(table.find("object.box.pose"))[2] - kLow;
}

Eigen::Vector3d hand(const Session& session) {
  const ChannelTable& table = session.channels();
  return table.numbers(table.find("measured.left_hand.pose")).head<3>();
}

// a scripted grab; @return whether the box was lifted
bool demonstrate(const App& app, const std::filesystem::path& file) {
  // the scripted person is a device, and asked at each tick
  SessionOptions options;
  options.live_devices = true;
  Session session(app, std::move(options));
  RecorderOptions recorder_options;
  recorder_options.may_wait = true;
  Recorder recorder(session, file, recorder_options);
  const auto mark = [&](const char* word) {
    session.mailbox("operator").post(test::operator_input(InputKind::kEpisode, word, "grab"));
    session.tick();
  };
  bool begun = false;
  std::optional<Eigen::Vector3d> from;
  int held = 0;
  while (session.ticks() < 15000 && held < 1000) {
    session.tick();
    if (!teleoperates(session)) continue;
    // a demonstration begins when the person sets out: of somebody who waits one learns to wait
    const Eigen::Vector3d p = test::reference_of(session, kHands[0]).motion().pose.X_WE.p;
    if (!from) from = p;
    if (!begun && (p - *from).norm() > 0.003) {
      mark("start");
      begun = true;
    }
    held = height(session) > kLifted ? held + 1 : 0;
  }
  mark(held >= 1000 ? "success" : "failure");
  session.finish();
  EXPECT_TRUE(recorder.close()) << recorder.status().message;
  return held >= 1000;
}

// the policy's turn; @return whether it lifted the box and held it for a second
// @param moved becomes how far the left hand got, if that is farther
bool drive(const App& app, const Policy& policy, double& moved) {
  board = {};
  Session session(app);
  std::deque<Eigen::MatrixXd> chunks;
  Eigen::Vector3d begin = Eigen::Vector3d::Zero();
  int held = 0;
  while (session.ticks() < 15000 && held < 1000) {
    if (teleoperates(session) && session.ticks() % board.ticks == 0) {
      // what earlier chunks say of this row counts too, the older the less
      chunks.push_front(policy(session.channels()));
      if (std::ssize(chunks) > policy.chunk) chunks.pop_back();
      Eigen::VectorXd action = Eigen::VectorXd::Zero(chunks[0].rows());
      double sum = 0.0;
      for (std::size_t age = 0; age < chunks.size(); ++age) {
        const double weight = std::exp(-0.02 * static_cast<double>(age));
        action += weight * chunks[age].col(static_cast<Eigen::Index>(age));
        sum += weight;
      }
      action /= sum;
      for (std::size_t h = 0; h < 2; ++h) {
        const auto column = std::ranges::find(policy.columns, kHands[h] + ".x");
        const Pose to = pose_of(action.segment<9>(column - policy.columns.begin()));
        board.from[h] =
            board.set ? board.to[h] : test::reference_of(session, kHands[h]).motion().pose.X_WE;
        board.to[h] = to;
      }
      board.first = session.ticks();
      if (!board.set) begin = hand(session);
      board.set = true;
    }
    session.tick();
    if (board.set) moved = std::max(moved, (hand(session) - begin).norm());
    held = height(session) > kLifted ? held + 1 : 0;
  }
  return held >= 1000;
}

TEST(PolicyRun, FittedToScriptedGrabsItGrabs) {
  const std::filesystem::path source(HANDSPAN_SOURCE_DIR);
  const auto python = source / ".deps/venv/bin/python";
  if (!std::filesystem::exists(python)) GTEST_SKIP() << "no Python in .deps";
  const Grabs grabs;
  const int demonstrations = test::sized(80), runs = test::sized(20);
  const bool all = demonstrations == 80;
  DemonstrationOptions with;
  DatasetOptions set;
  const auto file = grabs.folder() / "grabs.hdf5";
  const auto writer = hdf5_dataset(file, set);
  Demonstrations made(parts(), with);
  int good = 0;
  for (int i = 0; i < demonstrations; ++i) {
    const auto log_file = grabs.folder() / fmt::format("{}.mcap", i);
    good += demonstrate(grabs.app(static_cast<std::uint64_t>(i), false), log_file) ? 1 : 0;
    LogFile log(log_file);
    made.add(log, [&](Demonstration&& demo) { writer->add(std::move(demo), made.layout()); });
    std::filesystem::remove(log_file);
  }
  writer->close();
  EXPECT_GE(good, demonstrations * 9 / 10);
  for (const auto& remark : made.remarks()) ADD_FAILURE() << remark;
  const auto weights = grabs.folder() / "policy.json";
  const std::string fit = fmt::format("{} {} {} {} {}", python.string(),
                                      (source / "tests/export/fit_policy.py").string(),
                                      file.string(), weights.string(), all ? 80 : 20);
  ASSERT_EQ(std::system(fit.c_str()), 0);
  const Policy policy(weights);
  int grabbed = 0;
  double moved = 0.0;  // of a measured hand, the farthest [m]
  for (int run = 0; run < runs; ++run) {
    const bool lifted =
        drive(grabs.app(1000 + static_cast<std::uint64_t>(run), true), policy, moved);
    grabbed += lifted ? 1 : 0;
  }
  fmt::print("{} of {} demonstrations good; the policy grabs {} of {}\n", good, demonstrations,
             grabbed, runs);
  // a twentieth of the demonstrations teaches nobody to grab: there the fit has to learn, and the
  // policy to move the hands
  EXPECT_GE(moved, 0.02);
  if (all) {
    EXPECT_GE(grabbed, 18);
  }
}

}  // namespace policy_test
}  // namespace handspan
