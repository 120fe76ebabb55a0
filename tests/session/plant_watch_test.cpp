#include "session/plant_watch.hpp"

#include <gtest/gtest.h>

#include "scene/load_scene.hpp"
#include "session_support.hpp"
#include "support/fake_plant.hpp"

namespace handspan {
namespace plant_watch_test {

using test::FakeDiary;
using test::FakeOptions;
using test::FakePlant;

// two fakes that a test moves on: a is waited for, b is polled
struct Watched {
  explicit Watched(double loss, Nanoseconds period_b = 1'000'000)
      : scene(parse_scene(test::kPairScene,
                          std::filesystem::path(HANDSPAN_SOURCE_DIR) / "scenes" / "t.yaml")) {
    FakeOptions options;
    options.loss = loss;
    FakeOptions options_b;
    options_b.period = period_b;
    auto one = std::make_unique<FakePlant>(scene, std::vector<std::string>{"left"}, options, diary);
    auto two =
        std::make_unique<FakePlant>(scene, std::vector<std::string>{"picker"}, options_b, diary_b);
    a = one.get();
    b = two.get();
    std::vector<PlantMember> members;
    members.push_back({"a", std::move(one), true, {}, {}});
    members.push_back({"b", std::move(two), false, {}, {}});
    set = std::make_unique<PlantSet>(scene_layout(scene), std::move(members));
    watch = std::make_unique<PlantWatch>(*set);
    watch->declare(channels);
    channels.seal();
  }
  void tick() {
    set->wait();
    set->advance();
    events.clear(0);
    watch->update(events);
    watch->publish(channels);
    for (const Event& event : events.events())
      said.push_back(std::string(event.kind.view()) + " " + std::string(event.name.view()) + " " +
                     std::string(event.text.view()));
  }
  Scene scene;
  FakeDiary diary, diary_b;
  FakePlant *a = nullptr, *b = nullptr;
  std::unique_ptr<PlantSet> set;
  std::unique_ptr<PlantWatch> watch;
  ChannelTable channels;
  EventList events;
  std::vector<std::string> said;
};

TEST(PlantWatch, CountsWhatWasLostOfEachPlantAndSaysSo) {
  Watched watched(0.1);
  for (int i = 0; i < 500; ++i) watched.tick();
  EXPECT_GT(watched.diary.lost, 20U);
  EXPECT_EQ(watched.watch->lost(0), watched.diary.lost);
  EXPECT_EQ(watched.watch->lost(1), 0U);
  EXPECT_EQ(watched.watch->lost(), watched.diary.lost);
  ASSERT_FALSE(watched.said.empty());
  for (const auto& text : watched.said) {
    EXPECT_TRUE(text.starts_with("plant running a: ")) << text;
    EXPECT_NE(text.find(" observations before "), std::string::npos) << text;
  }
  EXPECT_EQ(watched.channels.integer(watched.channels.find("plant.a.sequence")),
            static_cast<std::int64_t>(5500 + watched.diary.lost));
  EXPECT_EQ(watched.channels.integer(watched.channels.find("plant.b.sequence")), 5500);
}

TEST(PlantWatch, OneOvertakenByANewerOneIsCountedAndNoEvent) {
  // b observes twice as often as anybody looks
  Watched watched(0.0, 500'000);
  for (int i = 0; i < 100; ++i) {
    watched.set->wait();
    watched.set->advance();
    watched.set->wait();
    watched.tick();
  }
  EXPECT_EQ(watched.set->layout().period, 500'000);
  EXPECT_EQ(watched.watch->lost(1), 100U);
  EXPECT_TRUE(watched.said.empty());
}

TEST(PlantWatch, AStatusThatChangesIsAnEventWithThePlantsName) {
  Watched watched(0.0);
  watched.tick();
  watched.b->status = PlantStatus::kPacketLoss;
  watched.tick();
  watched.tick();
  watched.b->status = PlantStatus::kRunning;
  watched.tick();
  EXPECT_EQ(watched.said, (std::vector<std::string>{"plant packet loss b: was: running",
                                                    "plant running b: was: packet loss"}));
}

TEST(PlantWatch, ItsStateGoesOnFromASnapshot) {
  Watched watched(0.1);
  for (int i = 0; i < 50; ++i) watched.tick();
  std::vector<std::byte> bytes;
  StateArchive save(bytes);
  watched.watch->state(save);
  const std::uint64_t lost = watched.watch->lost();
  for (int i = 0; i < 200; ++i) watched.tick();
  EXPECT_GT(watched.watch->lost(), lost);
  StateArchive load{std::span<const std::byte>(bytes)};
  watched.watch->state(load);
  load.finish();
  EXPECT_EQ(watched.watch->lost(), lost);
}

TEST(PlantWatch, SimulationsAreNotWatched) {
  const Scene scene = parse_scene(test::kPairScene,
                                  std::filesystem::path(HANDSPAN_SOURCE_DIR) / "scenes" / "t.yaml");
  const auto set = PlantSet::of(std::make_unique<MujocoPlant>(scene));
  PlantWatch watch(*set);
  ChannelTable channels;
  watch.declare(channels);
  EXPECT_TRUE(channels.channels().empty());
}

}  // namespace plant_watch_test
}  // namespace handspan
