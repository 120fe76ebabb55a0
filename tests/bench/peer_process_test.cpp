#include "bench/peer_process.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "bench/two_arms.hpp"

namespace handspan {
namespace peer_process_test {

using std::chrono::milliseconds;

// The URDF's path is the script's $0.
Peer script(const std::string& text) { return {"rival", {"/bin/sh", "-c", text}, true, false}; }

std::string error_of(const Peer& peer, milliseconds limit = std::chrono::minutes(1)) {
  try {
    run_peer(peer, "arms.urdf", limit);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

void expect_error(const Peer& peer, const std::string& cause) {
  const std::string error = error_of(peer);
  EXPECT_NE(error.find(cause), std::string::npos) << error;
  EXPECT_EQ(error.rfind("the rival rival (", 0), 0) << error;
  EXPECT_NE(error.find("; run tools/setup --peers again"), std::string::npos) << error;
}

std::string prints(const std::string& line) { return "echo '" + line + "'"; }

TEST(PeerProcess, ReadsTheLastLineThatTheProgramPrints) {
  const PeerFigure figure = run_peer(
      script("echo loading; echo '{\"median_us\": 12.5, \"p99_us\": 20, \"n\": 20000, "
             "\"name\": \"Rival 1.0\", \"tracking_mm\": 0.25, \"overhead_us\": 0.125}'; echo"),
      "arms.urdf");
  EXPECT_EQ(figure.name, "Rival 1.0");
  EXPECT_EQ(figure.median, 12.5);
  EXPECT_EQ(figure.p99, 20.0);
  EXPECT_EQ(figure.n, 20000);
  EXPECT_EQ(figure.tracking, 0.25);
  EXPECT_EQ(figure.overhead, 0.125);
}

TEST(PeerProcess, HasItsOwnNameWhereTheProgramSaysNone) {
  const PeerFigure figure =
      run_peer(script(prints(R"({"median_us": 1, "p99_us": 1, "n": 1})")), "arms.urdf");
  EXPECT_EQ(figure.name, "rival");
  EXPECT_FALSE(figure.tracking.has_value());
  EXPECT_FALSE(figure.overhead.has_value());
}

TEST(PeerProcess, GivesTheUrdfAsLastArgumentUnchanged) {
  // as a file name with a space and a quote has it: no shell is between
  const PeerFigure figure =
      run_peer(script(R"(echo "{\"median_us\": 1, \"p99_us\": 1, \"n\": 1, \"name\": \"$0\"}")"),
               "/a folder/it's $HOME.urdf");
  EXPECT_EQ(figure.name, "/a folder/it's $HOME.urdf");
}

TEST(PeerProcess, TakesMoreOutputThanAPipeHolds) {
  const PeerFigure figure = run_peer(
      script("head -c 1000000 /dev/zero | tr '\\0' x; echo; head -c 1000000 /dev/zero >&2; " +
             prints(R"({"median_us": 1, "p99_us": 2, "n": 3})")),
      "arms.urdf");
  EXPECT_EQ(figure.n, 3);
}

TEST(PeerProcess, NamesAProgramThatCannotBeStarted) {
  expect_error({"rival", {"/nonexistent/tick"}, true, false},
               "(/nonexistent/tick) cannot be started: No such file or directory");
}

TEST(PeerProcess, NamesExitCodeAndLastLineOfAFailure) {
  expect_error(script("echo first >&2; echo 'no frame left.flange' >&2; exit 3"),
               "ended with exit code 3: no frame left.flange");
}

TEST(PeerProcess, NamesTheSignalOfACrash) {
  expect_error(script("kill -SEGV $$"), "was ended by signal 11 (Segmentation fault)");
}

TEST(PeerProcess, EndsAProgramThatTakesTooLong) {
  const std::string error =
      error_of({"rival", {"/bin/sh", "-c", "exec sleep 60"}, true, false}, milliseconds(50));
  EXPECT_NE(error.find("did not end within 0.05 s"), std::string::npos) << error;
}

TEST(PeerProcess, NamesWhatIsWrongWithWhatWasPrinted) {
  const auto expect = [](const std::string& line, const std::string& cause) {
    SCOPED_TRACE(line);
    expect_error(script(prints(line)), cause);
  };
  expect("", "printed no JSON object as its last line, but ''");
  expect("12.5 us", "printed no JSON object as its last line, but '12.5 us'");
  expect("[1]", "printed no JSON object as its last line, but '[1]'");
  expect(R"({"p99_us": 2, "n": 3})", "printed no median_us");
  expect(R"({"median_us": 1, "n": 3})", "printed no p99_us");
  expect(R"({"median_us": 1, "p99_us": 2})", "printed no n");
  expect(R"({"median_us": "1", "p99_us": 2, "n": 3})",
         R"(printed a median_us that is not a number: "1")");
  expect(R"({"median_us": 1, "p99_us": 2, "n": 3, "overhead_us": null})",
         "printed a overhead_us that is not a number: null");
  expect(R"({"median_us": 0, "p99_us": 2, "n": 3})", "printed a median_us of 0; it must be > 0");
  expect(R"({"median_us": 3, "p99_us": 2, "n": 3})",
         "printed a p99_us of 2, below the median_us of 3");
  for (const char* n : {"0", "1.5", "1e300"})
    expect(std::string(R"({"median_us": 1, "p99_us": 2, "n": )") + n + "}",
           "it must be a whole number >= 1");
}

TEST(TwoArmPeers, AreThoseThatSetUpInstalls) {
  const std::filesystem::path root = std::filesystem::path(::testing::TempDir()) / "two_arm_peers";
  std::filesystem::remove_all(root);
  for (const Peer& peer : two_arm_peers(root)) EXPECT_FALSE(peer.installed) << peer.name;
  for (const char* file :
       {".deps/peers-bin/tsid_tick", ".deps/peers/bin/python", "bench/peers/placo_tick.py"}) {
    std::filesystem::create_directories((root / file).parent_path());
    std::ofstream{root / file};
  }
  const auto peers = two_arm_peers(root);
  ASSERT_EQ(peers.size(), 3);
  for (const Peer& peer : peers) EXPECT_TRUE(peer.installed) << peer.name;
}

// That each solves the problem, and not another one, shows in that its hands keep to the circles.
// TSID's remain within 0.006 mm, placo's within 0.03 (kinematics) and 0.2 mm (dynamics, whose
// torque cost pulls at them). A forgotten acceleration costs 2.5 mm, a wrong frequency or hand
// more.
TEST(TwoArmPeers, FollowTheCircles) {
  const std::filesystem::path source = HANDSPAN_SOURCE_DIR,
                              urdf = std::filesystem::path(::testing::TempDir()) / "two_arms.urdf";
  std::ofstream(urdf) << two_arms_urdf(load_robot_folder(source / "robots/fr3"));
  int installed = 0;
  for (const Peer& peer : two_arm_peers(source)) {
    if (!peer.installed) continue;
    ++installed;
    SCOPED_TRACE(peer.name);
    const PeerFigure figure = run_peer(peer, urdf);
    EXPECT_EQ(figure.n, 20000);
    ASSERT_TRUE(figure.tracking.has_value());
    EXPECT_LT(*figure.tracking, 1.0);
    EXPECT_EQ(figure.overhead.has_value(), peer.name.starts_with("placo"));
  }
  if (installed == 0) GTEST_SKIP() << "no rival is installed: tools/setup --peers";
}

}  // namespace peer_process_test
}  // namespace handspan
