#include "scene/joint_values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"

namespace handspan {

const double* JointValues::find(const std::string& joint, const std::string& prefix) const {
  for (const auto& [name, value] : by_joint)
    if (name == joint || prefix + name == joint) return &value;
  return nullptr;
}

Schema<JointValues> joint_values() {
  const auto list = dynamic_vector("rad");
  const auto value = number_with_unit().check([](const WrittenNumber& n) -> std::optional<Fault> {
    if (n.unit.empty() || n.unit == "rad" || n.unit == "m") return std::nullopt;
    return Fault{fmt::format("is in {}", n.unit), "give an angle, or of a joint that slides a way"};
  });
  const auto by_joint = dictionary(value);
  Description description = list.description();
  description.rules.push_back("or {JOINT: VALUE, ...}: rad, and m of joints that slide");
  return {[list, by_joint](const Node& node, Reader& reader) -> std::optional<JointValues> {
            JointValues out;
            if (node.kind() != Node::Kind::kObject) {
              out.list = list.read(node, reader);
              if (!out.list) return std::nullopt;
              return out;
            }
            const auto values = by_joint.read(node, reader);
            if (!values) return std::nullopt;
            for (const auto& [joint, number] : *values)
              out.by_joint.emplace_back(joint, number.value);
            return out;
          },
          std::move(description)};
}

Eigen::VectorXd values_for(const JointValues& values, const std::vector<std::string>& joints,
                           const std::string& prefix, const Eigen::VectorXd& left_out) {
  const auto n = static_cast<Eigen::Index>(joints.size());
  if (values.list) {
    if (values.list->size() != n)
      throw InputError(fmt::format("there are {} values for {} joints; give one for each of: {}",
                                   values.list->size(), n, joined(joints)));
    return *values.list;
  }
  for (const auto& [name, value] : values.by_joint)
    if (!std::ranges::count(joints, name) && !std::ranges::count(joints, prefix + name))
      throw InputError(fmt::format("there is no joint '{}' here; {}", shown(name),
                                   did_you_mean(prefix + name, joints, "there are")));
  Eigen::VectorXd out(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::string& joint = joints[static_cast<std::size_t>(i)];
    if (const double* value = values.find(joint, prefix))
      out[i] = *value;
    else if (left_out.size() == n)
      out[i] = left_out[i];
    else
      throw InputError(fmt::format("the joint '{}' is left out; give a value for each of: {}",
                                   joint, joined(joints)));
  }
  return out;
}

}  // namespace handspan
