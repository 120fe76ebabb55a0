#include "scene/gripper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/object.hpp"
#include "core/values.hpp"
#include "robot/model.hpp"

namespace handspan {
namespace {

constexpr int kSteps = 64;
constexpr double kNarrowest = 1e-6;  // that a step widens it [m]

int interval_of(double share) {
  return std::clamp(static_cast<int>(std::floor(share * kSteps)), 0, kSteps - 1);
}

}  // namespace

double GripperDescription::share(const Eigen::VectorXd& q) const {
  double sum = 0.0;
  for (Eigen::Index j = 0; j < q.size(); ++j) sum += (q[j] - closed[j]) / (open[j] - closed[j]);
  return sum / static_cast<double>(q.size());
}

double GripperDescription::slope(double at) const {
  const auto i = static_cast<std::size_t>(interval_of(at));
  return kSteps * (widths[i + 1] - widths[i]);
}

double GripperDescription::width(double at) const {
  const int i = interval_of(at);
  return widths[static_cast<std::size_t>(i)] +
         (at - static_cast<double>(i) / kSteps) * slope(static_cast<double>(i) / kSteps);
}

double GripperDescription::share_of(double w) const {
  const auto above = std::upper_bound(widths.begin() + 1, widths.end() - 1, w);
  const auto i = above - widths.begin() - 1;
  const double low = widths[static_cast<std::size_t>(i)];
  const double step = widths[static_cast<std::size_t>(i + 1)] - low;
  return (static_cast<double>(i) + (w - low) / step) / kSteps;
}

double GripperDescription::torque(int j, double at_pads, double at) const {
  return at_pads * slope(at) / (static_cast<double>(closed.size()) * std::abs(open[j] - closed[j]));
}

double GripperDescription::force_of(const Eigen::VectorXd& tau, double at) const {
  double work = 0.0;  // of closing, by the share
  for (Eigen::Index j = 0; j < tau.size(); ++j) work -= tau[j] * (open[j] - closed[j]);
  return work / slope(at);
}

Schema<GripperEntry> gripper_schema() {
  const auto pad =
      object<GripperPad>("GripperPad", "where a pad's face is")
          .optional("frame", &GripperPad::frame, text(), "of the model")
          .optional("body", &GripperPad::body, text(), "of the model, instead")
          .optional("position", &GripperPad::position, vector<3>("m"), "in the body")
          .check([](const GripperPad& p) -> std::optional<Fault> {
            if (p.frame.empty() == p.body.empty())
              return Fault{"is neither a frame nor a point of a body",
                           "give 'frame', or 'body' and 'position'"};
            if (!p.frame.empty() && !p.position.isZero())
              return Fault{"has a position beside a frame", "give 'body' and 'position'"};
            return std::nullopt;
          });
  struct Flat {
    Place place;
    Eigen::VectorXd closed, open;
    std::vector<GripperPad> pads;
    std::optional<double> force, speed;
  };
  return object<Flat>("Gripper", "two jaws that these joints close")
      .place(&Flat::place)
      .required("closed", &Flat::closed, dynamic_vector("rad"),
                "joints when it is shut, one a joint of the group")
      .required("open", &Flat::open, dynamic_vector("rad"), "joints when it is open")
      .optional(
          "pads", &Flat::pads, list(pad).size(2),
          "the faces of both jaws; the width is their distance. Left out: all jaws slide, and "
          "meet when it is shut")
      .optional("force", &Flat::force, number("N").above(0).max(1e5),
                "largest at each pad; left out: what the joints' torque limits give half open")
      .optional("speed", &Flat::speed, number("m/s").above(0).max(10),
                "largest of the width; left out: what the joints' velocity limits give half open")
      .check([](const Flat& f) -> std::optional<Fault> {
        if (f.closed.size() != f.open.size())
          return Fault{
              fmt::format("has {} values for {} of 'closed'", f.open.size(), f.closed.size()),
              "give one a joint", "open"};
        for (Eigen::Index j = 0; j < f.open.size(); ++j)
          if (f.open[j] == f.closed[j])
            return Fault{fmt::format("does not move joint {} of the group", j + 1),
                         "closed and open must differ in every joint", "open"};
        return std::nullopt;
      })
      .map([](Flat f) {
        GripperEntry entry{f.place, {}, f.force, f.speed};
        entry.gripper.closed = std::move(f.closed);
        entry.gripper.open = std::move(f.open);
        entry.gripper.pads = std::move(f.pads);
        return entry;
      });
}

namespace {

// The width of jaws that slide: how far they are from where they are shut, together.
// @return the jaw that does not slide; empty: all do
std::string find_sliding_width(const GripperDescription& gripper,
                               const std::vector<std::string>& joints,
                               const ModelDescription& description, double& wide) {
  std::vector<std::pair<std::string, double>> travels;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const auto i = static_cast<Eigen::Index>(j);
    travels.emplace_back(joints[j], gripper.open[i] - gripper.closed[i]);
  }
  // those that follow follow on
  for (std::size_t k = 0; k < travels.size(); ++k)
    for (const auto& mimic : description.mimics)
      if (mimic.master == travels[k].first)
        travels.emplace_back(mimic.joint, mimic.multiplier * travels[k].second);
  wide = 0.0;
  for (const auto& [name, travel] : travels) {
    for (const auto& body : description.bodies)
      for (const auto& joint : body.joints)
        if (joint.name == name && joint.type != JointType::kPrismatic) return name;
    wide += std::abs(travel);
  }
  return {};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> complete(GripperDescription& gripper,
                                                          const GripperEntry& entry,
                                                          const std::vector<std::string>& joints,
                                                          const RobotLimits& limits,
                                                          const ModelDescription& description) {
  std::vector<std::pair<std::string, std::string>> faults;
  if (gripper.closed.size() != static_cast<Eigen::Index>(joints.size()))
    return {{fmt::format("the gripper has {} values for the {} joints of its group",
                         gripper.closed.size(), joints.size()),
             "give one a joint, in the order of 'joints'"}};
  constexpr double kRounding = 1e-9;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const JointLimits& l = *limits.find(joints[j]);
    for (const double q :
         {gripper.closed[static_cast<Eigen::Index>(j)], gripper.open[static_cast<Eigen::Index>(j)]})
      if (!l.continuous && (q < l.lower - kRounding || q > l.upper + kRounding))
        faults.emplace_back(
            fmt::format("the gripper puts joint '{}' at {}, outside its limits {} to {}", joints[j],
                        q, l.lower, l.upper),
            "keep 'closed' and 'open' within limits.yaml's");
  }
  if (!faults.empty()) return faults;
  gripper.widths.assign(kSteps + 1, 0.0);
  if (gripper.pads.empty()) {
    double wide = 0.0;
    const std::string turns = find_sliding_width(gripper, joints, description, wide);
    if (!turns.empty())
      return {{fmt::format("the width of a gripper whose joint '{}' turns is not known", turns),
               "give 'pads': the frames, or points of bodies, of both jaws' faces"}};
    for (int i = 0; i <= kSteps; ++i)
      gripper.widths[static_cast<std::size_t>(i)] = wide * i / kSteps;
  } else {
    const RobotModel model(description);
    RobotData data(model);
    Eigen::VectorXd q = model.neutral();
    const Eigen::VectorXd still = Eigen::VectorXd::Zero(model.nv());
    const auto follow = [&] {
      for (std::size_t n = 0; n <= description.mimics.size(); ++n)
        for (const auto& m : description.mimics)
          q[model.joint(m.joint).q] = m.multiplier * q[model.joint(m.master).q] + m.offset;
    };
    for (int i = 0; i <= kSteps; ++i) {
      const double s = static_cast<double>(i) / kSteps;
      for (std::size_t j = 0; j < joints.size(); ++j) {
        const auto k = static_cast<Eigen::Index>(j);
        q[model.joint(joints[j]).q] = gripper.closed[k] + s * (gripper.open[k] - gripper.closed[k]);
      }
      follow();
      update_kinematics(model, data, q, still);
      Eigen::Vector3d at[2];
      for (int p = 0; p < 2; ++p) {
        const GripperPad& pad = gripper.pads[static_cast<std::size_t>(p)];
        const Pose X =
            frame_pose(model, data, model.frame(pad.frame.empty() ? pad.body : pad.frame));
        at[p] = X.p + X.R * pad.position;
      }
      gripper.widths[static_cast<std::size_t>(i)] = (at[1] - at[0]).norm();
    }
  }
  for (int i = 0; i < kSteps; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (gripper.widths[k + 1] - gripper.widths[k] < kNarrowest)
      return {{fmt::format("the gripper's pads are {:.4g} m apart when it is {:.0f} % open, and "
                           "{:.4g} m at {:.0f} %",
                           gripper.widths[k], 100.0 * i / kSteps, gripper.widths[k + 1],
                           100.0 * (i + 1) / kSteps),
               "they must come apart all the way from 'closed' to 'open': swap these, or choose "
               "other 'pads'"}};
  }
  // half open, as what gives least
  double force = INFINITY, speed = INFINITY, acceleration = INFINITY;
  const double slope = gripper.slope(0.5);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const auto k = static_cast<Eigen::Index>(j);
    const JointLimits& l = *limits.find(joints[j]);
    const double travel = std::abs(gripper.open[k] - gripper.closed[k]);
    force = std::min(force, l.torque / gripper.torque(static_cast<int>(j), 1.0, 0.5));
    speed = std::min(speed, l.velocity * slope / travel);
    acceleration = std::min(acceleration, l.braking * slope / travel);
  }
  gripper.force = std::min(force, entry.force.value_or(force));
  gripper.speed = std::min(speed, entry.speed.value_or(speed));
  gripper.acceleration = acceleration;
  return faults;
}

}  // namespace handspan
