// Configurations that nobody meant: each shipped app, its scene and the robots in it with something
// in them changed at random, loaded and run for a moment. Nothing may crash, hang or be written,
// and a run that is none to rely on must say so.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <regex>
#include <sstream>

#include "core/error.hpp"
#include "core/random.hpp"
#include "session/run.hpp"
#include "support/parts.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace mutated_run_test {

namespace fs = std::filesystem;

constexpr int kBatch = 20;         // configurations of a process
constexpr unsigned kLongest = 60;  // of one of them [s]
constexpr std::int64_t kMostTicks = 300;
constexpr Nanoseconds kRun = 150'000'000;

const char* const kApps[] = {"hold", "lift", "grab", "follow", "reach", "toss", "pick-gripper"};

std::string read(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

/// A copy of what apps are made of.
struct Tree {
  explicit Tree(const fs::path& at) : root(at) {
    for (const char* part : {"apps", "scenes", "robots"})
      fs::copy(fs::path(HANDSPAN_SOURCE_DIR) / part, root / part, fs::copy_options::recursive);
    for (const auto& entry : fs::recursive_directory_iterator(root))
      if (entry.path().extension() == ".yaml" || entry.path().filename() == "model.xml")
        files.push_back(entry.path());
    std::ranges::sort(files);
  }
  fs::path root;
  std::vector<fs::path> files;
};

std::string number_like(RandomStream& random, const std::string& was) {
  const std::array<const char*, 14> odd = {"0",      "-1",   "1e-9", "1e9",   "1e300",
                                           "-0.0",   ".nan", ".inf", "true",  "''",
                                           "[1, 2]", "{}",   "~",    "1e-300"};
  const auto kind = random.integer(6);
  if (kind == 0) return odd[random.integer(odd.size())];
  if (kind == 1) return "-" + was;
  const double factor = kind == 2 ? 10.0 : kind == 3 ? 0.1 : kind == 4 ? 1e3 : 1e-3;
  return std::to_string(std::atof(was.c_str()) * factor);
}

/// One change: of a number, a word, a line or a character.
std::string mutated(const std::string& text, RandomStream& random) {
  static const std::regex kNumber("-?[0-9]+(\\.[0-9]+)?(e-?[0-9]+)?");
  static const std::regex kWord("[A-Za-z_][A-Za-z_0-9]*");
  const auto at_random = [&](const std::regex& what) {
    const auto begin = std::sregex_iterator(text.begin(), text.end(), what);
    const auto n = std::distance(begin, std::sregex_iterator());
    if (n == 0) return std::smatch();
    return *std::next(begin,
                      static_cast<std::ptrdiff_t>(random.integer(static_cast<std::uint64_t>(n))));
  };
  const auto with = [&](const std::smatch& match, const std::string& instead) {
    if (match.empty()) return text;
    return text.substr(0, static_cast<std::size_t>(match.position())) + instead +
           text.substr(static_cast<std::size_t>(match.position() + match.length()));
  };
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const auto joined = [&] {
    std::string all;
    for (const auto& line : lines) all += line + "\n";
    return all;
  };
  const std::size_t line = lines.empty() ? 0 : random.integer(lines.size());
  switch (random.integer(8)) {
    case 0:
    case 1:
    case 2: {
      const auto match = at_random(kNumber);
      return match.empty() ? text : with(match, number_like(random, match.str()));
    }
    case 3: {
      const auto a = at_random(kWord), b = at_random(kWord);
      return a.empty() ? text : with(a, b.str());
    }
    case 4: {
      const auto a = at_random(kNumber), b = at_random(kNumber);
      return a.empty() ? text : with(a, b.str());
    }
    case 5:
      if (!lines.empty()) lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(line));
      return joined();
    case 6:
      if (!lines.empty())
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(line), lines[line]);
      return joined();
    default: {
      std::string out = text;
      if (!out.empty())
        out[random.integer(out.size())] = "{}[]:#&*!|>'\"%@`,- \n0a"[random.integer(22)];
      return out;
    }
  }
}

/// What a configuration came to.
enum class Came { kRefused, kRan, kToldBroken };

Came come_of(const fs::path& file) {
  try {
    const App app = load_app(file, test_parts());
    SessionOptions options;
    options.live_devices = false;
    Session session(app, std::move(options));
    RunOptions run;
    run.until = kRun;
    run.between = [&](const PacerCounts&) { return session.ticks() < kMostTicks; };
    const RunSummary summary = run_session(session, run);
    if (diverged(session.world()) && summary.broken().empty())
      throw std::logic_error("it diverged, and the summary does not say so");
    return summary.broken().empty() ? Came::kRan : Came::kToldBroken;
  } catch (const InputError& error) {
    if (std::string_view(error.what()).empty()) throw std::logic_error("an error without words");
    return Came::kRefused;
  }
}

// In a process of its own. @return how many were refused, ran, and ran and were told to be broken
std::array<int, 3> batch(const Tree& tree, int first) {
  std::array<int, 3> counts{};
  for (int i = first; i < first + kBatch; ++i) {
    alarm(kLongest);
    RandomStream random(static_cast<std::uint64_t>(i), "mutation");
    const fs::path app =
        tree.root / "apps" / (std::string(kApps[random.integer(std::size(kApps))]) + ".yaml");
    // half of the time the app itself
    const fs::path file =
        random.integer(2) == 0 ? app : tree.files[random.integer(tree.files.size())];
    const std::string before = read(file);
    const std::string changed = mutated(before, random);
    write(file, changed);
    std::printf("%d %s\n", i, file.filename().c_str());
    std::fflush(stdout);
    try {
      ++counts[static_cast<std::size_t>(come_of(app))];
    } catch (const std::exception& error) {
      std::printf("FAILED %d: %s of %s: %s\n", i, file.c_str(), app.c_str(), error.what());
      std::fflush(stdout);
      _exit(3);
    }
    // what it reads it leaves alone
    if (read(file) != changed) {
      std::printf("FAILED %d: %s was written\n", i, file.c_str());
      std::fflush(stdout);
      _exit(4);
    }
    write(file, before);
  }
  return counts;
}

TEST(MutatedRun, NothingCrashesHangsOrDivergesUnsaid) {
  const int n = test::sized(20000);
  std::array<int, 3> all{};
  for (int first = 0; first < n; first += kBatch) {
    std::string made = (fs::temp_directory_path() / "handspan_mutated_XXXXXX").string();
    ASSERT_NE(mkdtemp(made.data()), nullptr);
    const Tree tree(made);
    const fs::path log = tree.root / "log";
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      std::freopen(log.c_str(), "w", stdout);
      std::freopen("/dev/null", "w", stderr);
      const auto counts = batch(tree, first);
      const auto written = ::write(ends[1], counts.data(), sizeof counts);
      _exit(written == sizeof counts ? 0 : 5);
    }
    close(ends[1]);
    std::array<int, 3> counts{};
    const auto got = ::read(ends[0], counts.data(), sizeof counts);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    const std::string told = read(log);
    fs::remove_all(tree.root);
    ASSERT_TRUE(got == sizeof counts && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        << (WIFSIGNALED(status) ? std::string("signal ") + std::to_string(WTERMSIG(status)) +
                                      (WTERMSIG(status) == SIGALRM ? ", it hangs" : "")
                                : "exit " + std::to_string(WEXITSTATUS(status)))
        << "; the last of\n"
        << told.substr(told.size() > 400 ? told.size() - 400 : 0);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += counts[i];
  }
  std::printf("%d configurations: %d refused, %d ran, %d ran and were told to be broken\n", n,
              all[0], all[1], all[2]);
  // changes that matter, and changes that do not
  EXPECT_GT(all[0], n / 5);
  EXPECT_GT(all[1], n / 5);
}

}  // namespace mutated_run_test
}  // namespace handspan
