#include "data/csv_export.hpp"

#include <gtest/gtest.h>

#include <iterator>

#include "core/error.hpp"
#include "log/log_layout.hpp"
#include "support/scenes.hpp"
#include "support/small_log.hpp"

namespace handspan {
namespace csv_export_test {

using test::SmallLog;
using test::TemporaryFolder;

std::string text_in(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(in) << file;
  return {std::istreambuf_iterator<char>(in), {}};
}

std::filesystem::path small_log(const TemporaryFolder& folder, const McapMap& about = {}) {
  const auto file = folder.path() / "a.mcap";
  SmallLog log(file, about);
  log.event(10, "episode", "start", "pick, and \"place\"");
  const McapMap vector = {{"type", "vector"}, {"unit", "m, rad"}, {"labels", "x turn"}};
  log.sample("some", vector, 0, 0, messages::Vector{{}, {0.1, -2.0}});
  log.sample("some", vector, 1500, 1'499'999'999, messages::Vector{{}, {1.0 / 3.0, 1e-300}});
  log.sample("left.mode", {{"type", "choice"}, {"labels", "idle moving"}}, 20, 20'000'000,
             messages::Integer{{}, 1, "moving"});
  log.input(7, "parameter", "task.hand.weight", "", {0.1, 2.0}, 6'000'000);
  log.event(30, "episode", "success", "good");
  log.hashes(0, 2000);
  return file;
}

TEST(CsvExport, EveryFileIsToTheLetter) {
  const TemporaryFolder folder;
  const LogFile log(small_log(folder, {{kUnixStartKey, "1700000000000000000"}}));
  const auto out = folder.path() / "new/csv";
  EXPECT_EQ(export_csv(log, out), 5);
  EXPECT_EQ(text_in(out / "some.csv"),
            "tick,time [s],stamp [s],unix [ns],x [m],turn [rad]\r\n"
            "0,0.000000000,0.000000000,1700000000000000000,0.10000000000000001,-2\r\n"
            "1500,1.500000000,1.499999999,1700000001499999999,0.33333333333333331,1e-300\r\n");
  EXPECT_EQ(text_in(out / "left.mode.csv"),
            "tick,time [s],stamp [s],unix [ns],value,word\r\n"
            "20,0.020000000,0.020000000,1700000000020000000,1,moving\r\n");
  EXPECT_EQ(text_in(out / "events.csv"),
            "tick,time [s],unix [ns],kind,name,text\r\n"
            "10,0.010000000,1700000000010000000,episode,start,\"pick, and \"\"place\"\"\"\r\n"
            "30,0.030000000,1700000000030000000,episode,success,good\r\n");
  EXPECT_EQ(text_in(out / "inputs.csv"),
            "tick,time [s],stamp [s],unix [ns],kind,to,text,numbers\r\n"
            "7,0.007000000,0.006000000,1700000000006000000,parameter,task.hand.weight,,"
            "0.10000000000000001 2\r\n");
  EXPECT_EQ(text_in(out / "episodes.csv"),
            "episode,start tick,end tick,start [s],end [s],outcome,task,operator,remark\r\n"
            "1,10,30,0.010000000,0.030000000,success,\"pick, and \"\"place\"\"\",,good\r\n");
}

TEST(CsvExport, WithoutTheWorldsTimeItsCellsAreEmpty) {
  const TemporaryFolder folder;
  const LogFile log(small_log(folder));
  const auto out = folder.path() / "csv";
  export_csv(log, out);
  EXPECT_NE(text_in(out / "left.mode.csv").find("\r\n20,0.020000000,0.020000000,,1,moving\r\n"),
            std::string::npos);
  EXPECT_NE(text_in(out / "events.csv").find("\r\n10,0.010000000,,episode,"), std::string::npos);
}

TEST(CsvExport, AFolderThatCannotBeMadeIsAnError) {
  const TemporaryFolder folder;
  const LogFile log(small_log(folder));
  folder.write("plain", "no folder");
  try {
    export_csv(log, folder.path() / "plain");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("plain/"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("it cannot be written"), std::string::npos);
  }
}

}  // namespace csv_export_test
}  // namespace handspan
