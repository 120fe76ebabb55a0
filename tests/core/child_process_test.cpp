#include "core/child_process.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace handspan {
namespace child_process_test {

using std::chrono::seconds;

TEST(ChildProcess, GivesItsCodeAndWhatItSaid) {
  const ChildOutcome done = run_child({"sh", "-c", "echo out; echo err >&2; exit 3"}, seconds(60));
  EXPECT_EQ(done.code, 3);
  EXPECT_TRUE(done.in_time);
  EXPECT_EQ(done.said, "out\nerr\n");
}

TEST(ChildProcess, KeepsTheEndOfLongOutput) {
  const ChildOutcome done = run_child(
      {"sh", "-c", "i=0; while [ $i -lt 3000 ]; do echo 1234567; i=$((i+1)); done; echo last"},
      seconds(60));
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.said.size(), 4096U);
  EXPECT_TRUE(done.said.ends_with("last\n"));
}

TEST(ChildProcess, IsEndedWhenItTakesTooLong) {
  const ChildOutcome done = run_child({"sleep", "1000"}, seconds(0));
  EXPECT_FALSE(done.in_time);
  EXPECT_EQ(done.code, -1);
}

TEST(ChildProcess, SaysWhatCannotBeStarted) {
  try {
    run_child({"handspan-no-such-program"}, seconds(1));
    FAIL() << "it started";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "handspan-no-such-program cannot be started: No such file or directory");
  }
}

TEST(ChildProcess, IsFoundInThePath) {
  EXPECT_TRUE(program_in_path("sh").has_value());
  EXPECT_FALSE(program_in_path("handspan-no-such-program").has_value());
}

}  // namespace child_process_test
}  // namespace handspan
