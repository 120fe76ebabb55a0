#pragma once
// Objects that fall out of the scene are events: nothing will ever catch them.
#include <string>
#include <vector>

#include "core/state_archive.hpp"
#include "plant/world.hpp"
#include "reference/event.hpp"
#include "scene/scene.hpp"

namespace handspan {

class FallWatch {
 public:
  /// @param world outlives it, as does its scene
  FallWatch(const World& world, const Scene& scene);
  /// In a tick, after the plant has advanced; nothing allocates, locks or throws.
  void update(EventList& events);
  void state(StateArchive& archive);

 private:
  struct Object {
    std::string name;
    int body;
    bool fallen = false;
    void state(StateArchive& archive) { archive(fallen); }
  };

  const World& world_;
  std::vector<Object> objects_;
  double below_ = 0.0;  // nothing that is still there is lower [m]
  bool ground_;
};

}  // namespace handspan
