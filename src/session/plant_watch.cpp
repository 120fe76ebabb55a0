#include "session/plant_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace handspan {

std::string plant_channel(const std::string& plant, const char* what) {
  return plant.empty() ? fmt::format("plant.{}", what) : fmt::format("plant.{}.{}", plant, what);
}

PlantWatch::PlantWatch(const PlantSet& plants) : plants_(plants) {
  const Nanoseconds tick = plants.layout().period;
  for (std::size_t m = 0; m < plants.members().size(); ++m) {
    const PlantMember& member = plants.members()[m];
    if (member.plant->simulated()) continue;
    Seen seen;
    seen.member = m;
    seen.sequence = member.plant->read().sequence;
    seen.status = member.plant->read().status;
    // two clocks drift: now and then a tick sees two periods end
    if (!member.clock)
      seen.overtaken = static_cast<std::uint64_t>(tick / member.plant->layout().period);
    seen_.push_back(seen);
  }
}

void PlantWatch::declare(ChannelTable& channels) {
  std::vector<std::string> words;
  for (int s = 0; s <= static_cast<int>(PlantStatus::kPacketLoss); ++s)
    words.push_back(name_of(static_cast<PlantStatus>(s)));
  for (Seen& seen : seen_) {
    const PlantMember& member = plants_.members()[seen.member];
    const Rate rate = Rate::from_period(member.plant->layout().period);
    seen.sequence_channel = channels.integer(plant_channel(member.name, kSequenceChannel), "", rate,
                                             "the plant's own count");
    seen.status_channel =
        channels.choice(plant_channel(member.name, kStatusChannel), words, rate, "of the plant");
  }
}

void PlantWatch::update(EventList& events) {
  char text[126];
  for (Seen& seen : seen_) {
    const PlantMember& member = plants_.members()[seen.member];
    const Observation& observation = member.plant->read();
    const char* colon = member.name.empty() ? "" : ": ";
    const auto add = [&](auto end) {
      events.add("plant", name_of(observation.status),
                 std::string_view(text, std::min(end.size, sizeof text)));
    };
    if (observation.sequence > seen.sequence + 1) {
      const std::uint64_t lost = observation.sequence - seen.sequence - 1;
      seen.lost += lost;
      if (lost > seen.overtaken)
        add(fmt::format_to_n(text, sizeof text, "{}{}{} observations before {} were lost",
                             member.name, colon, lost, observation.sequence));
    }
    seen.sequence = observation.sequence;
    if (observation.status == seen.status) continue;
    add(fmt::format_to_n(text, sizeof text, "{}{}was: {}", member.name, colon,
                         name_of(seen.status)));
    seen.status = observation.status;
  }
}

void PlantWatch::publish(ChannelTable& channels) const {
  for (const Seen& seen : seen_) {
    const Observation& observation = plants_.members()[seen.member].plant->read();
    channels.write(seen.sequence_channel, static_cast<std::int64_t>(observation.sequence),
                   observation.stamp);
    channels.write(seen.status_channel, static_cast<std::size_t>(observation.status),
                   observation.stamp);
  }
}

std::uint64_t PlantWatch::lost() const {
  std::uint64_t lost = 0;
  for (const Seen& seen : seen_) lost += seen.lost;
  return lost;
}

std::uint64_t PlantWatch::lost(std::size_t member) const {
  for (const Seen& seen : seen_)
    if (seen.member == member) return seen.lost;
  return 0;
}

void PlantWatch::state(StateArchive& archive) {
  archive.part("plant watch");
  for (Seen& seen : seen_) archive(seen);
}

}  // namespace handspan
