#pragma once
// What a question has read, and whether that has changed since. A plan, a detection or a policy
// takes longer than a tick; when its answer comes, the machine may be in another state, an object
// may have been moved, the scene put back, the reference set anew. A question therefore keeps the
// versions of what it read, and an answer to a question whose versions are no longer true is
// refused by the name of what changed.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/fixed_text.hpp"
#include "core/index.hpp"
#include "core/schema.hpp"
#include "core/state_archive.hpp"
#include "math/pose.hpp"
#include "reference/arbiter.hpp"
#include "reference/source.hpp"

namespace handspan {

/// Counts, by name, how often something has changed: "scene", "machine.NAME".
class Versions {
 public:
  using Id = Index<Versions>;

  // at set-up

  Id add(std::string name);
  /// @throws InputError naming those there are
  Id find(std::string_view name) const;

  // in a tick; nothing allocates or throws

  const std::string& name(Id id) const { return names_[id.value]; }
  std::uint32_t at(Id id) const { return counts_[id.value]; }
  void change(Id id) { ++counts_[id.value]; }
  void set(Id id, std::uint32_t count) { counts_[id.value] = count; }
  void state(StateArchive& archive) { archive(counts_); }

 private:
  std::vector<std::string> names_;
  std::vector<std::uint32_t> counts_;
};

inline constexpr char kSceneVersion[] = "scene", kMachineVersion[] = "machine.";

/// An object that has moved further than this since it was read is elsewhere [m], [rad].
inline constexpr double kMovedDistance = 0.005, kMovedAngle = 0.035;
/// Of each kind, in the list of one source.
inline constexpr std::size_t kMostRead = 8;

/// `reads:` of a source: what its questions depend on beside the reference that it moves.
struct ReadsConfig {
  std::vector<std::string> machines;  // in whose state
  std::vector<std::string> objects;   // where they are
  bool scene = true;                  // whether the scene was put back
};
Schema<ReadsConfig> reads_schema();

/// How everything was when a question was asked.
struct Seen {
  std::array<std::uint32_t, kMostRead> machines{};
  std::uint32_t scene = 0;
  std::uint32_t reference = 0;  // how often it was set anew
  std::array<Pose, kMostRead> X_WO;
  void state(StateArchive& archive) {
    archive(machines, scene, reference);
    for (Pose& X : X_WO) archive(X.p, X.R);
  }
};

class Reads {
 public:
  /// @param task whose reference the source moves
  /// @throws InputError when a machine, an object or the task is not there, or an object is to be
  /// read where nothing is simulated
  Reads(const ReadsConfig& config, const std::string& task, const SourceContext& context);

  // nothing allocates or throws

  void look(Seen& seen) const;
  /// What of it is no longer true, in words: "object 'box' has moved by 12 mm". Empty: all is.
  FixedText<126> changed(const Seen& seen) const;
  ReferenceIndex reference() const { return reference_; }

 private:
  struct Object {
    std::string name;
    int body = 0;
  };
  const Versions* versions_;
  const Arbiter* arbiter_;
  const World* world_;
  std::vector<Versions::Id> machines_;
  std::vector<Object> objects_;
  bool scene_;
  Versions::Id scene_id_;
  ReferenceIndex reference_;
};

}  // namespace handspan
