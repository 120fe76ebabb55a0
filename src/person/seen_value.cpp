#include "person/seen_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"

namespace handspan {

WatchedValue::WatchedValue(const SeenValue& seen, const ChannelTable& channels)
    : id_(channels.find(seen.channel)) {
  if (!seen.label) return;
  const ChannelInfo& info = channels.info(id_);
  const auto label = std::ranges::find(info.labels, *seen.label);
  if (label == info.labels.end())
    throw InputError(
        info.labels.empty()
            ? fmt::format("'{}' has no elements with names; leave the label out", info.name)
            : fmt::format("'{}' has no element '{}'; {}", info.name, shown(*seen.label),
                          did_you_mean(*seen.label, info.labels, "it has")));
  element_ = static_cast<int>(label - info.labels.begin());
}

double WatchedValue::value(const ChannelTable& channels) const {
  if (!holds_doubles(channels.info(id_).type)) return static_cast<double>(channels.integer(id_));
  const auto values = channels.numbers(id_);
  if (element_ >= 0) return values[element_];
  if (values.size() == 1) return values[0];
  return values.head(values.size() == 6 ? 3 : values.size()).norm();
}

double WatchedValue::now(const ChannelTable& channels) const {
  const double v = value(channels);
  return channels.writes(id_) > 0 && std::isfinite(v) ? v
                                                      : std::numeric_limits<double>::quiet_NaN();
}

bool WatchedValue::holds(const SeenValue& seen, const ChannelTable& channels) const {
  const double v = value(channels);
  return channels.writes(id_) > 0 && std::isfinite(v) && (!seen.above || v > *seen.above) &&
         (!seen.below || v < *seen.below);
}

ChannelId find_pose(const std::string& name, const ChannelTable& channels) {
  const ChannelId id = channels.find(name);
  const ChannelType type = channels.info(id).type;
  if (type == ChannelType::kPose) return id;
  throw InputError(fmt::format("'{}' is a {}; it must be a pose", name, name_of(type)));
}

std::optional<Pose> pose_on(ChannelId id, const ChannelTable& channels) {
  const auto n = channels.numbers(id);
  if (channels.writes(id) == 0 || !n.allFinite() || !(n.tail<4>().norm() > 0.5)) return {};
  return Pose::from(n.head<3>(), quaternion_from_xyzw(n.tail<4>()));
}

Schema<SeenValue> felt_value_schema() {
  return object<SeenValue>("Felt", "a channel that is felt, such as a wrench")
      .place(&SeenValue::place)
      .required("channel", &SeenValue::channel, text())
      .optional("label", &SeenValue::label, text(),
                "an element of a vector; left out: its length, of a wrench that of the force");
}

Schema<SeenValue> seen_value_schema() {
  return object<SeenValue>("Seen", "a channel's value that is awaited")
      .required("channel", &SeenValue::channel, text())
      .optional("label", &SeenValue::label, text(),
                "an element of a vector; left out: its length, of a wrench that of the force")
      .optional("above", &SeenValue::above, number())
      .optional("below", &SeenValue::below, number())
      .check(
          [](const SeenValue& seen) -> std::optional<Fault> {
            if (seen.above || seen.below) return std::nullopt;
            return Fault{"is awaited at no value", "give above or below"};
          },
          "above or below");
}

}  // namespace handspan
