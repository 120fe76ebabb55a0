#include "teleop/clutch.hpp"

#include <algorithm>

#include "core/object.hpp"
#include "core/values.hpp"

namespace handspan {

Clutch::Clutch(const ClutchConfig& config, const DeviceState& device, std::size_t pose,
               std::vector<TrackedAs> accepts)
    : recloses_(config.recloses), pose_(pose), accepts_(std::move(accepts)) {
  if (config.safety) safety_ = device.control(*config.safety);
  if (config.motion) motion_ = device.control(*config.motion);
  open();
}

void Clutch::open() {
  closed_ = false;
  waits_ = Why::kHeldBefore;
  // without controls there is nothing to release: whoever gives authority closes it
  may_close_ = recloses_ || (!safety_ && !motion_);
}

bool Clutch::update(const DeviceState& device) {
  const PoseTrack& pose = device.pose(pose_);
  const bool safe = !safety_ || device.pressed(*safety_);
  const bool held = safe && (!motion_ || device.pressed(*motion_));
  if (closed_ && pose.breaks() != breaks_) {
    closed_ = false;
    may_close_ = recloses_;
    waits_ = Why::kBroken;
    why_ = pose.why();
  }
  if (!held) {
    closed_ = false;
    // a device that is silent, or whose controls cannot be believed, has released nothing
    const bool known =
        (!safety_ || device.believed(*safety_)) && (!motion_ || device.believed(*motion_));
    if (device.present() && known) {
      may_close_ = true;
      waits_ = safe ? Why::kOpen : Why::kSafetyOpen;
    } else if (device.why() == Break::kNothingYet && device.present()) {
      waits_ = Why::kUnknown;
    } else {
      waits_ = Why::kBroken;
      why_ = device.why();
    }
    return false;
  }
  if (closed_ || !may_close_) return closed_;
  if (!pose.steady()) {
    waits_ = Why::kBroken;
    why_ = pose.why();
    return false;
  }
  if (!accepts_.empty() && std::ranges::count(accepts_, pose.tracked_as()) == 0) {
    waits_ = Why::kNotAccepted;
    return false;
  }
  closed_ = true;
  may_close_ = false;
  breaks_ = pose.breaks();
  return true;
}

const char* Clutch::reason() const {
  switch (waits_) {
    case Why::kOpen:
      return "the clutch is open";
    case Why::kSafetyOpen:
      return "the safety clutch is open";
    case Why::kNotAccepted:
      return "it is tracked as something that may not be followed";
    case Why::kHeldBefore:
      return "the clutch is held: release it and press it anew";
    case Why::kUnknown:
      return "the clutch was not seen released yet";
    case Why::kBroken:
      return text_of(why_);
  }
  return "";
}

Schema<ClutchConfig> clutch_schema() {
  return object<ClutchConfig>("Clutch", "what must be held so that a hand is followed")
      .optional("safety", &ClutchConfig::safety, text(),
                "button or axis of the device; left out: none is needed")
      .optional("motion", &ClutchConfig::motion, text(),
                "another one; with neither it is held by configuration while the hand is tracked")
      .optional("recloses", &ClutchConfig::recloses, boolean(),
                "by itself after tracking was lost; else it must be pressed anew");
}

}  // namespace handspan
