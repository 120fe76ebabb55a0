// Data of others as channels: units, frames, layouts of rotations, times; and what is refused.
#include "data/data_import.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "core/config.hpp"
#include "data/data_readers.hpp"
#include "data/data_rotation.hpp"
#include "log/log_series.hpp"
#include "log/logged_demonstration.hpp"
#include "record/hdf5_file.hpp"
#include "record/parquet_file.hpp"
#include "support/parts.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace data_import_test {

struct ImportFile : ImportPlan {
  DataReaderRegistry::Part from;
};

class Import : public ::testing::Test {
 protected:
  // the log of an import that is said so
  std::filesystem::path import(const std::string& yaml) {
    folder_.write("what.yaml", yaml);
    const auto file = load_yaml(
        folder_.path() / "what.yaml",
        import_object<ImportFile>("ImportData")
            .required("from", &ImportFile::from, test_parts().of<DataReaderRegistry>().schema()));
    const auto reader = file.from.make();
    import_data(*reader, file, file.from.name, folder_.path() / "out.mcap");
    return folder_.path() / "out.mcap";
  }
  std::string error(const std::string& yaml) {
    std::string text = "no error";
    try {
      import(yaml);
    } catch (const InputError& error) {
      text = error.what();
    }
    const std::string path = folder_.path().string() + "/";
    for (std::size_t at; (at = text.find(path)) != std::string::npos;) text.erase(at, path.size());
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out.mcap.part"));
    return text;
  }
  template <class T>
  std::vector<SeriesRow<T>> series(const std::string& channel) {
    return read_series<T>(ChannelLog(folder_.path() / "out.mcap"), channel, {});
  }

  test::TemporaryFolder folder_;
};

const std::string kTable =
    "demo,t,x [mm],y,z,qw,qx,qy,qz,grip\r\n"
    "a,0,100,0.2,0.3,1,0,0,0,0\r\n"
    "a,50,200,0.2,0.3,0.7071067811865476,0,0,0.7071067811865476,1\r\n"
    "a,150,300,0.2,0.3,0,0,0,1,1\r\n"
    "b,10,400,0.2,0.3,1,0,0,0,0\r\n"
    "b,60,500,0.2,0.3,1,0,0,0,0\r\n";

const std::string kPlan = R"(from: {type: csv, file: demo.csv, episode: demo}
time: {column: t, unit: ms}
task: push it
outcome: success
frame: {position: [1, 0, 0], rpy: [0, 0, 90 deg]}
channels:
  reference.hand.pose:
    position: {columns: ["x [mm]", y, z], unit: m}
    rotation: {columns: [qw, qx, qy, qz], as: wxyz}
    tool: {position: [0, 0, 0.1]}
  left.gripper.command:
    values:
      - {columns: [grip], unit: mm, scale: 80}
      - {constant: [0.1], unit: m/s}
      - {constant: [20], unit: N}
)";

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(Import, UnitsFramesAndTimesAreThoseThatWereStated) {
  folder_.write("demo.csv", kTable);
  // x in millimetres, the others in metres: columns of one part have one unit
  const std::string plan =
      with(kPlan, "columns: [\"x [mm]\", y, z], unit: m", "columns: [\"x [mm]\", y, z], unit: mm");
  const LogFile log(import(plan));
  EXPECT_EQ(log.imported(), "demo.csv");
  const auto episodes = log.episodes();
  ASSERT_EQ(episodes.size(), 2U);
  EXPECT_EQ(episodes[0].task, "push it");
  EXPECT_EQ(episodes[1].outcome, "success");
  EXPECT_NE(episodes[1].remark.find("demo b"), std::string::npos);
  EXPECT_EQ((episodes[0].end - episodes[0].start) * log.base_period(), 150'000'000);
  EXPECT_TRUE(log.damage().empty());
  const auto poses = series<LoggedPose>("reference.hand.pose");
  ASSERT_EQ(poses.size(), 5U);
  EXPECT_EQ(poses[2].time - poses[0].time, 150'000'000);
  EXPECT_EQ(poses[0].time, poses[0].stamp);
  // x of D is y of W
  EXPECT_LT((poses[0].value.p - Eigen::Vector3d(1.0 - 0.2e-3, 0.1, 0.3e-3 + 0.1)).norm(), 1e-15);
  const Eigen::AngleAxisd turned(poses[1].value.q);
  EXPECT_NEAR(turned.angle(), M_PI, 1e-12);
  EXPECT_NEAR(std::abs(turned.axis().z()), 1.0, 1e-12);
  const auto commands = series<Eigen::VectorXd>("left.gripper.command");
  ASSERT_EQ(commands.size(), 5U);
  EXPECT_EQ(commands[1].value, Eigen::Vector3d(0.08, 0.1, 20.0));
  const auto query = all_of(ChannelLog(folder_.path() / "out.mcap"));
  EXPECT_EQ(query.poses, std::vector<std::string>{"reference.hand.pose"});
  EXPECT_EQ(query.commands, std::vector<std::string>{"left.gripper"});
}

TEST_F(Import, EpisodesAreChosenAndActionsHoldAtTheEndOfTheirRows) {
  folder_.write("demo.csv", kTable);
  std::string plan = with(kPlan, "    tool:", "    at: next_row\n    tool:") + "episodes: [2]\n";
  const LogFile log(import(plan));
  ASSERT_EQ(log.episodes().size(), 1U);
  const auto poses = series<LoggedPose>("reference.hand.pose");
  const auto commands = series<Eigen::VectorXd>("left.gripper.command");
  ASSERT_EQ(poses.size(), 2U);
  EXPECT_EQ(poses[0].time - commands[0].time, 50'000'000);
  EXPECT_EQ(poses[1].time - commands[1].time, 50'000'000);
  // it begins when both are there
  EXPECT_EQ(log.episodes()[0].start * log.base_period(), poses[0].time);
  // what was commanded before it holds at its beginning
  const LoggedDemonstration demonstration =
      read_demonstration(folder_.path() / "out.mcap",
                         {"1", 0.0, {}, {"reference.hand.pose"}, {"left.gripper"}, {}, {}});
  EXPECT_NEAR(demonstration.length, 0.05, 1e-12);
  EXPECT_EQ(demonstration.commands[0].values.size(), 1U);
}

TEST_F(Import, APoseMayBeRelativeToAnotherOfItsRow) {
  folder_.write("demo.csv", kTable);
  import(R"(from: {type: csv, file: demo.csv, episode: demo}
rate: 20 Hz
frame: {position: [0, 0, 1]}
channels:
  measured.hand.pose:
    position: {columns: ["x [mm]", y, z], unit: mm}
    rotation: {columns: [qw, qx, qy, qz], as: wxyz}
  reference.hand.pose:
    position: {constant: [0.01, 0, 0], unit: m}
    rotation: {fixed: [0, 0, 90 deg]}
    relative_to: measured.hand.pose
)");
  const auto measured = series<LoggedPose>("measured.hand.pose"),
             reference = series<LoggedPose>("reference.hand.pose");
  ASSERT_EQ(reference.size(), 5U);
  for (std::size_t k = 0; k < 5; ++k) {
    const Eigen::Vector3d step =
        measured[k].value.q.conjugate() * (reference[k].value.p - measured[k].value.p);
    EXPECT_LT((step - Eigen::Vector3d(0.01, 0, 0)).norm(), 1e-12);
    EXPECT_NEAR(measured[k].value.q.angularDistance(reference[k].value.q), M_PI / 2, 1e-7);
  }
  EXPECT_NEAR(measured[0].value.p.z(), 1.0003, 1e-12);
}

TEST(DataRotation, EveryLayoutIsTheSameTurn) {
  const Eigen::Matrix3d R = rotation_from_rpy({0.3, -0.4, 1.2});
  const Eigen::Quaterniond q(R);
  const Eigen::Vector3d phi = log_so3(R);
  const Eigen::Vector3d x = R.col(0), y = R.col(1), r1 = R.row(0), r2 = R.row(1), r3 = R.row(2);
  const std::pair<RotationLayout, std::vector<double>> all[] = {
      {RotationLayout::kXyzw, {q.x(), q.y(), q.z(), q.w()}},
      {RotationLayout::kWxyz, {-q.w(), -q.x(), -q.y(), -q.z()}},
      {RotationLayout::kRotationVector, {phi.x(), phi.y(), phi.z()}},
      {RotationLayout::kRpy, {0.3, -0.4, 1.2}},
      {RotationLayout::kRows6d, {r1.x(), r1.y(), r1.z(), r2.x(), r2.y(), r2.z()}},
      {RotationLayout::kColumns6d, {x.x(), x.y(), x.z(), y.x(), y.y(), y.z()}},
      {RotationLayout::kMatrix,
       {r1.x(), r1.y(), r1.z(), r2.x(), r2.y(), r2.z(), r3.x(), r3.y(), r3.z()}}};
  for (const auto& [layout, numbers] : all) {
    std::string fault;
    ASSERT_EQ(rotation_size(layout), numbers.size());
    const auto is = rotation_of(layout, numbers, fault);
    ASSERT_TRUE(is) << fault;
    EXPECT_LT((*is - R).norm(), 1e-14) << static_cast<int>(layout);
  }
  std::string fault;
  EXPECT_FALSE(rotation_of(RotationLayout::kXyzw, std::vector<double>{0, 0, 0, 0}, fault));
  EXPECT_NE(fault.find("the norm 0"), std::string::npos);
  EXPECT_FALSE(rotation_of(RotationLayout::kRows6d, std::vector<double>{1, 0, 0, 1, 0, 0}, fault));
  EXPECT_NE(fault.find("product 1"), std::string::npos);
  EXPECT_FALSE(
      rotation_of(RotationLayout::kMatrix, std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, -1}, fault));
  EXPECT_NE(fault.find("mirror image"), std::string::npos);
}

TEST_F(Import, WhatTheFileCannotGiveIsToldAtItsLine) {
  folder_.write("demo.csv", kTable);
  const auto expect = [&](const std::string& from, const std::string& to, const std::string& text) {
    const std::string is = error(with(kPlan, from, to));
    EXPECT_NE(is.find(text), std::string::npos) << is << "\nlacks: " << text;
  };
  expect("qx, qy", "qx, gy", "what.yaml:9: demo.csv has no column 'gy'; did you mean 'qy'?");
  expect("[\"x [mm]\", y, z]", "[position]",
         "what.yaml:8: demo.csv has no column 'position'; it has: demo (1), t (1), x [mm] (1)");
  expect("\"x [mm]\", y, z", "\"x [mm]\", y", "what.yaml:8: position has 2 numbers a row");
  expect("\"x [mm]\", y, z", "\"x [mm]\", y, demo", "the column 'demo' of demo.csv is text");
  expect("\"x [mm]\", y, z", "\"x [mm]\", y, \"z[1]\"",
         "has no element '1'; it has 1 numbers a row");
  expect("unit: m}", "unit: furlong}", "is 'furlong'; it must be a unit such as m, mm");
  expect("unit: m}", "unit: deg}", "it must be a unit that converts to m");
  expect("as: wxyz", "as: rotation_vector", "has no unit; say rad or deg");
  expect("as: wxyz", "as: matrix",
         "what.yaml:9: rotation has 4 numbers a row; such a rotation (`as`) has 9");
  expect("as: wxyz", "as: wyxz", "did you mean 'wxyz'?");
  expect("as: wxyz", "as: rows_6d", "has 6");
  expect("time: {column: t, unit: ms}", "rate: 0 Hz", "must be > 0");
  expect("time: {column: t, unit: ms}\n", "",
         "nothing says when the rows of demo.csv were; give `rate: 20 Hz`");
  expect("time: {column: t", "time: {column: grip", "times must rise");
  expect("unit: ms", "unit: mm", "converts to s");
  expect("task: push it", "episodes: [3]", "has 3, and demo.csv has 2 episodes; count them from 1");
  expect("task: push it", "episodes: [2, 2]", "has 2 twice");
  expect("episode: demo}", "episode: dmo}", "demo.csv has no column 'dmo'; did you mean 'demo'?");
  expect("file: demo.csv, ", "", "names no file; give `file`, `files`");
  expect("type: csv", "type: cvs", "did you mean 'csv'?");
  expect("  left.gripper.command", "  handspan.events", "is no name of a channel");
  expect("      - {constant: [20], unit: N}", "      - {unit: N}",
         "has neither columns nor a constant");
}

TEST_F(Import, BadTablesAreToldWithFileAndLine) {
  const auto expect = [&](const std::string& table, const std::string& text) {
    folder_.write("demo.csv", table);
    const std::string is = error(with(kPlan, "unit: m}", "unit: mm}"));
    EXPECT_NE(is.find(text), std::string::npos) << is << "\nlacks: " << text;
  };
  expect(with(kTable, "a,50,200", "a,50,nan"),
         "demo.csv:3: the column 'x [mm]' has no number (NaN) there");
  expect(with(kTable, "a,50,200", "a,50,"), "demo.csv:3: the column 'x [mm]' has no number (NaN)");
  expect(with(kTable, "a,50,200", "a,50,inf"), "has an infinite number there");
  expect(with(kTable, "a,50,200", "a,50,1O0"), "the column 'x [mm]' of demo.csv is text");
  expect(with(kTable, "a,50,200,0.2", "a,50,200"),
         "demo.csv:3: it has 9 cells, and the head has 10");
  expect(with(kTable, "b,60,500", "\"b,60,500"), "a quotation mark is not closed");
  expect(with(kTable, "qw", "z"), "demo.csv:1: its head has 'z' twice");
  expect(with(kTable, "0.7071067811865476,0,0,0.7", "0.7,0,0,0.9"),
         "demo.csv:3: its quaternion has the norm 1.146, and not 1 (qw, qx, qy, qz)");
  expect(with(kTable, "b,10", "a,10"),
         "demo.csv:5: its time (10) is not after that of the row before");
  expect(with(kTable, "b,60", "a,60"), "episode 'a' of the column 'demo' goes on here");
  expect(with(kTable, "b,60,", "c,60,"), "has 1 row, and 2 are the fewest");
  expect("", "demo.csv: it is empty");
  expect("1,2,3\r\n4,5,6\r\n", "its first line has numbers");
  expect(kTable.substr(0, kTable.find("\r\n") + 2), "there is nothing to import");
  expect(kTable.substr(0, kTable.size() - 9), "demo.csv:6: it has");
}

TEST_F(Import, SeriesOfUnequalLengthAreRefused) {
  const auto write = [&](std::size_t rows, std::size_t others) {
    Hdf5File file(folder_.path() / "a.hdf5");
    file.group("/data");
    file.group("/data/demo_0");
    file.matrix("/data/demo_0/p", std::vector<double>(3 * rows, 0.1), 3);
    file.matrix("/data/demo_0/phi", std::vector<double>(3 * others, 0.1), 3);
    file.close();
  };
  const std::string plan = R"(from: {type: robomimic, file: a.hdf5}
rate: 20
channels:
  reference.hand.pose: {position: {columns: [p], unit: m}, rotation: {columns: [phi], as: rotation_vector, unit: rad}}
)";
  write(5, 4);
  EXPECT_NE(
      error(plan).find("a.hdf5: in demo_0 the column 'phi' has 4 rows and 'p' has 5; series of "
                       "an episode must be of equal length"),
      std::string::npos)
      << error(plan);
  write(0, 0);
  EXPECT_NE(error(plan).find("demo_0 has 0 rows, and 2 are the fewest"), std::string::npos)
      << error(plan);
  write(5, 5);
  EXPECT_EQ(error(plan), "no error");
  EXPECT_NE(error(with(plan, "[p]", "[\"p[0:4]\"]")).find("has no element '0:4'"),
            std::string::npos);
  EXPECT_NE(error(with(plan, "robomimic, file: a.hdf5", "hdf5, file: a.hdf5, groups: dota/demo_*"))
                .find("it has no group /dota; did you mean"),
            std::string::npos);
  EXPECT_NE(error(with(plan, "file: a.hdf5", "file: a.hdf5, filter: train"))
                .find("/mask/train is not there"),
            std::string::npos);
}

TEST_F(Import, LerobotOfAnotherVersionOrWithoutItsPartsIsRefused) {
  const std::string info = R"({"codebase_version": "v3.0", "fps": 20,
 "data_path": "data/file-{file_index:03d}.parquet", "features": {"action": {"dtype": "float32", "shape": [1], "names": null}}})";
  const std::string plan = R"(from: {type: lerobot, folder: set}
channels: {left.gripper.command: {values: [{columns: [action], unit: m}]}}
)";
  std::filesystem::create_directories(folder_.path() / "set/meta/episodes");
  std::filesystem::create_directories(folder_.path() / "set/data");
  const auto expect = [&](const std::string& json, const std::string& text) {
    folder_.write("set/meta/info.json", json);
    const std::string is = error(plan);
    EXPECT_NE(is.find(text), std::string::npos) << is << "\nlacks: " << text;
  };
  EXPECT_NE(error(plan).find("has no meta/info.json"), std::string::npos);
  expect("{", "it is not JSON");
  expect(with(info, "v3.0", "v2.1"), "its version is 'v2.1', and v3.0 is read");
  expect(with(info, "20", "\"20\""), "does not say its 'fps'");
  expect(with(info, "data/file", "../../file"), "leads out of the folder");
  expect(with(info, "[1]", "[-1]"), "the shape of its feature 'action' is [-1]");
  expect(info, "it has no Parquet files");
  const auto episodes = folder_.path() / "set/meta/episodes/file-000.parquet",
             rows = folder_.path() / "set/data/file-000.parquet";
  const auto write = [&](std::int64_t length) {
    const std::vector<std::int64_t> zero{0};
    write_parquet(episodes, {{"episode_index", zero},
                             {"length", std::vector<std::int64_t>{length}},
                             {"data/chunk_index", zero},
                             {"data/file_index", zero}});
  };
  write(3);
  expect(info, "set/data/file-000.parquet: there is no such file");
  write_parquet(rows, {{"episode_index", std::vector<std::int64_t>{0, 0, 0}},
                       {"action", std::vector<float>{0.0F, 0.1F, 0.2F}}});
  expect(info, "no error");
  write(4);
  expect(info, "it has 3 rows of episode 0 one after the other, and meta/episodes says 4");
  // a count that nothing holds takes no memory
  write(900'000'000);
  expect(info, "meta/episodes says 900000000");
  write(-3);
  expect(info, "has -3, which is no count");
}

}  // namespace data_import_test
}  // namespace handspan
