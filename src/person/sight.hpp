#pragma once
// What a scripted person sees of the channels: poses, and values that are waited for, as they were
// a delay ago (cameras and networks show things late; the person's own reaction comes on top, see
// operator_model.hpp). Without a delay it is what the channels have now.
#include <optional>
#include <vector>

#include "person/seen_value.hpp"

namespace handspan {

class Sight {
 public:
  /// @param delay [s]  @param rate of look() [Hz]: what is kept is for that
  Sight(double delay, double rate);

  // at set-up

  /// Nothing is watched any more.
  void clear();
  /// What is watched has this index. @throws InputError for a channel or element that is not there
  std::size_t pose(const std::string& name, const ChannelTable& channels);
  std::size_t value(const SeenValue& seen, const ChannelTable& channels);

  // in a tick; nothing allocates or throws

  /// At each sample, at a time that rises [ns]. The channels outlive what is asked after it.
  void look(Nanoseconds now, const ChannelTable& channels);
  /// As if it had never looked.
  void forget() { looks_ = 0; }
  /// X_WE as it is seen; nothing before it was shown, or when it is none.
  std::optional<Pose> pose(std::size_t index) const;
  /// Whether a value is seen beyond what is awaited.
  bool holds(std::size_t index) const;

 private:
  struct Watched {
    ChannelId id;
    std::vector<std::optional<Pose>> shown;  // in a ring
  };
  struct Awaited {
    SeenValue seen;
    WatchedValue watched;
    std::vector<char> held;  // in a ring
  };

  Nanoseconds delay_;
  std::size_t kept_;  // looks; 0: nothing is late
  std::vector<Nanoseconds> times_;
  std::vector<Watched> poses_;
  std::vector<Awaited> values_;
  const ChannelTable* channels_ = nullptr;
  std::uint64_t looks_ = 0;            // so far
  std::optional<std::size_t> latest_;  // in the rings: the newest that is seen
};

}  // namespace handspan
