#pragma once
// What real plants observe is watched: observations that the loop never saw, and a status that
// changed, are events with the plant's name; count and status are channels. Simulations lose none.
#include <string>
#include <vector>

#include "core/channel.hpp"
#include "plant/plant_set.hpp"
#include "reference/event.hpp"

namespace handspan {

/// "plant.left.sequence", "plant.left.status"; of a plant without a name "plant.sequence".
std::string plant_channel(const std::string& plant, const char* what);
inline constexpr char kSequenceChannel[] = "sequence";
inline constexpr char kStatusChannel[] = "status";

class PlantWatch {
 public:
  /// Watches what is not simulated. @param plants outlives it
  explicit PlantWatch(const PlantSet& plants);
  void declare(ChannelTable& channels);

  // in a tick; nothing allocates, locks or throws

  /// After plants have advanced.
  void update(EventList& events);
  void publish(ChannelTable& channels) const;
  /// Observations that the loop never saw, by the plants' own counts: lost on the way or, of a
  /// plant that is not waited for, overtaken by a newer one before a tick asked.
  std::uint64_t lost() const;
  std::uint64_t lost(std::size_t member) const;
  void state(StateArchive& archive);

 private:
  struct Seen {
    std::size_t member;
    std::uint64_t sequence = 0, lost = 0;
    // of a plant that is not waited for: so many may come between two ticks
    std::uint64_t overtaken = 0;
    PlantStatus status = PlantStatus::kRunning;
    IntegerChannel sequence_channel;
    ChoiceChannel status_channel;
    void state(StateArchive& archive) { archive(sequence, lost, status); }
  };

  const PlantSet& plants_;
  std::vector<Seen> seen_;
};

}  // namespace handspan
