#include "data/actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.hpp"

namespace handspan {
namespace {

bool has_controller(const App& app, const std::string& group) {
  const auto named = [&](const auto& all) {
    return std::ranges::any_of(all, [&](const auto& each) { return each.first == group; });
  };
  return named(app.controllers) || (app.whole_arm && named(app.whole_arm->arms));
}

}  // namespace

std::vector<ActionPart> action_parts(const RowSampler& sampler, const LogFile& log) {
  std::set<std::string> driven;
  for (const LoggedEvent& event : log.events())
    if (event.kind == "authority") driven.insert(event.name);
  std::vector<ActionPart> parts;
  for (const ChannelInfo& info : sampler.fields()) {
    ActionPart part;
    part.field = *sampler.field(info.name);
    part.channel = info.name;
    part.unit = info.unit;
    const auto add = [&](ActionPart::Kind kind, const std::vector<std::string>& labels) {
      part.kind = kind;
      for (const auto& label : labels) part.columns.push_back(part.name + "." + label);
      parts.push_back(part);
    };
    std::vector<std::string> labels = info.labels;
    if (labels.size() != info.size) {
      labels.clear();
      for (std::size_t e = 0; e < info.size; ++e) labels.push_back(std::to_string(e));
    }
    constexpr std::string_view kReference = "reference.", kCommand = ".command";
    if (info.name.starts_with(kReference)) {
      const std::size_t dot = info.name.rfind('.');
      part.name = info.name.substr(kReference.size(), dot - kReference.size());
      const std::string what = info.name.substr(dot + 1);
      if (!driven.contains(part.name)) continue;
      if (what == "pose") {
        const auto measured = sampler.field("measured." + part.name + ".pose");
        if (!measured)
          throw InputError(fmt::format(
              "{}: it has no channel measured.{}.pose; it is of an older version, record it anew",
              log.file().string(), part.name));
        part.measured = *measured;
        add(ActionPart::Kind::kPose, {"x", "y", "z", "r11", "r12", "r13", "r21", "r22", "r23"});
      } else if (what == "q") {
        add(ActionPart::Kind::kJoints, labels);
      } else if (what == "wrench") {
        add(ActionPart::Kind::kWrench, {"fx", "fy", "fz", "tx", "ty", "tz"});
      }
    } else if (info.name.ends_with(kCommand)) {
      part.name = info.name.substr(0, info.name.size() - kCommand.size());
      if (!has_controller(sampler.app(), part.name)) add(ActionPart::Kind::kCommand, labels);
    }
  }
  if (parts.empty())
    throw InputError(
        fmt::format("{}: nothing in it was commanded by anybody: no reference that a mode gave to "
                    "somebody, and no group without a controller; a policy has nothing to learn",
                    log.file().string()));
  // references first, whatever the order of their channels
  std::ranges::stable_partition(
      parts, [](const ActionPart& part) { return part.kind != ActionPart::Kind::kCommand; });
  return parts;
}

PoseNumbers pose_numbers(const Pose& X) {
  PoseNumbers n;
  n << X.p, X.R.row(0).transpose(), X.R.row(1).transpose();
  return n;
}

Pose pose_of(const PoseNumbers& n) {
  Pose X;
  X.p = n.head<3>();
  const Eigen::Vector3d a = n.segment<3>(3).normalized();
  const Eigen::Vector3d b = (n.tail<3>() - a.dot(n.tail<3>()) * a).normalized();
  X.R.row(0) = a.transpose();
  X.R.row(1) = b.transpose();
  X.R.row(2) = a.cross(b).transpose();
  return X;
}

Pose pose_of_channel(std::span<const double> v) {
  return Pose::from({v[0], v[1], v[2]}, Eigen::Quaterniond(v[6], v[3], v[4], v[5]).normalized());
}

}  // namespace handspan
