// Judges as an app has them: when a verdict is an event, and whose it is where nobody sees
// anything.
#include "session/judge.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "support/alloc.hpp"
#include "support/fake_world.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace judge_test {

// What a judge is to say next.
struct Script {
  Verdict verdict = Verdict::kNone;
  std::string words;
  Nanoseconds seen = -1;
};

class Scripted : public Judge {
 public:
  explicit Scripted(Script& script) : script_(script) {}
  void update(Nanoseconds now) override { script_.seen = now; }
  Verdict verdict() const override { return script_.verdict; }
  VerdictText words() const override { return std::string_view(script_.words); }
  std::string text() const override { return "says what it is told"; }
  void state(StateArchive& archive) override { archive(script_.verdict); }

 private:
  Script& script_;
};

struct Rig {
  // the judge a of a script, and b of another
  Judges::Configs configs() {
    Judges::Configs all;
    for (const auto& [name, script] :
         std::vector<std::pair<std::string, Script*>>{{"a", &script_a}, {"b", &script_b}}) {
      JudgeRegistry::Part part;
      part.name = "scripted";
      part.make = [script = script](const JudgeContext&) {
        return std::make_unique<Scripted>(*script);
      };
      all.emplace_back(name, part);
    }
    return all;
  }
  std::string update(Judges& judges, std::int64_t tick) {
    events.clear(tick);
    judges.update(tick, 1000 * tick, events);
    std::string said;
    for (const Event& event : events.events())
      said += std::string(event.kind) + " " + std::string(event.name) + " " +
              std::string(event.text) + "; ";
    return said;
  }
  Scene scene = test::scene_of(
      "objects:\n  box: {pose: {position: [0, 0, 1]}, mass: 1, shapes: [{type: sphere, radius: "
      "0.1}]}\n");
  test::FakeWorld world{{"box"}, {}, {}};
  Script script_a, script_b;
  EventList events;
};

TEST(Judges, AVerdictIsAnEventWhenItChanges) {
  Rig rig;
  Judges judges;
  judges.make(rig.configs(), rig.scene, &rig.world, {});
  EXPECT_EQ(judges.size(), 2U);
  EXPECT_EQ(rig.update(judges, 1), "");
  EXPECT_EQ(rig.script_b.seen, 1000);
  rig.script_a.verdict = Verdict::kOpen;
  EXPECT_EQ(rig.update(judges, 2), "judged a open; ");
  EXPECT_TRUE(judges.words(0).empty());
  EXPECT_EQ(rig.update(judges, 3), "");
  rig.script_a = {Verdict::kNotGood, "it tumbled", -1};
  rig.script_b.verdict = Verdict::kGood;
  EXPECT_EQ(rig.update(judges, 4), "judged a not good: it tumbled; judged b good; ");
  EXPECT_EQ(judges.verdict(0), Verdict::kNotGood);
  EXPECT_EQ(judges.words(0).view(), "not good: it tumbled");
  // other words of the same verdict are no news
  rig.script_a.words = "it fell";
  EXPECT_EQ(rig.update(judges, 5), "");
  EXPECT_EQ(judges.words(0).view(), "not good: it tumbled");
}

TEST(Judges, WithoutASimulationVerdictsAreThoseThatWereTold) {
  Rig rig;
  Judges judges;
  judges.make(
      rig.configs(), rig.scene, nullptr,
      {{3, "a", "open"}, {5, "a", "not good: it tumbled"}, {5, "b", "good"}, {9, "a", "none"}});
  EXPECT_EQ(judges.texts()[0], "judge a: sees nothing: nothing is simulated");
  EXPECT_EQ(rig.update(judges, 2), "");
  EXPECT_EQ(rig.update(judges, 3), "judged a open; ");
  EXPECT_EQ(judges.verdict(0), Verdict::kOpen);
  EXPECT_TRUE(judges.words(0).empty());
  // ticks that were gone past come with the next
  EXPECT_EQ(rig.update(judges, 7), "judged a not good: it tumbled; judged b good; ");
  EXPECT_EQ(judges.verdict(0), Verdict::kNotGood);
  EXPECT_EQ(judges.verdict(1), Verdict::kGood);
  EXPECT_EQ(judges.words(0).view(), "not good: it tumbled");
  EXPECT_EQ(rig.update(judges, 9), "judged a none; ");
  EXPECT_EQ(judges.verdict(0), Verdict::kNone);
  EXPECT_EQ(rig.script_a.seen, -1);
}

TEST(Judges, WhoSeesIsNotTold) {
  Rig rig;
  Judges judges;
  judges.make(rig.configs(), rig.scene, &rig.world, {{1, "a", "good"}});
  EXPECT_EQ(rig.update(judges, 1), "");
  EXPECT_EQ(judges.verdict(0), Verdict::kNone);
  EXPECT_EQ(judges.texts()[1], "judge b: says what it is told");
}

TEST(Judges, TheirChannelIsTheVerdict) {
  Rig rig;
  Judges judges;
  judges.make(rig.configs(), rig.scene, &rig.world, {});
  ChannelTable channels;
  judges.declare(channels, Rate{1000, 1});
  channels.seal();
  rig.script_b.verdict = Verdict::kNotGood;
  rig.update(judges, 1);
  judges.publish(channels, 42);
  const ChannelId id = channels.find("judge.b");
  EXPECT_EQ(channels.channels()[id.index].choices[static_cast<std::size_t>(channels.integer(id))],
            "not good");
  EXPECT_EQ(channels.stamp(id), 42);
  EXPECT_EQ(channels.integer(channels.find("judge.a")), 0);
}

TEST(Judges, NamesThatAreNotThereAreErrors) {
  Rig rig;
  Judges judges;
  const auto error_of = [&](const std::string& name) -> std::string {
    try {
      judges.find(name);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(error_of("a"), "the app has no judge 'a', nor any other");
  judges.make(rig.configs(), rig.scene, &rig.world, {});
  EXPECT_EQ(judges.find("b"), 1U);
  EXPECT_EQ(error_of("toss"), "the app has no judge 'toss'; it has: a, b");
}

TEST(Judges, OneThatCannotBeMadeIsSaidWithItsPlace) {
  Rig rig;
  Judges judges;
  JudgeRegistry::Part part;
  part.place = {"app.yaml", 12, 3};
  part.make = [](const JudgeContext& context) -> std::unique_ptr<Judge> {
    throw InputError("no such object for '" + context.name + "'");
  };
  try {
    judges.make({{"toss", part}}, rig.scene, &rig.world, {});
    ADD_FAILURE();
  } catch (const ConfigError& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("app.yaml:12"), std::string::npos) << said;
    EXPECT_NE(said.find("judges.toss cannot be made: no such object for 'toss'"), std::string::npos)
        << said;
  }
}

TEST(Judges, ASnapshotHasTheVerdictAndItsWords) {
  Rig rig;
  Judges judges, other;
  judges.make(rig.configs(), rig.scene, &rig.world, {});
  other.make(rig.configs(), rig.scene, &rig.world, {});
  rig.script_a = {Verdict::kNotGood, "it tumbled", -1};
  rig.update(judges, 1);
  std::vector<std::byte> bytes;
  StateArchive save(bytes);
  judges.state(save);
  StateArchive load{std::span<const std::byte>(bytes)};
  other.state(load);
  EXPECT_EQ(other.verdict(0), Verdict::kNotGood);
  EXPECT_EQ(other.words(0).view(), "not good: it tumbled");
  // it is no news any more
  EXPECT_EQ(rig.update(other, 2), "");
}

TEST(Judges, WordsThatAreTooLongAreCutAndATickAllocatesNothing) {
  Rig rig;
  Judges judges;
  judges.make(rig.configs(), rig.scene, &rig.world, {});
  rig.script_a = {Verdict::kNotGood, std::string(1000, 'x'), -1};
  rig.events.clear(0);
  const test::AllocationCount allocations;
  judges.update(0, 0, rig.events);
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_LE(judges.words(0).view().size(), static_cast<std::size_t>(VerdictText::kMost));
  EXPECT_EQ(judges.words(0).view().find("not good: xxx"), 0U);
}

}  // namespace judge_test
}  // namespace handspan
