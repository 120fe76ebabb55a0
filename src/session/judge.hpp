#pragma once
// What judges how something went while the app runs: by what is simulated, as a motion capture
// would see it. Judges register by name with a schema. A verdict is a channel and an event, moves
// machines (the condition `judged`), and is shown on the station's page until the next one.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/channel.hpp"
#include "core/fixed_text.hpp"
#include "core/registry.hpp"
#include "core/state_archive.hpp"
#include "plant/world.hpp"
#include "reference/event.hpp"
#include "scene/scene.hpp"

namespace handspan {

/// What a judge is made for, at set-up; everything outlives it.
struct JudgeContext {
  std::string name;
  const Scene& scene;
  World& world;
};

enum class Verdict : std::uint8_t {
  kNone,  // nothing was done yet
  kOpen,  // it goes on
  kGood,
  kNotGood,
};
/// "none", "open", "good", "not good".
const char* name_of(Verdict verdict);

using VerdictText = FixedText<166>;

class Judge {
 public:
  static constexpr char kKind[] = "judge";

  virtual ~Judge() = default;
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;
  Judge() = default;

  // in a tick; nothing allocates, locks or throws

  /// After the plant has advanced.
  virtual void update(Nanoseconds now) = 0;
  virtual Verdict verdict() const = 0;
  /// Why, when it is good or not: "it tumbled (62 deg; at most 30)".
  virtual VerdictText words() const = 0;
  /// In words, as `handspan check APP` prints it.
  virtual std::string text() const = 0;
  virtual void state(StateArchive& archive) = 0;
};

using JudgeRegistry = Registry<Judge, const JudgeContext&>;

/// A verdict that came about before, as its event told it.
struct ToldVerdict {
  std::int64_t tick = 0;  // in which
  std::string judge;
  VerdictText words;
};

/// The judges of an app, by name. Without a world they see nothing: their verdicts are those
/// that are given, as in an open replay, or none.
class Judges {
 public:
  using Configs = std::vector<std::pair<std::string, JudgeRegistry::Part>>;

  /// @param world none: nothing is simulated; outlives this
  /// @param told by tick; for when nothing is simulated
  /// @throws ConfigError with the place of one that cannot be made
  void make(const Configs& configs, const Scene& scene, World* world,
            std::vector<ToldVerdict> told);
  void declare(ChannelTable& channels, Rate rate);
  std::size_t size() const { return judges_.size(); }
  const std::string& name(std::size_t judge) const { return judges_[judge].name; }
  /// @throws InputError naming those there are
  std::size_t find(const std::string& name) const;
  std::vector<std::string> texts() const;

  // in a tick; nothing allocates, locks or throws

  void update(std::int64_t tick, Nanoseconds now, EventList& events);
  void publish(ChannelTable& channels, Nanoseconds stamp) const;
  Verdict verdict(std::size_t judge) const { return judges_[judge].verdict; }
  const VerdictText& words(std::size_t judge) const { return judges_[judge].words; }
  void state(StateArchive& archive);

 private:
  struct Entry {
    std::string name;
    std::unique_ptr<Judge> judge;  // none: nothing is simulated
    Verdict verdict = Verdict::kNone;
    VerdictText words;
    ChoiceChannel channel;
  };

  static void set(Entry& entry, Verdict verdict, const VerdictText& words, EventList& events);

  std::vector<Entry> judges_;
  std::vector<ToldVerdict> told_;
  std::size_t next_told_ = 0;
};

}  // namespace handspan
