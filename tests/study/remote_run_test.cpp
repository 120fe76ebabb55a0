// Runs of a study on the workers of a dask scheduler: the same bits as here, whatever happens to a
// worker, to the scheduler, or to the study itself.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "core/build_info.hpp"
#include "core/child_process.hpp"
#include "core/escape.hpp"
#include "core/private_folder.hpp"

extern char** environ;

namespace handspan {
namespace remote_run_test {

namespace fs = std::filesystem;
using Seconds = std::chrono::seconds;

const fs::path kTree(HANDSPAN_SOURCE_DIR);
const std::string kPython = (kTree / ".deps/venv/bin/python").string();

// A program in the background, ended with this object.
class Background {
 public:
  Background(const std::vector<std::string>& words, const fs::path& said) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, said.c_str(), O_CREAT | O_WRONLY | O_APPEND,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    std::vector<std::string> kept = words;
    std::vector<char*> arguments;
    for (std::string& word : kept) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    EXPECT_EQ(posix_spawnp(&pid_, kept[0].c_str(), &actions, nullptr, arguments.data(), environ),
              0);
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Background() { end(SIGKILL); }
  Background(const Background&) = delete;
  void end(int signal) {
    if (pid_ <= 0) return;
    kill(pid_, signal);
    wait();
  }
  int wait() {
    int status = 0;
    if (pid_ > 0) waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
};

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// waits for words in a file; a test does not go on without them
bool comes(const fs::path& file, const std::string& words, int seconds = 60) {
  for (int i = 0; i < 20 * seconds; ++i) {
    if (text_of(file).find(words) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

class RemoteRun : public ::testing::Test {
 protected:
  void SetUp() override {
    if (run_child({kPython, "-c", "import distributed"}, Seconds(60)).code != 0)
      GTEST_SKIP() << "dask is not there; tools/setup --remote brings it";
    std::ofstream(folder_.path() / "tosses.yaml")
        << "title: tosses\nsubject: {app: " << (kTree / "apps/toss-held.yaml").string()
        << "}\nn: 60\nlongest: 1.5 s\n"
           "metrics: {o: {type: object, object: box}}\n"
           "vary: {mass: {grid: [0.4, 0.55, 0.7], key: scene.objects.box.mass}}\n"
           "series: {channels: [object.box.pose], rate: 20 Hz, runs: 1}\n"
           "stages: {light: {type: best, of: o.z, variations: [mass], again: 4}}\n";
  }
  fs::path file(const std::string& name) const { return folder_.path() / name; }
  // a scheduler on a port of its own; its address when it answers
  std::string scheduler() {
    scheduler_ = std::make_unique<Background>(
        std::vector<std::string>{kPython, "-m", "distributed.cli.dask_scheduler", "--host",
                                 "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file",
                                 file("scheduler.json").string()},
        file("scheduler.txt"));
    if (!comes(file("scheduler.json"), "\"address\"")) return "";
    const std::string text = text_of(file("scheduler.json"));
    const std::size_t at = text.find("tcp://");
    return text.substr(at, text.find('"', at) - at);
  }
  std::unique_ptr<Background> worker(const std::string& address, const std::string& name,
                                     const std::vector<std::string>& with = {}) {
    std::vector<std::string> words = with;
    const std::vector<std::string> rest = {kPython,
                                           "-m",
                                           "distributed.cli.dask_worker",
                                           address,
                                           "--nthreads",
                                           "1",
                                           "--no-nanny",
                                           "--no-dashboard",
                                           "--local-directory",
                                           file(name).string()};
    words.insert(words.end(), rest.begin(), rest.end());
    auto started = std::make_unique<Background>(words, file(name + ".txt"));
    EXPECT_TRUE(comes(file(name + ".txt"), "Registered to")) << text_of(file(name + ".txt"));
    return started;
  }
  std::vector<std::string> study(const std::string& out, const std::string& address = "") const {
    std::vector<std::string> words = {HANDSPAN_BINARY, "study", file("tosses.yaml").string(),
                                      "--out", file(out).string()};
    if (!address.empty()) words.insert(words.end(), {"--scheduler", address});
    return words;
  }
  std::string rows(const std::string& out) const { return text_of(file(out) / "results.csv"); }

  PrivateFolder folder_{"handspan-remote-test-"};
  std::unique_ptr<Background> scheduler_;
};

TEST_F(RemoteRun, GivesTheSameBitsAlsoWhenAWorkerIsKilled) {
  run_child(study("here"), Seconds(300));
  const std::string address = scheduler();
  ASSERT_NE(address, "") << text_of(file("scheduler.txt"));
  auto first = worker(address, "one");
  const auto second = worker(address, "two");
  Background there(study("there", address), file("there.txt"));
  // in the middle: something is done, and not all
  ASSERT_TRUE(comes(file("there/unfinished.jsonl"), "\"run\"", 120)) << text_of(file("there.txt"));
  first->end(SIGKILL);
  there.wait();
  ASSERT_FALSE(rows("here").empty());
  EXPECT_EQ(rows("here"), rows("there")) << text_of(file("there.txt"));
  EXPECT_EQ(text_of(file("here/series/run-00001.csv")),
            text_of(file("there/series/run-00001.csv")));
  EXPECT_NE(text_of(file("there.txt")).find("by workers of " + address), std::string::npos)
      << text_of(file("there.txt"));
}

TEST_F(RemoteRun, GoesOnAfterAKillOfTheStudyAndTellsOfASchedulerThatDies) {
  run_child(study("here"), Seconds(300));
  const std::string address = scheduler();
  ASSERT_NE(address, "");
  const auto one = worker(address, "one");
  Background killed(study("there", address), file("killed.txt"));
  ASSERT_TRUE(comes(file("there/unfinished.jsonl"), "\"run\"", 120)) << text_of(file("killed.txt"));
  killed.end(SIGKILL);
  // again, and now the scheduler dies
  Background cut(study("there", address), file("cut.txt"));
  ASSERT_TRUE(comes(file("cut.txt"), "180 runs", 60));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  scheduler_->end(SIGKILL);
  cut.wait();
  if (rows("there").empty()) {
    EXPECT_NE(text_of(file("cut.txt")).find("--scheduler " + address), std::string::npos)
        << text_of(file("cut.txt"));
    run_child(study("there"), Seconds(300));  // what is left is done here
  }
  EXPECT_EQ(rows("here"), rows("there"));
}

TEST_F(RemoteRun, ASchedulerThatIsNotThereIsNamed) {
  const ChildOutcome none = run_child(study("none", "tcp://127.0.0.1:9"), Seconds(120));
  EXPECT_EQ(none.code, 2) << none.said;
  EXPECT_NE(none.said.find("--scheduler tcp://127.0.0.1:9: nobody answers as a dask scheduler"),
            std::string::npos)
      << none.said;
  EXPECT_NE(none.said.find("dask worker ADDRESS"), std::string::npos) << none.said;
  const ChildOutcome both = run_child({HANDSPAN_BINARY, "study", file("tosses.yaml").string(),
                                       "--scheduler", "tcp://127.0.0.1:9", "--workers", "2"},
                                      Seconds(60));
  EXPECT_NE(both.said.find("leave one of them out"), std::string::npos) << both.said;
}

TEST_F(RemoteRun, AWorkerOfAnotherBuildIsRefused) {
  const std::string address = scheduler();
  ASSERT_NE(address, "");
  // says that it is another build, as one of another day would
  const fs::path other = file("other-handspan");
  std::ofstream(other)
      << "#!/bin/sh\necho '{\"study\": \"0123456789abcdef\", \"build\": \"older\"}'\n"
         "cat >/dev/null\n";
  fs::permissions(other, fs::perms::owner_all);
  const auto one = worker(address, "one", {"env", "HANDSPAN=" + other.string()});
  const ChildOutcome refused = run_child(study("refused", address), Seconds(120));
  EXPECT_EQ(refused.code, 2) << refused.said;
  EXPECT_NE(refused.said.find("is refused: it has the build older, and here is " + build_id()),
            std::string::npos)
      << refused.said;
}

}  // namespace remote_run_test
}  // namespace handspan
