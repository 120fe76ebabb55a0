// Logs for other programs: tables, and data sets read back by the libraries that others read them
// with.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <array>
#include <cstdio>
#include <sstream>

#include "core/config.hpp"
#include "data/csv_export.hpp"
#include "data/dataset_exporter.hpp"
#include "data/row_sampler.hpp"
#include "data/series.hpp"
#include "data/table_export.hpp"
#include "log/logged_plants.hpp"
#include "log/recorder.hpp"
#include "session/session_support.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace export_test {

using test::AppFolder;
using test::kPairArms;

constexpr char kModes[] = R"(machines:
  left:
    start: move
    states:
      move: {do: [{type: move_to, task: hand, waypoints: [{relative: true, position: [0.0, 0.1, 0.05], rpy: [0.0, 0.3, 0.0]}]}]}
)";

using Marks = std::vector<std::pair<int, std::string>>;

// a log of 1.5 s with the given marks of episodes at ticks
std::filesystem::path record(const AppFolder& folder, const Marks& marks,
                             RecordExtent extent = RecordExtent::kDefault,
                             const std::string& name = "run", std::uint64_t seed = 0) {
  // what is left of a task is then against the measured arm
  std::string arms = kPairArms;
  const std::string commanded = "left.arm: {feedback: commanded}";
  arms.replace(arms.find(commanded), commanded.size(), "left.arm: {feedback: measured}");
  App app = folder.app(arms + kModes);
  app.seed = seed;
  const auto file = folder.path() / (name + ".mcap");
  Session session(app);
  RecorderOptions options;
  options.extent = extent;
  options.may_wait = true;
  Recorder recorder(session, file, options);
  for (int i = 0; i < 1500; ++i) {
    for (const auto& [tick, mark] : marks) {
      if (tick != i) continue;
      // from outside of the loop, with the machine's clock
      Input input = test::operator_input(InputKind::kEpisode, mark, "say \"a, b\"");
      input.stamp = steady_now();
      session.mailbox("operator").post(input);
    }
    session.tick();
  }
  session.finish();
  EXPECT_TRUE(recorder.close());
  return file;
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

std::size_t column(const std::vector<std::vector<std::string>>& rows, const std::string& head) {
  const auto found = std::ranges::find(rows.at(0), head);
  if (found == rows[0].end()) {
    ADD_FAILURE() << "no column " << head;
    return 0;
  }
  return static_cast<std::size_t>(found - rows[0].begin());
}

const Series& named(const std::vector<Series>& all, const std::string& name) {
  for (const auto& s : all)
    if (s.name == name) return s;
  ADD_FAILURE() << name;
  return all.front();
}

std::string error_of(auto run) {
  try {
    run();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

// an HDF5 file, read by the library itself
class H5 {
 public:
  explicit H5(const std::filesystem::path& file)
      : file_(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
    EXPECT_GE(file_, 0);
  }
  ~H5() { H5Fclose(file_); }
  std::vector<hsize_t> shape(const std::string& path) const {
    const hid_t set = H5Dopen2(file_, path.c_str(), H5P_DEFAULT), space = H5Dget_space(set);
    std::vector<hsize_t> size(
        static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
    H5Sget_simple_extent_dims(space, size.data(), nullptr);
    H5Sclose(space);
    H5Dclose(set);
    return size;
  }
  std::vector<double> read(const std::string& path) const {
    const hid_t set = H5Dopen2(file_, path.c_str(), H5P_DEFAULT), space = H5Dget_space(set);
    std::vector<double> values(
        static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space))));
    H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Sclose(space);
    H5Dclose(set);
    return values;
  }
  std::vector<double> attribute(const std::string& path, const std::string& name) const {
    const hid_t id = H5Aopen_by_name(file_, path.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Aget_space(id);
    std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    H5Aread(id, H5T_NATIVE_DOUBLE, values.data());
    H5Sclose(space);
    H5Aclose(id);
    return values;
  }
  bool has(const std::string& path) const {
    return H5Lexists(file_, path.c_str(), H5P_DEFAULT) > 0;
  }

 private:
  hid_t file_;
};

// a script of tests/data, by the Python of .deps
std::string python(const std::string& arguments, int& code) {
  const std::filesystem::path source(HANDSPAN_SOURCE_DIR);
  const std::string command = (source / ".deps/venv/bin/python").string() + " " +
                              (source / "tests/data").string() + "/" + arguments + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), n);
  code = pclose(pipe);
  return text;
}

int write(const std::vector<std::filesystem::path>& logs, const DemonstrationOptions& with,
          DatasetWriter& writer, std::vector<std::string>* remarks = nullptr) {
  Demonstrations demonstrations(test_parts(), with);
  int count = 0;
  for (const auto& file : logs) {
    LogFile log(file);
    demonstrations.add(log, [&](Demonstration&& demo) {
      ++count;
      writer.add(std::move(demo), demonstrations.layout());
    });
  }
  writer.close();
  if (remarks != nullptr) *remarks = demonstrations.remarks();
  return count;
}

TEST(Export, CsvHasEveryValueToTheLastBitOnOneTimeBase) {
  const AppFolder folder;
  const LogFile log(record(folder, {{100, "start"}, {900, "success"}}, RecordExtent::kFull));
  const int files = export_csv(log, folder.path() / "csv");
  const auto series = series_of(log);
  EXPECT_EQ(files, static_cast<int>(series.size()) + 3);
  const Series& q = named(series, "left.arm.q");
  EXPECT_EQ(q.columns.size(), 7U);
  EXPECT_EQ(q.ticks.size(), 1501U);
  const auto rows = table(folder.path() / "csv/left.arm.q.csv");
  ASSERT_EQ(rows.size(), 1502U);
  const std::size_t first = column(rows, "left.joint1 [rad]"), unix = column(rows, "unix [ns]");
  for (std::size_t r = 0; r < q.ticks.size(); r += 97) {
    EXPECT_EQ(std::stoll(rows[r + 1][0]), q.ticks[r]);
    for (std::size_t c = 0; c < 7; ++c)
      EXPECT_EQ(std::stod(rows[r + 1][first + c]), q.values[7 * r + c]);
    // the world's time beside the run's
    EXPECT_EQ(std::stoll(rows[r + 1][unix]) - std::stoll(rows[1][unix]), q.stamps[r]);
  }
  EXPECT_NEAR(1e-9 * std::stod(rows[1][unix]), static_cast<double>(std::time(nullptr)), 600.0);
  column(table(folder.path() / "csv/reference.hand.pose.csv"), "qw");
  // what is left of a task says of which axis and in which unit, a command too
  const auto error = table(folder.path() / "csv/task.hand.error.csv");
  column(error, "x [m]");
  column(error, "rz [rad]");
  column(table(folder.path() / "csv/task.posture.error.csv"), "left.joint4 [rad]");
  column(table(folder.path() / "csv/left.arm.command.csv"), "left.joint1 [N m]");
  column(table(folder.path() / "csv/picker.arm.command.csv"), "picker.elbow_joint [rad/s]");
  column(table(folder.path() / "csv/reference.hand.velocity.csv"), "wz [rad/s]");
  column(table(folder.path() / "csv/measured.hand.pose.csv"), "x [m]");
  // stamps of the machine's clock count from the run's beginning too: it took seconds, not days
  const auto inputs = table(folder.path() / "csv/inputs.csv");
  ASSERT_GE(inputs.size(), 3U);
  const std::size_t stamp = column(inputs, "stamp [s]");
  EXPECT_GE(std::stod(inputs[1][stamp]), 0.0);
  EXPECT_LT(std::stod(inputs[2][stamp]), 600.0);
  EXPECT_LT(std::stod(inputs[1][stamp]), std::stod(inputs[2][stamp]));
  const auto episodes = table(folder.path() / "csv/episodes.csv");
  ASSERT_EQ(episodes.size(), 2U);
  EXPECT_EQ(episodes[1][column(episodes, "start tick")], "100");
  EXPECT_EQ(episodes[1][column(episodes, "outcome")], "success");
  // quoted as RFC 4180 has it
  std::ifstream in(folder.path() / "csv/episodes.csv");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  EXPECT_NE(text.find("\"say \"\"a, b\"\"\""), std::string::npos) << text;
}

// one instant: what was measured at it, and what was decided on that
TEST(Export, AnErrorIsTheReferenceMinusWhatWasMeasuredAtTheSameStamp) {
  const AppFolder folder;
  const LogFile log(record(folder, {}, RecordExtent::kFull));
  const auto series = series_of(log);
  const Series& reference = named(series, "reference.hand.pose");
  const Series& measured = named(series, "measured.hand.pose");
  const Series& error = named(series, "task.hand.error");
  const Series& q = named(series, "left.arm.q");
  const Series& q_c = named(series, "control.left.q");
  std::map<Nanoseconds, std::size_t> row_of_error, row_of_measured, row_of_q;
  for (std::size_t r = 0; r < error.stamps.size(); ++r) row_of_error[error.stamps[r]] = r;
  for (std::size_t r = 0; r < measured.stamps.size(); ++r) row_of_measured[measured.stamps[r]] = r;
  for (std::size_t r = 0; r < q.stamps.size(); ++r) row_of_q[q.stamps[r]] = r;
  int compared = 0;
  for (std::size_t r = 0; r < reference.stamps.size(); r += 50) {
    const auto e = row_of_error.find(reference.stamps[r]);
    const auto m = row_of_measured.find(reference.stamps[r]);
    ASSERT_NE(e, row_of_error.end());
    ASSERT_NE(m, row_of_measured.end());
    // the measured pose is rounded
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(reference.values[7 * r + i] - measured.values[7 * m->second + i],
                  error.values[6 * e->second + i], 2e-6)
          << "stamp " << reference.stamps[r];
    ++compared;
  }
  EXPECT_GE(compared, 30);
  // the commanded joints stand at the time at which the arm is to be there
  for (std::size_t r = 0; r < q_c.stamps.size(); r += 50) {
    const auto m = row_of_q.find(q_c.stamps[r]);
    if (m == row_of_q.end()) continue;
    for (std::size_t j = 0; j < 7; ++j)
      EXPECT_NEAR(q_c.values[7 * r + j], q.values[7 * m->second + j], 1e-3);
  }
  // and none of it begins with zeros that nobody measured or asked for
  EXPECT_LT(q_c.values[3], -1.0);
}

TEST(Export, TablesHaveAllChannelsOfAnInstantInARow) {
  const AppFolder folder;
  LogFile log(record(folder, {{100, "start"}, {900, "success"}, {1000, "start"}, {1400, "stop"}}));
  TableOptions options;
  options.rate = Rate::hz(250);
  const TableReport report = export_tables(log, test_parts(), folder.path() / "tables", options);
  ASSERT_EQ(report.files.size(), 2U);
  EXPECT_TRUE(report.remarks.empty());
  const auto rows = table(report.files[0]);
  // 0.8 s at 250 Hz, both ends
  ASSERT_EQ(rows.size(), 202U);
  const std::size_t time = column(rows, "time [s]"), x = column(rows, "reference.hand.pose.x [m]"),
                    m = column(rows, "measured.hand.pose.x [m]"),
                    e = column(rows, "task.hand.error.x [m]"), mode = column(rows, "mode.left");
  for (std::size_t r = 1; r < rows.size(); r += 10) {
    EXPECT_NEAR(std::stod(rows[r][time]), 0.1 + 0.004 * static_cast<double>(r - 1), 1e-9);
    EXPECT_NEAR(std::stod(rows[r][x]) - std::stod(rows[r][m]), std::stod(rows[r][e]), 2e-6);
    EXPECT_EQ(rows[r][mode], "move");
  }
  // the same in full: a default log, run again, has every tick's bits
  LogFile full(record(folder, {{100, "start"}, {900, "success"}}, RecordExtent::kFull, "full"));
  const Series q = named(series_of(full), "left.arm.q");
  const std::size_t joint = column(rows, "left.arm.q.left.joint1 [rad]");
  for (std::size_t r = 1; r < rows.size(); r += 10)
    EXPECT_EQ(std::stod(rows[r][joint]), q.values[7 * (100 + 4 * (r - 1))]);

  options.kind = TableKind::kParquet;
  const TableReport parquet = export_tables(log, test_parts(), folder.path() / "parquet", options);
  ASSERT_EQ(parquet.files.size(), 2U);
  int code = 0;
  const std::string said =
      python("read_table.py " + parquet.files[0].string() + " " + report.files[0].string(), code);
  EXPECT_EQ(code, 0) << said;
}

TEST(Export, Hdf5IsWhatRobomimicReads) {
  const AppFolder folder;
  const Marks marks = {{100, "start"},    {500, "discard"}, {600, "start"},
                       {1100, "success"}, {1200, "start"},  {1201, "failure"}};
  const auto log = record(folder, marks);
  const auto file = folder.path() / "run.hdf5";
  DemonstrationOptions with;
  with.rate = Rate::hz(30);
  with.states = true;
  DatasetOptions set;
  set.rate = with.rate;
  std::vector<std::string> remarks;
  EXPECT_EQ(write({log}, with, *hdf5_dataset(file, set), &remarks), 1);
  ASSERT_EQ(remarks.size(), 2U);
  EXPECT_NE(remarks[0].find("episode 1 (run.mcap) is left out: it was discarded"),
            std::string::npos);
  EXPECT_NE(remarks[1].find("episode 3"), std::string::npos);
  EXPECT_NE(remarks[1].find("the fewest"), std::string::npos);
  const H5 h5(file);
  const std::string demo = "/data/demo_0";
  // 0.5 s from tick 600 on: 16 instants, 15 rows
  EXPECT_EQ(h5.shape(demo + "/actions"), (std::vector<hsize_t>{15, 10}));
  EXPECT_EQ(h5.shape(demo + "/obs/left_arm_q"), (std::vector<hsize_t>{15, 7}));
  EXPECT_EQ(h5.shape(demo + "/obs/picker_cup_q"), (std::vector<hsize_t>{15, 1}));
  EXPECT_EQ(h5.shape(demo + "/rewards"), (std::vector<hsize_t>{15}));
  EXPECT_TRUE(h5.has(demo + "/obs/object_parcel_pose"));
  EXPECT_FALSE(h5.has(demo + "/obs/reference_hand_pose"));
  EXPECT_FALSE(h5.has(demo + "/obs/left_arm_command"));
  EXPECT_EQ(h5.shape(demo + "/states")[0], 15U);
  EXPECT_EQ(h5.shape(demo + "/states_loop")[0], 15U);
  // next_obs is the next row's
  const auto obs = h5.read(demo + "/obs/left_arm_q"), next = h5.read(demo + "/next_obs/left_arm_q");
  EXPECT_TRUE(std::equal(next.begin(), next.end() - 7, obs.begin() + 7));
  EXPECT_NE(std::vector(next.end() - 7, next.end()), std::vector(obs.end() - 7, obs.end()));
  // within [-1, 1], and back by what the file says of it
  const auto scaled = h5.read(demo + "/actions"),
             position = h5.read(demo + "/action_dict/hand_abs_pos");
  const auto offset = h5.attribute("/data", "action_offset"),
             scale = h5.attribute("/data", "action_scale");
  const LogFile full(record(folder, marks, RecordExtent::kFull, "full"));
  const Series reference = named(series_of(full), "reference.hand.pose");
  for (std::size_t k = 0; k < 15; ++k) {
    for (std::size_t c = 0; c < 10; ++c) EXPECT_LE(std::abs(scaled[10 * k + c]), 1.0);
    const auto end = 600 + tick_of(static_cast<std::int64_t>(k) + 1, Rate::hz(30), 1'000'000);
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(offset[c] + scale[c] * scaled[10 * k + c], position[3 * k + c], 1e-12);
      // the last reference before the next row: the channel's row of tick `end` is of the tick
      // before
      EXPECT_EQ(position[3 * k + c], reference.values[7 * static_cast<std::size_t>(end) + c]);
    }
  }
  EXPECT_EQ(h5.read(demo + "/rewards").back(), 1.0);
  EXPECT_EQ(h5.read(demo + "/dones").back(), 1.0);
  EXPECT_EQ(h5.read(demo + "/dones").front(), 0.0);
  int code = 0;
  const std::string said = python("check_robomimic.py " + file.string(), code);
  EXPECT_EQ(code, 0) << said;
}

TEST(Export, SeveralLogsBecomeOneDataSetAndMoreAreAdded) {
  const AppFolder folder;
  const auto a = record(folder, {{100, "start"}, {500, "success"}}, RecordExtent::kDefault, "a");
  const auto b = record(folder, {{100, "start"}, {900, "failure"}}, RecordExtent::kDefault, "b");
  const auto c = record(folder, {{300, "start"}, {1300, "success"}}, RecordExtent::kDefault, "c");
  DemonstrationOptions with;
  with.tasks[2] = "lift it";
  with.outcomes[2] = "success";
  DatasetOptions set;
  set.validation = 0.5;
  const auto all = folder.path() / "all.hdf5", grown = folder.path() / "grown.hdf5";
  EXPECT_EQ(write({a, b, c}, with, *hdf5_dataset(all, set)), 3);
  EXPECT_EQ(write({a, b}, with, *hdf5_dataset(grown, set)), 2);
  set.append = true;
  EXPECT_EQ(write({c}, {}, *hdf5_dataset(grown, set)), 1);
  const H5 one(all), other(grown);
  for (const char* demo : {"/data/demo_0", "/data/demo_1", "/data/demo_2"}) {
    const auto is = other.read(demo + std::string("/actions")),
               was = one.read(demo + std::string("/actions"));
    ASSERT_EQ(is.size(), was.size());
    for (std::size_t i = 0; i < is.size(); ++i) EXPECT_NEAR(is[i], was[i], 1e-9);
  }
  EXPECT_EQ(other.shape("/mask/valid"), (std::vector<hsize_t>{1}));
  EXPECT_EQ(other.shape("/mask/train"), (std::vector<hsize_t>{2}));
  EXPECT_EQ(other.shape("/mask/successes"), (std::vector<hsize_t>{3}));
  set.rate = Rate::hz(10);
  EXPECT_NE(error_of([&] { hdf5_dataset(grown, set); }).find("at 20 Hz"), std::string::npos);
  EXPECT_NE(error_of([&] { hdf5_dataset(a, set); }).find("is not an HDF5 file"), std::string::npos);
  // nothing is left beside it
  EXPECT_FALSE(std::filesystem::exists(grown.string() + ".part"));
}

TEST(Export, LerobotIsAsItsRulesSay) {
  const AppFolder folder;
  const auto a = record(folder, {{100, "start"}, {500, "success"}}, RecordExtent::kDefault, "a");
  const auto b = record(folder, {{100, "start"}, {900, "failure"}}, RecordExtent::kDefault, "b");
  DatasetOptions set;
  const auto out = folder.path() / "set";
  EXPECT_EQ(write({a, b}, {}, *lerobot_dataset(out, set)), 2);
  int code = 0;
  const std::string said = python("check_lerobot.py " + out.string() + " 2 24 20", code);
  EXPECT_EQ(code, 0) << said;
  set.rate = Rate::hz(12.5);
  EXPECT_NE(error_of([&] { lerobot_dataset(out, set); }).find("whole numbers"), std::string::npos);
  set = {};
  EXPECT_NE(error_of([&] { lerobot_dataset(folder.path(), set); }).find("name another folder"),
            std::string::npos);
}

// states[k] with what was asked for in row k gives states[k + 1], bit for bit at the loop's rate
TEST(Export, SteppingFromAStateWithItsActionGivesTheNextState) {
  const AppFolder folder;
  LogFile log(record(folder, {{300, "start"}, {800, "success"}}));
  const App app = log.app(test_parts());
  DemonstrationOptions with;
  with.states = true;
  for (const double hz : {1000.0, 20.0}) {
    with.rate = Rate::hz(hz);
    Demonstrations demonstrations(test_parts(), with);
    Demonstration demo;
    demonstrations.add(log, [&](Demonstration&& made) { demo = std::move(made); });
    ASSERT_EQ(demo.states.size(), demo.rows + 1);
    ASSERT_EQ(demonstrations.layout().actions.size(), 2U);  // the hand, and the cup's command
    Session session(app, replay_options(log, app, false));
    std::vector<std::byte> plant, loop;
    const int ticks = static_cast<int>(1000.0 / hz);
    const std::size_t every = hz > 100.0 ? 37 : 1;
    const ReferenceIndex hand = session.arbiter().find_reference("hand");
    for (std::size_t k = 0; k + 1 < demo.rows; k += every) {
      session.restore(demo.states[k].plant, demo.states[k].loop);
      // what the action's row holds, and where the references are at the beginning of it
      std::vector<Motion> from, to;
      for (const ReferenceIndex r : session.arbiter().references())
        from.push_back(session.arbiter().reference(r).motion());
      to = from;
      const double* exact = demo.exact[0].data() + 24 * k;
      PoseReference& pose = to[hand.value].pose;
      pose.X_WE.p = Eigen::Vector3d::Map(exact);
      pose.X_WE.R = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>::Map(exact + 3);
      pose.V_WE = Vector6d::Map(exact + 12);
      pose.A_WE = Vector6d::Map(exact + 18);
      for (int i = 1; i <= ticks; ++i) {
        std::vector<Motion> now = to;
        if (i < ticks)
          for (std::size_t o = 0; o < now.size(); ++o)
            now[o] = between(from[o], to[o], static_cast<double>(i) / ticks, 1.0 / hz);
        session.follow(now);
        session.tick();
      }
      session.snapshot(plant, loop);
      if (ticks == 1) {
        EXPECT_EQ(plant, demo.states[k + 1].plant) << "row " << k;
        EXPECT_EQ(loop, demo.states[k + 1].loop) << "row " << k;
        continue;
      }
      const auto& info = demonstrations.layout().observations;
      const auto o = static_cast<std::size_t>(
          std::ranges::find(info, "measured.hand.pose", &ObservationInfo::channel) - info.begin());
      const Pose was = pose_of_channel(std::span(demo.observations[o]).subspan(7 * (k + 1), 7));
      session.tick();  // its channel is of the tick's beginning
      const ChannelTable& table = session.channels();
      const auto x = table.numbers(table.find("measured.hand.pose"));
      const Pose is = pose_of_channel({x.data(), 7});
      EXPECT_LT((is.p - was.p).norm(), 1e-3) << "row " << k;
      EXPECT_LT(angle_between(is.R, was.R), 1.0 * M_PI / 180.0) << "row " << k;
    }
  }
}

TEST(Export, ARunThatComesOutDifferentlyIsTakenFromItsStreams) {
  const AppFolder folder;
  const auto file = record(folder, {{100, "start"}, {900, "success"}});
  LogFile log(file);
  DemonstrationOptions with;
  with.streams = true;
  with.states = true;
  Demonstrations demonstrations(test_parts(), with);
  std::size_t rows = 0;
  demonstrations.add(log, [&](Demonstration&& demo) {
    rows = demo.rows;
    EXPECT_TRUE(demo.states.empty());
  });
  EXPECT_EQ(rows, 16U);
  ASSERT_EQ(demonstrations.remarks().size(), 1U);
  EXPECT_NE(demonstrations.remarks()[0].find("recorded streams at 60 Hz"), std::string::npos);
  with.rate = Rate::hz(100);
  EXPECT_NE(error_of([&] {
              Demonstrations(test_parts(), with).add(log, [](Demonstration&&) {});
            }).find("100 Hz are asked for and there are 60 Hz"),
            std::string::npos);
}

TEST(Export, ErrorsHaveCauseAndHint) {
  const AppFolder folder;
  const auto file = record(folder, {{100, "start"}, {500, "discard"}});
  LogFile log(file);
  DatasetOptions set;
  EXPECT_NE(error_of([&] {
              write({file}, {}, *hdf5_dataset(folder.path() / "x.hdf5", set));
            }).find("nothing was exported"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "x.hdf5"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "x.hdf5.part"));
  EXPECT_NE(error_of([&] { hdf5_dataset("/proc/none/x.hdf5", set); }).find("cannot be written"),
            std::string::npos);
  EXPECT_NE(
      error_of([&] { export_csv(log, folder.path() / "scene.yaml"); }).find("cannot be written"),
      std::string::npos);
  TableOptions options;
  options.rate = Rate::hz(2000);
  EXPECT_NE(error_of([&] {
              export_tables(log, test_parts(), folder.path() / "t", options);
            }).find("2000 Hz are asked for and there are 1000 Hz"),
            std::string::npos);
  // other channels, other data sets
  const AppFolder other;
  const App app = other.app(R"(whole_arm:
  arms: {left.arm: {feedback: commanded}}
  tasks: {palm: {type: pose, frame: left.tcp}}
machines:
  left: {start: move, states: {move: {do: [{type: move_to, task: palm, waypoints: [{relative: true, position: [0.0, 0.1, 0.0]}]}]}}}
)");
  const auto second = other.path() / "other.mcap";
  {
    Session session(app);
    RecorderOptions recorder_options;
    recorder_options.may_wait = true;
    Recorder recorder(session, second, recorder_options);
    for (int i = 0; i < 300; ++i) session.tick();
    session.finish();
    EXPECT_TRUE(recorder.close());
  }
  const auto good = record(folder, {{100, "start"}, {500, "success"}}, RecordExtent::kDefault, "g");
  EXPECT_NE(error_of([&] {
              write({good, second}, {}, *hdf5_dataset(folder.path() / "y.hdf5", set));
            }).find("does not go with the logs before it"),
            std::string::npos);
}

// counts what it gets
class Counter : public DatasetWriter {
 public:
  explicit Counter(std::size_t& rows) : rows_(rows) {}
  void add(Demonstration&& demo, const DemonstrationLayout&) override { rows_ += demo.rows; }
  void close() override {}

 private:
  std::size_t& rows_;
};

TEST(Exporters, AFormatOfAProgramIsGivenTheDemonstrations) {
  struct Count : Exporter {
    explicit Count(const DatasetConfig& with) : config(with) {}
    bool takes_several() const override { return true; }
    ExportReport write(const ExportRequest& request) override {
      std::size_t rows = 0;
      ExportReport report =
          export_dataset(request, config, false, [&] { return std::make_unique<Counter>(rows); });
      report.summary = std::to_string(rows);
      return report;
    }
    DatasetConfig config;
  };
  Parts parts = built_in_parts();
  auto& exporters = parts.of<ExporterRegistry>();
  exporters.add("count", dataset_object<DatasetConfig>("Count"), "counts rows",
                [](const DatasetConfig& config) { return std::make_unique<Count>(config); });
  EXPECT_EQ(exporters.names(),
            (std::vector<std::string>{"count", "csv", "hdf5", "lerobot", "parquet"}));
  const AppFolder folder;
  const auto log =
      record(folder, {{100, "start"}, {500, "discard"}, {600, "start"}, {1100, "success"}});
  const auto made = [&](const std::string& keys) {
    const auto exporter = parse_yaml(keys, "keys", exporters.schema_of("count")).make();
    EXPECT_EQ(exporter->default_output("run"), "run");
    return exporter->write({{log}, folder.path() / "count", parts});
  };
  const ExportReport one = made("{rate: 30}");
  EXPECT_EQ(one.summary, "15");
  ASSERT_EQ(one.remarks.size(), 1U);
  EXPECT_NE(one.remarks[0].find("it was discarded"), std::string::npos);
  ASSERT_GE(one.facts.size(), 2U);
  EXPECT_EQ(std::get<std::int64_t>(one.facts[0].second), 1);
  EXPECT_EQ(std::get<std::int64_t>(one.facts[1].second), 15);
  EXPECT_EQ(made("{rate: 30, discarded: true}").facts[0].second, ExportFact(std::int64_t{2}));
  EXPECT_NE(error_of([&] {
              made("{outcome: [3=success]}");
            }).find("outcome 3=success: there are 2 episodes"),
            std::string::npos);
}

TEST(Exporters, KeysAreRefusedWithPlaceAndHint) {
  const auto& exporters = test_parts().of<ExporterRegistry>();
  const auto error = [&](const std::string& format, const std::string& keys) {
    return error_of([&] { parse_yaml(keys, "keys", exporters.schema_of(format)); });
  };
  EXPECT_NE(error("csv", "rate: 20").find("keys:1: rate goes with tables of all channels"),
            std::string::npos)
      << error("csv", "rate: 20");
  EXPECT_EQ(error("csv", "{rate: 20, table: true}"), "");
  EXPECT_NE(error("parquet", "table: false").find("csv has a file a channel"), std::string::npos);
  EXPECT_NE(error("hdf5", "outcome: [x=success]").find("names no episode"), std::string::npos);
  EXPECT_NE(error("hdf5", "outcome: [1=won]").find("success, failure, discard or stop"),
            std::string::npos);
  EXPECT_NE(error("hdf5", "validation: 0.6").find("validation is 0.6"), std::string::npos);
  EXPECT_NE(error("lerobot", "append: true").find("unknown key 'append'"), std::string::npos);
  EXPECT_EQ(exporters.plain("hdf5").make()->default_output("run"), "run.hdf5");
  EXPECT_EQ(exporters.plain("lerobot").make()->default_output("run"), "run-lerobot");
  EXPECT_EQ(exporters.plain("csv").make()->default_output("run"), "run");
}

TEST(ElementUnits, AListIsSharedByTheElementsInOrder) {
  EXPECT_EQ(element_units("rad", 2), (std::vector<std::string>{"rad", "rad"}));
  EXPECT_EQ(element_units("N, N m", 4), (std::vector<std::string>{"N", "N", "N m", "N m"}));
  EXPECT_EQ(element_units("", 1), (std::vector<std::string>{""}));
}

TEST(ActionScales, WhatDoesNotChangeBecomesZero) {
  const auto scales = action_scales({1.0, 5.0, 3.0, 5.0}, 2);
  EXPECT_EQ(scales[0].offset, 2.0);
  EXPECT_EQ(scales[0].scale, 1.0);
  EXPECT_EQ(scales[1].offset, 5.0);
  EXPECT_EQ(scales[1].scale, 1.0);
}

}  // namespace export_test
}  // namespace handspan
