// handspan import-data as a person runs it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace import_data_test {

namespace test = handspan::test;
using test::kRoot;
using test::Result;

class ImportData : public test::InFolder {
 protected:
  // the left hand of grab.yaml, from where it is at the start
  void write_table() const {
    std::string table = "t,x,y,z,qx,qy,qz,qw\n";
    for (int k = 0; k < 40; ++k)
      table += std::to_string(0.05 * k) + "," + std::to_string(0.3069 + 0.002 * k) +
               ",0.8,0.5543,-0.92388,0.38268,0,0\n";
    write("demo.csv", table);
    write("what.yaml", R"(from: {type: csv, file: demo.csv}
time: {column: t, unit: s}
task: to the side
channels:
  reference.left_hand.pose:
    position: {columns: [x, y, z], unit: m}
    rotation: {columns: [qx, qy, qz, qw], as: xyzw}
)");
  }
};

TEST_F(ImportData, ALogOfOthersIsListedAndRefusedWhereARunIsAskedFor) {
  write_table();
  const Result made = run("import-data what.yaml --out in.mcap --json in.json");
  ASSERT_EQ(made.code, 0) << made.output;
  EXPECT_TRUE(made.has("1 episode, 40 rows, 1.950 s, in in.mcap: reference.left_hand.pose"))
      << made.output;
  EXPECT_EQ(nlohmann::json::parse(read("in.json"))["rows"], 40);
  const Result checked = run("check in.mcap");
  EXPECT_EQ(checked.code, 0) << checked.output;
  EXPECT_TRUE(checked.has("imported from demo.csv by the reader csv, ")) << checked.output;
  EXPECT_TRUE(checked.has("stop, task: to the side, imported: demo.csv")) << checked.output;
  EXPECT_TRUE(checked.has("in.mcap: whole")) << checked.output;
  const Result episodes = run("check in.mcap --episodes");
  EXPECT_EQ(episodes.code, 0) << episodes.output;
  EXPECT_TRUE(episodes.has("references: [left_hand], log: LOG, episode: 1")) << episodes.output;
  for (const std::string& command :
       {std::string("replay in.mcap"), std::string("replay in.mcap --verify --open"),
        std::string("export in.mcap --to hdf5 --out x.hdf5"),
        std::string("export in.mcap --to parquet --out x"),
        "run " + (kRoot / "apps/hold.yaml").string() + " --no-picture --input in.mcap"}) {
    const Result refused = run(command);
    EXPECT_EQ(refused.code, 2) << command << refused.output;
    EXPECT_TRUE(refused.has("it was imported from demo.csv and has no app")) << refused.output;
  }
  // each channel by itself needs no app
  const Result csv = run("export in.mcap --to csv --out tables");
  EXPECT_EQ(csv.code, 0) << csv.output;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "tables/reference.left_hand.pose.csv"));
}

TEST_F(ImportData, AFileThatSaysNothingOfItselfIsListed) {
  write_table();
  const Result list = run("import-data demo.csv --list");
  EXPECT_EQ(list.code, 0) << list.output;
  EXPECT_TRUE(list.has("demo.csv: csv, 1 episode")) << list.output;
  EXPECT_TRUE(list.has("  x (40 x 1, numbers)")) << list.output;
  const Result refused = run("import-data demo.csv");
  EXPECT_EQ(refused.code, 2) << refused.output;
  EXPECT_TRUE(refused.has("does not say which of its columns are which channels"))
      << refused.output;
  EXPECT_TRUE(refused.has("  y (40 x 1, numbers)")) << refused.output;
  EXPECT_TRUE(run("import-data none.hdf5").has("there is no such file or folder"));
  EXPECT_TRUE(run("import-data .").has("it is a folder without meta/info.json"));
  write("x.txt", "x");
  EXPECT_TRUE(run("import-data x.txt").has("its name does not say what it is"));
  EXPECT_TRUE(run("import-data what.yaml --out demo.csv").has("demo.csv"));
  EXPECT_TRUE(run("import-data what.yaml --out in.hdf5").has("logs are MCAP files"));
}

TEST_F(ImportData, ADamagedFileThatCrashesItsLibraryIsAnError) {
  ASSERT_EQ(run("run " + (kRoot / "apps/lift.yaml").string() +
                " --for 1s --no-picture --record lift.mcap")
                .code,
            0);
  ASSERT_EQ(run("export lift.mcap --to hdf5 --no-states --out a.hdf5").code, 0);
  const Result good = run("import-data a.hdf5 --out a.mcap");
  ASSERT_EQ(good.code, 0) << good.output;
  const std::string whole = read("a.hdf5");
  std::size_t at = 0;
  int refused = 0;
  // texts of any length stand in "global heaps": an object's size is not within its heap
  for (std::string other = whole; (at = whole.find("GCOL", at)) != std::string::npos; at += 4) {
    for (std::size_t byte = 24; byte < 28; ++byte) other[at + byte] = '\x7f';
    write("b.hdf5", other);
    const Result bad = run("import-data b.hdf5 --out b.mcap");
    EXPECT_TRUE(bad.code == 0 || bad.code == 2) << bad.code << bad.output;
    if (bad.code == 0) continue;  // a heap of texts that an import does not read
    EXPECT_TRUE(bad.has("b.hdf5")) << bad.output;
    ++refused;
  }
  EXPECT_GE(refused, 1);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "b.mcap.part"));
  // other bits anywhere in what the file says of itself
  for (std::size_t i = 0; i < 120; ++i) {
    std::string other = whole;
    other[(i * 7919) % std::min<std::size_t>(other.size(), 20'000)] ^=
        static_cast<char>(1 << (i % 8));
    write("b.hdf5", other);
    const Result bad = run("import-data b.hdf5 --list");
    EXPECT_TRUE(bad.code == 0 || bad.code == 2) << i << ": " << bad.code << bad.output;
  }
}

TEST_F(ImportData, AnAppRepeatsItAndItsLogRunsAgain) {
  write_table();
  const std::string app = (kRoot / "apps/grab.yaml").string();
  const Result made = run("import-data what.yaml --out in.mcap --app " + app);
  ASSERT_EQ(made.code, 0) << made.output;
  EXPECT_TRUE(made.has("which repeats left_hand")) << made.output;
  EXPECT_TRUE(made.has("handspan serve in-app.yaml --records .")) << made.output;
  const Result again = run("replay in-run.mcap --verify");
  EXPECT_EQ(again.code, 0) << again.output;
  EXPECT_TRUE(again.has("the same bits")) << again.output;
  const Result checked = run("check in-run.mcap --episodes");
  EXPECT_TRUE(checked.has("1 of 1 episode can be learnt from")) << checked.output;
  // its own output may be made anew, and others' not
  EXPECT_EQ(run("import-data what.yaml --out in.mcap --app " + app).code, 0);
  write("in-app.yaml", "somebody's own\n");
  const Result foreign = run("import-data what.yaml --out in.mcap --app " + app);
  EXPECT_EQ(foreign.code, 2);
  EXPECT_TRUE(foreign.has("handspan did not write")) << foreign.output;
  const Result other =
      run("import-data what.yaml --out other.mcap --app " + (kRoot / "apps/toss.yaml").string());
  EXPECT_EQ(other.code, 2) << other.output;
  EXPECT_TRUE(other.has("name the channels of the import after the app's tasks")) << other.output;
}

}  // namespace import_data_test
