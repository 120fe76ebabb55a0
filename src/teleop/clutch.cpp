#include "teleop/clutch.hpp"

#include <algorithm>

#include "core/object.hpp"
#include "core/values.hpp"

namespace handspan {
namespace {

// "left.squeeze" of the pose "left" is its grip
std::string word_of(const std::string& control, const std::string& pose) {
  const std::string name =
      control.starts_with(pose + ".") ? control.substr(pose.size() + 1) : control;
  return name == "squeeze" ? "grip" : name;
}

}  // namespace

Clutch::Clutch(const ClutchConfig& config, const DeviceState& device, std::size_t pose,
               std::vector<TrackedAs> accepts)
    : recloses_(config.recloses), pose_(pose), accepts_(std::move(accepts)) {
  if (config.safety) safety_ = device.control(*config.safety);
  if (config.motion) motion_ = device.control(*config.motion);
  write_reasons(config, device.layout().poses[pose]);
  open();
}

void Clutch::write_reasons(const ClutchConfig& config, const std::string& pose) {
  const std::string who = pose == "left" || pose == "right" ? pose + " hand: " : pose + ": ";
  std::string controls, last;
  for (const auto& control : {config.safety, config.motion})
    if (control) {
      last = word_of(*control, pose);
      controls += (controls.empty() ? "" : " and ") + last;
    }
  const std::string press = controls.empty() ? "" : ", then hold " + controls;
  const std::string again = controls.empty() ? "stop and resume, or give it authority anew"
                                             : "release " + controls + ", press again";
  const auto set = [&](Why why, const std::string& text) {
    reasons_[static_cast<std::size_t>(why)] = who + text;
  };
  set(Why::kOpen, "clutch open – hold " + last + (config.safety && config.motion ? " too" : ""));
  set(Why::kSafetyOpen, "safety clutch open – hold " + controls);
  set(Why::kNotAccepted, "tracked as something that may not be followed – take the controller");
  set(Why::kHeldBefore, "clutch was held before – " + again);
  set(Why::kNoValue, controls + " without a value – check the controller");
  set(Why::kUnknown, "clutch not seen released yet – " + again);
  for (std::size_t b = 0; b < kBreaks; ++b) {
    const auto why = static_cast<Break>(b);
    const std::string what = who + text_of(why) + " – ";
    const char* hint = "hold your hand still";
    if (why == Break::kNotTracked) hint = "bring it into view";
    if (why == Break::kNothingYet || why == Break::kSilent) hint = "switch the device on";
    if (why == Break::kTwoOperators) hint = "let only one of them drive this hand";
    broken_[b] = {what + (recloses_ ? "it goes on by itself" : again), what + hint + press};
  }
}

void Clutch::open() {
  closed_ = broke_ = false;
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
    broke_ = true;
    broke_by_ = pose.why();
  }
  if (!held) {
    closed_ = false;
    // a device that is silent, or whose controls cannot be believed, has released nothing
    const bool known =
        (!safety_ || device.believed(*safety_)) && (!motion_ || device.believed(*motion_));
    if (device.present() && known) {
      may_close_ = true;
      broke_ = false;
    }
  }
  if (closed_) return true;
  const bool accepted = accepts_.empty() || std::ranges::count(accepts_, pose.tracked_as()) > 0;
  if (held && may_close_ && pose.steady() && accepted) {
    closed_ = true;
    may_close_ = broke_ = false;
    breaks_ = pose.breaks();
    return true;
  }
  waits_ = why_open(device, safe, held);
  return false;
}

// the first thing that is in the way now; only when nothing is, what interrupted it before
Clutch::Why Clutch::why_open(const DeviceState& device, bool safe, bool held) {
  const PoseTrack& pose = device.pose(pose_);
  const auto all = [&](auto&& says) {
    return (!safety_ || says(*safety_)) && (!motion_ || says(*motion_));
  };
  // what it held when it broke is held until something else is known
  const bool known = all([&](const Control& c) { return device.valid(c); });
  const bool down =
      known ? all([&](const Control& c) { return device.held(c); }) : broke_ && device.present();
  const auto broken = [&](Break why) {
    why_ = why;
    return down ? Why::kBroken : Why::kBrokenOpen;
  };
  if (!device.present()) return broken(device.why());
  if (!pose.steady()) return broken(pose.why());
  if (!accepts_.empty() && std::ranges::count(accepts_, pose.tracked_as()) == 0)
    return Why::kNotAccepted;
  if (!known) return Why::kNoValue;
  if (down && broke_) return broken(broke_by_);
  if (!all([&](const Control& c) { return device.believed(c); })) return Why::kUnknown;
  if (held) return Why::kHeldBefore;
  return safe ? Why::kOpen : Why::kSafetyOpen;
}

const char* Clutch::reason() const {
  if (waits_ == Why::kBroken || waits_ == Why::kBrokenOpen)
    return broken_[static_cast<std::size_t>(why_)][waits_ == Why::kBroken ? 0 : 1].c_str();
  return reasons_[static_cast<std::size_t>(waits_)].c_str();
}

void Clutch::state(StateArchive& archive) {
  archive(closed_, may_close_, waits_, breaks_, why_, broke_, broke_by_);
  if (!archive.loading()) return;
  waits_ = std::min(waits_, Why::kBrokenOpen);
  why_ = std::min(why_, Break::kMalformed);
  broke_by_ = std::min(broke_by_, Break::kMalformed);
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
