#include "station/places.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace handspan {

int Places::oldest(const std::string& group) const {
  for (const auto& [number, place] : places_)
    if (place.visitor.device == 0 && place.visitor.group == group) return number;
  return 0;
}

void Places::end(int number) {
  const auto found = places_.find(number);
  if (found == places_.end()) return;
  const Close close = std::move(found->second.close);
  places_.erase(found);
  if (close) close();
}

int Places::take(const Visitor& visitor, std::string& evicted) {
  std::map<std::string, std::size_t> all, unknown;
  std::size_t others = 0;
  for (const auto& [number, place] : places_) {
    ++all[place.visitor.group];
    others += place.visitor.local ? 0U : 1U;
    if (place.visitor.device == 0) ++unknown[place.visitor.group];
  }
  int victim = 0;
  bool full = false;
  if (!visitor.local && all[visitor.group] >= kMostOfAddress) {
    full = true;
    victim = oldest(visitor.group);
  } else if (places_.size() >= kMostConnections ||
             (!visitor.local && others >= kMostConnections - kKeptForLocal)) {
    full = true;
    // another machine takes none of those that are kept for this one
    const std::string local = Visitor().group;
    if (!visitor.local && all[local] <= kKeptForLocal) unknown.erase(local);
    const auto most =
        std::ranges::max_element(unknown, {}, [](const auto& group) { return group.second; });
    if (most != unknown.end()) victim = oldest(most->first);
  }
  if (full && victim == 0) return 0;
  if (full) {
    evicted = places_.at(victim).visitor.address;
    end(victim);
  }
  places_[next_].visitor = visitor;
  return next_++;
}

void Places::set_close(int place, Close close) {
  const auto found = places_.find(place);
  if (found != places_.end()) found->second.close = std::move(close);
}

void Places::show(int place, int device) {
  const auto found = places_.find(place);
  if (found != places_.end()) found->second.visitor.device = device;
}

void Places::end_device(int device) {
  std::vector<int> theirs;
  for (const auto& [number, place] : places_)
    if (place.visitor.device == device) theirs.push_back(number);
  for (const int number : theirs) end(number);
}

HeldPlace::HeldPlace(HeldPlace&& other) noexcept
    : places_(other.places_), number_(std::exchange(other.number_, 0)) {}

}  // namespace handspan
