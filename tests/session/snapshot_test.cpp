// A snapshot is everything: a session restored from one goes on with the same
// bits as the one that it was taken from.
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "session_support.hpp"
#include "support/alloc.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace snapshot_test {

using test::AppFolder;
using test::kPairArms;

const std::string kBusy = kPairArms + R"(sources:
  person: {type: pose_stream}
  other: {type: pose_stream, relative: true}
goals: [{task: cup, centre: [1.3, 0, 0.6], radius: 0.8, period: 0.3 s}]
machines:
  left:
    start: follow
    states:
      follow: {do: [{type: follow, task: hand, reengages: true, sources: [{source: person}, {source: other, share: 0.5}]}], next: [{to: rest, when: [{type: after, time: 0.3 s}]}]}
      rest: {do: [{type: hold, tasks: [hand]}, {type: grip, group: picker.cup}], next: [{to: follow, when: [{type: after, time: 0.1 s}]}]}
)";

// Inputs that are a function of the tick, so that two sessions get the same.
class Script : public InputFeed {
 public:
  explicit Script(std::uint64_t seed) : seed_(seed) {}
  bool next(std::int64_t tick, Input& input) override {
    if (tick != tick_) {
      tick_ = tick;
      left_ = tick % 7 == 0 ? 1 : 0;
    }
    if (left_-- <= 0) return false;
    RandomStream random(seed_ + static_cast<std::uint64_t>(tick), "script");
    input.kind = InputKind::kSample;
    input.to = random.uniform() < 0.5 ? "person" : "other";
    if (random.uniform() < 0.02) {
      input.kind = random.uniform() < 0.5 ? InputKind::kStop : InputKind::kResume;
      return true;
    }
    if (random.uniform() < 0.05) {
      input.kind = InputKind::kParameter;
      input.to = "task.hand.weight";
      input.set(std::vector<double>{random.uniform(0.5, 2.0)});
      return true;
    }
    const Eigen::Vector3d p = Eigen::Vector3d(0.5, 0.0, 0.5) + 0.3 * random.direction();
    input.set(std::vector<double>{0.0, p.x(), p.y(), p.z(), 1.0, random.uniform(), 0.0, 0.1});
    return true;
  }

 private:
  std::uint64_t seed_;
  std::int64_t tick_ = -1;
  int left_ = 0;
};

SessionOptions scripted(std::uint64_t seed) {
  SessionOptions options;
  options.feed = std::make_unique<Script>(seed);
  return options;
}

TEST(Snapshot, RestoredAtARandomTickASessionGoesOnWithTheSameBits) {
  const AppFolder folder;
  const App app = folder.app(kBusy);
  for (int run = 0; run < test::sized(100); ++run) {
    RandomStream random(static_cast<std::uint64_t>(run), "snapshot");
    const auto seed = random.bits();
    const auto at = static_cast<int>(random.integer(1200)), after = 300;
    Session one(app, scripted(seed));
    for (int i = 0; i < at; ++i) one.tick();
    std::vector<std::byte> bytes;
    one.snapshot(bytes);
    Session other(app, scripted(seed));
    // from somewhere else than a new one
    for (std::uint64_t i = random.integer(50); i > 0; --i) other.tick();
    other.restore(bytes);
    std::vector<std::byte> again;
    other.snapshot(again);
    ASSERT_EQ(bytes, again) << "run " << run;
    for (int i = 0; i < after; ++i) {
      one.tick();
      other.tick();
      ASSERT_EQ(one.hashes(), other.hashes()) << "run " << run << ", tick " << at << " + " << i;
    }
    one.snapshot(bytes);
    other.snapshot(again);
    ASSERT_EQ(bytes, again) << "run " << run;
  }
}

TEST(Snapshot, IsTakenWithoutTheHeap) {
  const AppFolder folder;
  const App app = folder.app(kBusy);
  Session session(app, scripted(1));
  std::vector<std::byte> bytes;
  session.snapshot(bytes);
  bytes.reserve(2 * bytes.size());
  for (int i = 0; i < 100; ++i) session.tick();
  session.snapshot(bytes);
  session.tick();
  const test::AllocationCount allocations;
  session.snapshot(bytes);
  EXPECT_EQ(allocations.count(), 0U);
}

TEST(Snapshot, OfAnotherAppAndDamagedOnesAreErrors) {
  const AppFolder folder;
  const App app = folder.app(kBusy), other_app = folder.app(kPairArms, "other");
  Session session(app), other(other_app);
  std::vector<std::byte> bytes;
  other.snapshot(bytes);
  try {
    session.restore(bytes);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "the snapshot is of another app: 'session other' is where 'session test' should "
                 "be");
  }
  session.snapshot(bytes);
  // every length is found out; the session may be in any state then
  for (std::size_t n = 0; n < bytes.size(); n += 1 + bytes.size() / 200)
    EXPECT_THROW(session.restore(std::span(bytes).first(n)), InputError) << n;
  session.restore(bytes);
}

}  // namespace snapshot_test
}  // namespace handspan
