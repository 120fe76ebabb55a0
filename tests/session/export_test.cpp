#include "session/export.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <sstream>

#include "session/recorder.hpp"
#include "session_support.hpp"

namespace handspan {
namespace {

using test::AppFolder;
using test::kPairArms;

// a log of 1.5 s with the given marks of episodes at ticks
LogFile recorded(const AppFolder& folder, const std::vector<std::pair<int, std::string>>& marks,
                 RecordExtent extent = RecordExtent::kFull) {
  const App app = folder.app(kPairArms + R"(modes:
  left:
    start: move
    states:
      move: {do: [{type: move_to, task: hand, waypoints: [{relative: true, position: [0.0, 0.1, 0.0]}]}]}
)");
  const auto file = folder.path() / "run.mcap";
  Session session(app);
  RecorderOptions options;
  options.extent = extent;
  options.may_wait = true;
  Recorder recorder(session, file, options);
  for (int i = 0; i < 1500; ++i) {
    for (const auto& [tick, mark] : marks)
      if (tick == i)
        session.mailbox("operator")
            .post(test::operator_input(InputKind::kEpisode, mark, "say \"a, b\""));
    session.tick();
  }
  session.finish();
  EXPECT_TRUE(recorder.close());
  return LogFile(file);
}

std::vector<std::vector<std::string>> table(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

const Series& named(const std::vector<Series>& all, const std::string& name) {
  for (const auto& s : all)
    if (s.name == name) return s;
  ADD_FAILURE() << name;
  return all.front();
}

TEST(Export, CsvHasEveryValueToTheLastBit) {
  const AppFolder folder;
  const LogFile log = recorded(folder, {{100, "start"}, {900, "success"}});
  const int files = export_csv(log, folder.path() / "csv");
  const auto series = series_of(log);
  EXPECT_EQ(files, static_cast<int>(series.size()) + 3);
  const Series& q = named(series, "left.arm.q");
  EXPECT_EQ(q.columns.size(), 7U);
  EXPECT_EQ(q.ticks.size(), 1501U);
  const auto rows = table(folder.path() / "csv/left.arm.q.csv");
  ASSERT_EQ(rows.size(), 1502U);
  EXPECT_EQ(rows[0][3], "left.joint1 [rad]");
  for (std::size_t r = 0; r < q.ticks.size(); r += 97) {
    EXPECT_EQ(std::stoll(rows[r + 1][0]), q.ticks[r]);
    for (std::size_t c = 0; c < 7; ++c)
      EXPECT_EQ(std::stod(rows[r + 1][3 + c]), q.values[7 * r + c]);
  }
  const auto pose = table(folder.path() / "csv/reference.hand.pose.csv");
  EXPECT_EQ(pose[0][9], "qw");
  const auto episodes = table(folder.path() / "csv/episodes.csv");
  ASSERT_EQ(episodes.size(), 2U);
  EXPECT_EQ(episodes[1][0], "100");
  EXPECT_EQ(episodes[1][4], "success");
  // quoted as RFC 4180 has it
  std::ifstream in(folder.path() / "csv/episodes.csv");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  EXPECT_NE(text.find("\"say \"\"a, b\"\"\""), std::string::npos) << text;
}

TEST(Export, Hdf5HasRobomimicsLayoutWithTheLatestValueAtEachSample) {
  const AppFolder folder;
  const LogFile log =
      recorded(folder, {{100, "start"}, {500, "discard"}, {600, "start"}, {1100, "success"}});
  const auto file = folder.path() / "run.hdf5";
  EXPECT_EQ(export_hdf5(log, file, {Rate::hz(30), false}), 1);
  const hid_t h5 = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(h5, 0);
  const auto read = [&](const std::string& path) {
    const hid_t set = H5Dopen2(h5, path.c_str(), H5P_DEFAULT), space = H5Dget_space(set);
    std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Sclose(space);
    H5Dclose(set);
    return values;
  };
  const auto times = read("/data/demo_0/time");
  // 0.5 s from tick 600 on, both ends included
  ASSERT_EQ(times.size(), 16U);
  const auto series = series_of(log);
  const Series& q = named(series, "left.arm.q");
  const auto obs = read("/data/demo_0/obs/left.arm.q");
  for (std::size_t k = 0; k < times.size(); ++k) {
    const auto tick = 600 + tick_of(static_cast<std::int64_t>(k), Rate::hz(30), 1'000'000);
    EXPECT_EQ(times[k], seconds(tick * 1'000'000));
    // in full every tick has its row
    for (std::size_t c = 0; c < 7; ++c)
      EXPECT_EQ(obs[7 * k + c], q.values[7 * static_cast<std::size_t>(tick) + c]);
  }
  EXPECT_EQ(read("/data/demo_0/rewards").back(), 1.0);
  EXPECT_EQ(read("/data/demo_0/dones").back(), 1.0);
  EXPECT_EQ(read("/data/demo_0/dones").front(), 0.0);
  // 7 torques, 6 velocities, suction
  EXPECT_EQ(read("/data/demo_0/actions").size(), 14U * 16U);
  std::int64_t total = 0;
  const hid_t attribute = H5Aopen_by_name(h5, "/data", "total", H5P_DEFAULT, H5P_DEFAULT);
  H5Aread(attribute, H5T_NATIVE_INT64, &total);
  H5Aclose(attribute);
  EXPECT_EQ(total, 16);
  H5Fclose(h5);
  EXPECT_EQ(export_hdf5(log, file, {Rate::hz(20), true}), 2);
}

TEST(Export, ErrorsHaveCauseAndMend) {
  const AppFolder folder;
  const LogFile log = recorded(folder, {{100, "start"}, {500, "discard"}}, RecordExtent::kDefault);
  const auto error = [&](auto run) {
    try {
      run();
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(error([&] {
              export_hdf5(log, folder.path() / "x.hdf5", {Rate::hz(100), false});
            }).find("it was recorded at 60 Hz and 100 Hz are asked for"),
            std::string::npos);
  EXPECT_NE(error([&] {
              export_hdf5(log, folder.path() / "x.hdf5", {});
            }).find("all episodes are discarded"),
            std::string::npos);
  EXPECT_NE(error([&] {
              export_hdf5(log, folder.path(), {Rate::hz(20), true});
            }).find("cannot be written"),
            std::string::npos);
  EXPECT_NE(error([&] { export_csv(log, folder.path() / "scene.yaml"); }).find("cannot be written"),
            std::string::npos);
}

}  // namespace
}  // namespace handspan
