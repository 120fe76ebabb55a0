// handspan study as a person runs it.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

namespace study_test {

const std::filesystem::path kRoot = HANDSPAN_SOURCE_DIR;

struct StudyResult {
  int code;
  std::string output;
};

class StudyCommand : public testing::Test {
 protected:
  StudyCommand()
      : folder_(std::filesystem::temp_directory_path() /
                ("handspan_study_cli_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~StudyCommand() override { std::filesystem::remove_all(folder_); }

  StudyResult run(const std::string& arguments) const {
    const std::string command =
        "cd " + folder_.string() + " && " + HANDSPAN_BINARY + " " + arguments + " 2>&1 </dev/null";
    FILE* pipe = popen(command.c_str(), "r");
    std::string output;
    std::array<char, 4096> buffer;
    while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
      output.append(buffer.data(), n);
    return {WEXITSTATUS(pclose(pipe)), output};
  }
  std::string text(const std::string& file) const {
    std::ifstream in(folder_ / file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // of a lift: how high the box is after a while
  std::string lift(const std::string& expect) const {
    std::ofstream(folder_ / "lift.yaml")
        << "title: lifts\nsubject: {app: " << (kRoot / "apps/lift.yaml").string()
        << "}\nn: 3\nseed: 7\nlongest: 0.4 s\n"
           "vary: {mass: {uniform: [400 g, 600 g], key: scene.objects.box.mass}}\n"
           "metrics: {box: {type: object, object: box}}\n"
           "series: {channels: [object.box.pose], rate: 50}\n"
           "expect: [{statistic: mean, of: box.z, "
        << expect << "}]\n";
    return "study lift.yaml --out out";
  }
  std::filesystem::path folder_;
};

TEST_F(StudyCommand, IsListedWithOneLineEach) {
  const StudyResult r = run("study");
  EXPECT_EQ(r.code, 0) << r.output;
  std::vector<std::string> lines;
  std::istringstream in(r.output);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  // names in a column
  const auto listed = [&](const std::string& name, const std::string& title) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.starts_with(name + "  ") && line.find("  " + title) != std::string::npos;
    });
  };
  EXPECT_TRUE(listed("grab/random", "Random grabs of a box by two plates")) << r.output;
  EXPECT_TRUE(listed("contact/cube-tosses", "Measured tosses of a cube")) << r.output;
  const StudyResult help = run("--help");
  EXPECT_NE(help.output.find("study"), std::string::npos);
  const StudyResult trials = run("study --trials");
  EXPECT_EQ(trials.code, 0);
  EXPECT_NE(trials.output.find("cube_tosses: measured tosses"), std::string::npos) << trials.output;
}

TEST_F(StudyCommand, MeasuredTossesAreReadFromAFolder) {
  const StudyResult none = run("study contact/cube-tosses");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.output.find("it reads measured tosses; say where they are: --data FOLDER"),
            std::string::npos)
      << none.output;
  const auto data = kRoot / "../shared/data/cube-tosses";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "the tosses are not on this machine";
  // all of them, and what is asked of them
  const StudyResult r = run("study contact/cube-tosses --out out --data " + data.string());
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_EQ(nlohmann::json::parse(text("out/summary.json"))["runs"], 285);
  EXPECT_NE(text("out/report.html").find("What was asked holds"), std::string::npos);
}

TEST_F(StudyCommand, WritesItsResults) {
  const StudyResult r = run(lift("above: 0.1") + " --workers 2");
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_NE(r.output.find("holds   mean of box.z"), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("report:  out/report.html"), std::string::npos) << r.output;
  const auto json = nlohmann::json::parse(text("out/summary.json"));
  EXPECT_EQ(json["holds"], true);
  EXPECT_EQ(json["runs"], 3);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/series/run-00003.csv"));
  const std::string csv = text("out/results.csv");
  // any number of workers
  EXPECT_EQ(run(lift("above: 0.1") + " --workers 1").code, 0);
  EXPECT_EQ(csv, text("out/results.csv"));
  // what it was run with can be run
  const StudyResult app = run("run out/app.yaml --for 0.1s --no-picture");
  EXPECT_EQ(app.code, 0) << app.output;
}

TEST_F(StudyCommand, SaysByItsExitCodeWhetherWhatWasAskedHolds) {
  const StudyResult r = run(lift("above: 5 m"));
  EXPECT_EQ(r.code, 1) << r.output;
  EXPECT_NE(r.output.find("FAILS   mean of box.z"), std::string::npos) << r.output;
}

TEST_F(StudyCommand, ARunIsDoneAgainAsALogThatReplays) {
  const std::string study = lift("above: 0.1");
  ASSERT_EQ(run(study).code, 0);
  const StudyResult again = run(study + " --rerun 2 --record again.mcap");
  EXPECT_EQ(again.code, 0) << again.output;
  EXPECT_NE(again.output.find("seed 8"), std::string::npos) << again.output;
  const StudyResult replayed = run("replay again.mcap --verify");
  EXPECT_EQ(replayed.code, 0) << replayed.output;
  EXPECT_NE(replayed.output.find("400 of 400 ticks compared: the same bits"), std::string::npos)
      << replayed.output;
  // its metrics are those of the study: compared with all their digits in results.csv
  EXPECT_NE(again.output.find("every digit as in results.csv"), std::string::npos) << again.output;
}

TEST_F(StudyCommand, ARunThatAStageAskedForIsDoneAgain) {
  std::ofstream(folder_ / "best.yaml")
      << "title: lifts\nsubject: {app: " << (kRoot / "apps/lift.yaml").string()
      << "}\nn: 1\nlongest: 0.1 s\n"
         "vary: {mass: {grid: [400 g, 500 g], key: scene.objects.box.mass}}\n"
         "metrics: {box: {type: object, object: box}}\n"
         "stages: {light: {type: best, of: box.z, largest: true, variations: [mass], again: 3}}\n"
         "expect: [{statistic: mean, of: box.z, above: 0.1}]\n";
  const std::string study = "study best.yaml --out out";
  // not before it is known
  EXPECT_EQ(
      run(study + " --rerun 4").output,
      "--rerun 4: the study has the runs 1 to 2, and those that its stages ask for once it is "
      "done: see results.csv\n");
  ASSERT_EQ(run(study).code, 0);
  const StudyResult again = run(study + " --rerun 4 --record again.mcap");
  EXPECT_EQ(again.code, 0) << again.output;
  EXPECT_NE(again.output.find("every digit as in results.csv"), std::string::npos) << again.output;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "again.mcap"));
  EXPECT_EQ(run(study + " --rerun 6").code, 2);
  EXPECT_NE(run(study + " --seed 3 --rerun 4").output.find("it has the runs of another study"),
            std::string::npos);
  std::ofstream(folder_ / "out/stage_runs.jsonl") << "{";
  EXPECT_NE(run(study + " --rerun 4").output.find("is damaged; do the study again"),
            std::string::npos);
}

TEST_F(StudyCommand, ShowsWhatChangedAgainstEarlierResults) {
  const std::string command = lift("above: 0");
  ASSERT_EQ(run(command).code, 0);
  const StudyResult same = run("study lift.yaml --out after --against out");
  EXPECT_EQ(same.code, 0) << same.output;
  EXPECT_NE(same.output.find("against out ("), std::string::npos) << same.output;
  EXPECT_NE(same.output.find("  0 of "), std::string::npos) << same.output;
  const auto json = nlohmann::json::parse(text("after/comparison.json"));
  EXPECT_EQ(json["changed"], 0);
  ASSERT_FALSE(json["statistics"].empty());
  for (const auto& row : json["statistics"]) EXPECT_EQ(row["same"], true) << row;
  EXPECT_NE(text("after/report.html").find("<h2>Against earlier results</h2>"), std::string::npos);
  // what does not go together is found before the first run
  for (const auto& [more, says] : std::vector<std::pair<std::string, std::string>>{
           {"--against out", "--out out/results.csv: is the file"},
           {"--against nowhere", "nowhere: --against is no folder; name the folder"},
           {"--against out --seed 100",
            "out/results.csv: cell 'all' has seeds from 7 to 9, and here "
            "from 100 to 102: none in common"},
           {"--against out --rerun 1", "--against is of a whole study; leave --rerun out"}}) {
    const StudyResult bad = run(command + " " + more);
    EXPECT_EQ(bad.code, 2) << more << "\n" << bad.output;
    EXPECT_NE(bad.output.find(says), std::string::npos) << bad.output;
  }
}

TEST_F(StudyCommand, BadInputIsOneLine) {
  const StudyResult none = run("study grab/randm");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.output.find("there is no study or file 'grab/randm'; did you mean 'grab/random'?"),
            std::string::npos)
      << none.output;
  const std::string study = lift("above: 0.1");
  const auto error = [&](const std::string& options) {
    const StudyResult r = run(study + " " + options);
    EXPECT_EQ(r.code, 2) << options;
    return r.output;
  };
  EXPECT_EQ(error("--rerun 4"), "--rerun 4: the study has the runs 1 to 3\n");
  EXPECT_EQ(error("--record x.mcap"), "--record is of one run: say which with --rerun NUMBER\n");
  EXPECT_EQ(error("--param scene.objects.box"),
            "--param scene.objects.box is not KEY=VALUE; write it as --param "
            "scene.objects.box.mass=0.6\n");
  EXPECT_NE(error("--param scene.objects.bx.mass=1").find("did you mean 'box'?"),
            std::string::npos);
  EXPECT_NE(error("--param scene.objects.box.pose.position=[0,0]")
                .find("has 2 items; it must be a list of 3 numbers"),
            std::string::npos);
  EXPECT_EQ(run("study lift.yaml --workers 0").code, 2);
}

}  // namespace study_test
