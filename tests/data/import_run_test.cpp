// Data of ours that come back as they went, and of others that an app's arm does.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "core/config.hpp"
#include "data/data_import.hpp"
#include "data/data_readers.hpp"
#include "data/dataset_exporter.hpp"
#include "data/series.hpp"
#include "log/log_series.hpp"
#include "log/recorder.hpp"
#include "session/session_support.hpp"
#include "support/parts.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace import_run_test {

using test::AppFolder;
using test::kPairArms;
using test::operator_input;
using test::reference_of;

constexpr char kMoves[] = R"(machines:
  left:
    start: move
    states:
      move: {do: [{type: move_to, task: hand, waypoints: [{relative: true, position: [0.0, 0.1, 0.05], rpy: [0.0, 0.3, 0.0]}]}]}
)";

// 1.2 s with two episodes, in full
std::filesystem::path record(const AppFolder& folder) {
  const App app = folder.app(kPairArms + kMoves);
  const auto file = folder.path() / "run.mcap";
  Session session(app);
  RecorderOptions options;
  options.extent = RecordExtent::kFull;
  options.may_wait = true;
  Recorder recorder(session, file, options);
  const std::pair<int, const char*> marks[] = {
      {100, "start"}, {500, "success"}, {600, "start"}, {1100, "failure"}};
  for (int i = 0; i < 1200; ++i) {
    for (const auto& [tick, mark] : marks)
      if (tick == i)
        session.mailbox("operator").post(operator_input(InputKind::kEpisode, mark, "push it"));
    session.tick();
  }
  session.finish();
  EXPECT_TRUE(recorder.close());
  return file;
}

// what a data set was made of
struct Exported {
  DemonstrationLayout layout;
  std::vector<Demonstration> demos;
};

Exported export_to(DatasetWriter& writer, const std::filesystem::path& log, ActionFrame frame) {
  DemonstrationOptions with;
  with.frame = frame;
  Demonstrations demonstrations(test_parts(), with);
  LogFile file(log);
  Exported exported;
  demonstrations.add(file, [&](Demonstration&& demo) {
    exported.demos.push_back(demo);
    writer.add(std::move(demo), demonstrations.layout());
  });
  writer.close();
  exported.layout = demonstrations.layout();
  return exported;
}

// without YAML
std::filesystem::path import(const std::filesystem::path& data, const std::filesystem::path& out) {
  const auto reader = open_data(data, test_parts().of<DataReaderRegistry>());
  const auto plan = reader->plan();
  EXPECT_TRUE(plan) << data;
  if (plan) import_data(*reader, *plan, reader_for(data), out);
  return out;
}

// a pose's seven numbers as a turn has them: of length 1 (what is measured is rounded), and with
// w >= 0
std::vector<double> upright(std::vector<double> x) {
  const Eigen::Vector4d q = xyzw_from_quaternion(quaternion_from_xyzw({x[3], x[4], x[5], x[6]}));
  std::copy_n(q.data(), 4, x.begin() + 3);
  return x;
}

std::vector<double> channel_pose(const Pose& X) {
  const Eigen::Quaterniond q = X.quaternion();
  return {X.p.x(), X.p.y(), X.p.z(), q.x(), q.y(), q.z(), q.w()};
}

// rows of a channel as they are and as they were, episode after episode
void compare_rows(const LogFile& log, const std::string& channel,
                  const std::vector<std::vector<double>>& was, Nanoseconds after_start,
                  double tolerance) {
  const auto all = series_of(log, {channel});
  const Series& is = all.front();
  ASSERT_EQ(is.stamps.size(), was.size()) << channel;
  for (std::size_t row = 0; row < was.size(); ++row) {
    const std::size_t n = was[row].size();
    ASSERT_EQ(is.columns.size(), n) << channel;
    std::vector<double> values(is.values.begin() + static_cast<std::ptrdiff_t>(row * n),
                               is.values.begin() + static_cast<std::ptrdiff_t>((row + 1) * n));
    if (is.type == ChannelType::kPose) values = upright(values);
    const auto expected = is.type == ChannelType::kPose ? upright(was[row]) : was[row];
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR(values[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i])))
          << channel << " row " << row << " element " << i;
  }
  // an episode begins with its first action
  const Nanoseconds start = log.episodes()[0].start * log.base_period();
  EXPECT_EQ(is.stamps.front(), start - 50'000'000 + after_start) << channel;
  EXPECT_EQ(is.stamps[1] - is.stamps[0], 50'000'000) << channel;
}

// everything that was measured and asked for
void compare(const Exported& was, const std::filesystem::path& file, double tolerance) {
  const LogFile is(file);
  const auto episodes = is.episodes();
  ASSERT_EQ(episodes.size(), 2U);
  EXPECT_EQ(episodes[0].task, "push it");
  EXPECT_EQ(episodes[0].outcome, "success");
  EXPECT_EQ(episodes[1].outcome, "failure");
  const auto rows_of = [&](auto part, std::size_t n) {
    std::vector<std::vector<double>> rows;
    for (const Demonstration& demo : was.demos)
      for (std::size_t k = 0; k < demo.rows; ++k) {
        const auto at = part(demo).begin() + static_cast<std::ptrdiff_t>(k * n);
        rows.emplace_back(at, at + static_cast<std::ptrdiff_t>(n));
      }
    return rows;
  };
  for (std::size_t o = 0; o < was.layout.observations.size(); ++o) {
    const ObservationInfo& info = was.layout.observations[o];
    compare_rows(is, info.channel,
                 rows_of([&](const auto& demo) -> auto& { return demo.observations[o]; },
                         info.columns.size()),
                 0, tolerance);
  }
  for (std::size_t a = 0; a < was.layout.actions.size(); ++a) {
    const ActionPart& part = was.layout.actions[a];
    auto rows =
        rows_of([&](const auto& demo) -> auto& { return demo.absolute[a]; }, part.columns.size());
    if (part.kind == ActionPart::Kind::kPose)
      for (auto& row : rows) row = channel_pose(pose_of(PoseNumbers::Map(row.data())));
    compare_rows(is, part.channel, rows, 50'000'000, tolerance);
  }
  // groups, tools and objects; the hand and the cup
  EXPECT_GE(was.layout.observations.size(), 8U);
  EXPECT_EQ(was.layout.actions.size(), 2U);
}

TEST(ImportRun, WhatExportWroteComesBackTheSame) {
  const AppFolder folder;
  const auto log = record(folder);
  const auto hdf5 = folder.path() / "run.hdf5", lerobot = folder.path() / "set",
             relative = folder.path() / "relative";
  const Exported of_hdf5 = export_to(*hdf5_dataset(hdf5, {}), log, ActionFrame::kAbsolute);
  compare(of_hdf5, import(hdf5, folder.path() / "hdf5.mcap"), 1e-12);
  // LeRobot has floats of 24 bits
  const Exported of_lerobot = export_to(*lerobot_dataset(lerobot, {}), log, ActionFrame::kAbsolute);
  compare(of_lerobot, import(lerobot, folder.path() / "lerobot.mcap"), 1e-6);
  DatasetOptions of_tool;
  of_tool.frame = ActionFrame::kRelative;
  const Exported of_relative =
      export_to(*lerobot_dataset(relative, of_tool), log, ActionFrame::kRelative);
  compare(of_relative, import(relative, folder.path() / "relative.mcap"), 1e-6);
  // what was scaled to [-1, 1] is taken back, where it is asked for
  const auto reader = open_data(hdf5, test_parts().of<DataReaderRegistry>());
  const auto actions = reader->values(0, "actions"),
             position = reader->values(0, "action_dict/hand_abs_pos");
  const std::size_t columns = 3 * actions.size() / position.size();
  for (std::size_t k = 0; 3 * k < position.size(); ++k)
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(actions[columns * k + i], position[3 * k + i], 1e-12);
}

TEST(ImportRun, ALogOfAnImportSaysThatItCannotBeRunAgain) {
  const AppFolder folder;
  const auto hdf5 = folder.path() / "run.hdf5";
  export_to(*hdf5_dataset(hdf5, {}), record(folder), ActionFrame::kAbsolute);
  LogFile log(import(hdf5, folder.path() / "in.mcap"));
  try {
    log.app(test_parts());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("it was imported from run.hdf5 and has no app"),
              std::string::npos)
        << error.what();
  }
}

// writes the demonstrations of write_others.py that set out from where the hand is
std::string write_others(const std::string& kind, const std::filesystem::path& out, const Pose& X) {
  const std::filesystem::path source(HANDSPAN_SOURCE_DIR);
  const Eigen::Quaterniond q = X.quaternion();
  const std::string command = fmt::format(
      "{} {} {} {} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g} 2>&1",
      (source / ".deps/venv/bin/python").string(), (source / "tests/data/write_others.py").string(),
      kind, out.string(), X.p.x(), X.p.y(), X.p.z(), q.x(), q.y(), q.z(), q.w());
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), n);
  EXPECT_EQ(pclose(pipe), 0) << text;
  return text;
}

struct ImportFile : ImportPlan {
  DataReaderRegistry::Part from;
};

constexpr char kFrame[] = R"(
task: push it
frame: {position: [0.1, 0.2, 0.3], rpy: [0, 0, 90 deg]}
channels:
  reference.hand.pose:
    tool: {position: [0, 0, 0.1]}
)";

const std::map<std::string, std::string> kOthers = {
    {"robomimic", std::string("from: {type: robomimic, file: others.hdf5}") + kFrame +
                      "    position: {columns: [obs/robot0_eef_pos], unit: m}\n"
                      "    rotation: {columns: [obs/robot0_eef_quat], as: xyzw}\n"},
    {"lerobot", std::string("from: {type: lerobot, folder: others}") + kFrame +
                    "    position: {columns: [\"observation.state[0:3]\"], unit: mm}\n"
                    "    rotation: {columns: [\"action[rx]\", \"action[ry]\", \"action[rz]\"], as: "
                    "rotation_vector, unit: deg}\n"},
    {"csv", std::string("from: {type: csv, file: others.csv, separator: ;, episode: demo}\ntime: "
                        "{column: \"t [ms]\", unit: ms}") +
                kFrame +
                "    position: {columns: [\"x [mm]\", \"y [mm]\", \"z [mm]\"], unit: mm}\n"
                "    rotation: {columns: [r11, r12, r13, r21, r22, r23, r31, r32, r33], as: "
                "matrix}\n"}};

std::string import_others(const AppFolder& folder, const std::string& kind) {
  std::ofstream(folder.path() / "others.yaml") << kOthers.at(kind);
  const auto file = load_yaml(
      folder.path() / "others.yaml",
      import_object<ImportFile>("ImportData")
          .required("from", &ImportFile::from, test_parts().of<DataReaderRegistry>().schema()));
  const auto reader = file.from.make();
  import_data(*reader, file, kind, folder.path() / (kind + ".mcap"));
  return kind + ".mcap";
}

Pose measured_hand(Session& session) {
  const ChannelTable& table = session.channels();
  const auto x = table.numbers(table.find("measured.hand.pose"));
  return pose_of_channel({x.data(), 7});
}

// the tool that is measured follows the second one, half as far, and then the first one
TEST(ImportRun, AnArmDoesWhatOthersRecorded) {
  const AppFolder folder;
  std::string arms = kPairArms;
  const std::string commanded = "left.arm: {feedback: commanded}";
  arms.replace(arms.find(commanded), commanded.size(), "left.arm: {feedback: measured}");
  Pose X_WE;
  {
    const App app = folder.app(arms +
                               "machines: {m: {start: s, states: {s: {do: [{type: hold, "
                               "tasks: [hand]}]}}}}\n");
    Session session(app);
    session.tick();
    X_WE = reference_of(session, "hand").motion().pose.X_WE;
  }
  const std::map<std::string, std::string> outputs = {
      {"robomimic", "others.hdf5"}, {"lerobot", "others"}, {"csv", "others.csv"}};
  for (const auto& [kind, output] : outputs) {
    SCOPED_TRACE(kind);
    write_others(kind, folder.path() / output, X_WE);
    const std::string log = import_others(folder, kind);
    const auto state = [&](const char* name, int episode, const char* next) {
      return fmt::format(
          "      {}: {{do: [{{type: replay_reference, task: hand, log: {}, episode: {}}}], next: "
          "[{{to: {}, when: [{{type: done}}]}}]}}\n",
          name, log, episode, next);
    };
    const App app = folder.app(
        arms + "machines:\n  m:\n    start: half\n    states:\n" + state("half", 2, "rest") +
            "      rest: {do: [{type: hold, tasks: [hand]}], next: [{to: whole, when: [{type: "
            "after, time: 0.5 s}]}]}\n" +
            state("whole", 1, "end") +
            "      end: {do: [{type: hold, tasks: [hand]}], next: [{to: over, when: [{type: after, "
            "time: 0.5 s}]}]}\n      over: {final: true}\n",
        "does");
    Session session(app);
    double half = INFINITY;
    while (!session.ended() && session.now() < 30 * kSecond) {
      session.tick();
      if (session.machines()[0].current_name() == "rest")
        half = (measured_hand(session).p - X_WE.p - Eigen::Vector3d(0.0, 0.04, 0.025)).norm();
    }
    ASSERT_TRUE(session.ended());
    EXPECT_LT(half, 0.003);
    const Pose end = measured_hand(session);
    EXPECT_LT((end.p - X_WE.p - Eigen::Vector3d(0.0, 0.08, 0.05)).norm(), 0.003);
    const Eigen::Matrix3d R = exp_so3(Eigen::Vector3d(0, 0, 0.2)) * X_WE.R;
    EXPECT_LT(log_so3(end.R * R.transpose()).norm(), 0.02);
  }
}

}  // namespace import_run_test
}  // namespace handspan
