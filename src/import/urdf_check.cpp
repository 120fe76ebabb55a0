#include "import/urdf_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "core/escape.hpp"

namespace handspan {
namespace {

// Two turns each way, with the last digit of a rounded 4 pi: no joint with stops turns further, and
// the smallest limits in degrees that a person writes are larger.
constexpr double kLargestAngle = 4.0 * std::numbers::pi + 0.01;
// A mass in grams, or a typing error.
constexpr double kLargestMass = 1e6;
constexpr double kSmallestAxis = 1e-9;

class Check {
 public:
  explicit Check(const UrdfRobot& robot) : robot_(robot) {}

  std::vector<Issue> tree() {
    names();
    ends();
    if (issues_.empty()) root_and_loops();
    axes();
    mimics();
    masses();
    return std::move(issues_);
  }

  std::vector<Issue> limits(const UrdfLimitOptions& options) {
    const auto known = [&](const std::string& name, const char* option) {
      if (find_joint(name) == nullptr && !options.added.contains(name))
        issue(0, "", fmt::format("has no joint '{}' that {} names", name, option),
              "list joints of the file");
    };
    for (const auto& name : options.passive) known(name, "--passive");
    for (const auto& [name, value] : options.velocity_by_joint) known(name, "--velocity");
    for (const auto& [name, value] : options.effort_by_joint) known(name, "--effort");
    for (const auto& joint : robot_.joints) {
      range(joint);
      if (urdf_driven(joint, options)) drive(joint, options);
    }
    return std::move(issues_);
  }

 private:
  void issue(int line, std::string key, std::string cause, std::string hint) {
    issues_.push_back({{robot_.file, line, 0}, std::move(key), std::move(cause), std::move(hint)});
  }

  static std::string key(const UrdfJoint& joint) { return "joint '" + joint.name + "'"; }

  const UrdfJoint* find_joint(const std::string& name) const {
    for (const auto& joint : robot_.joints)
      if (joint.name == name) return &joint;
    return nullptr;
  }

  template <typename Element>
  void unique(const std::vector<Element>& elements, const char* kind) {
    std::map<std::string, int> seen;
    for (const auto& e : elements) {
      const auto [first, inserted] = seen.emplace(e.name, e.line);
      if (!inserted)
        issue(e.line, fmt::format("{} '{}'", kind, e.name),
              fmt::format("is there twice (line {})", first->second), "rename one");
    }
  }

  void names() {
    unique(robot_.links, "link");
    unique(robot_.joints, "joint");
    if (robot_.links.empty()) issue(0, "", "has no links", "a robot has at least one");
    // a body of this name would be taken for the world itself by both engines
    for (const auto& link : robot_.links)
      if (link.name == "world" && (link.inertial || !link.collisions.empty()))
        issue(link.line, "link 'world'", "has mass or shapes",
              "rename it: 'world' is the fixed world");
  }

  void ends() {
    std::set<std::string> links;
    for (const auto& link : robot_.links) links.insert(link.name);
    std::map<std::string, const UrdfJoint*> parents;
    for (const auto& joint : robot_.joints) {
      for (const auto& [end, link] : {std::pair{"parent", joint.parent}, {"child", joint.child}})
        if (!links.contains(link))
          issue(joint.line, key(joint),
                fmt::format("has the {} link '{}', which does not exist", end, link),
                "name a link of the file");
      if (joint.parent == joint.child)
        issue(joint.line, key(joint), fmt::format("joins link '{}' to itself", joint.parent),
              "name two different links");
      if (joint.child == "world")
        issue(joint.line, key(joint), "moves the link 'world'",
              "rename that link: 'world' is the fixed world");
      const auto [first, inserted] = parents.emplace(joint.child, &joint);
      if (!inserted)
        issue(joint.line, "link '" + joint.child + "'",
              fmt::format("has two parents, by the joints '{}' and '{}'", first->second->name,
                          joint.name),
              "a tree has one; close loops by a constraint, not by a joint");
    }
  }

  void root_and_loops() {
    std::map<std::string, std::string> parent;
    for (const auto& joint : robot_.joints) parent[joint.child] = joint.parent;
    std::vector<std::string> roots, looped;
    for (const auto& link : robot_.links) {
      if (!parent.contains(link.name)) roots.push_back(link.name);
      std::string up = link.name;
      std::size_t steps = 0;
      while (parent.contains(up) && steps <= robot_.links.size()) up = parent[up], ++steps;
      if (steps > robot_.links.size()) looped.push_back(link.name);
    }
    if (!looped.empty())
      issue(
          0, "",
          fmt::format("has a loop: the links '{}' hang on one another", fmt::join(looped, "', '")),
          "cut one of their joints");
    if (roots.empty())
      issue(0, "", "has no root link: every link is some joint's child",
            "a tree has one link without a parent");
    if (roots.size() > 1)
      issue(0, "", fmt::format("has {} root links: '{}'", roots.size(), fmt::join(roots, "', '")),
            "join them by fixed joints to one link, or import them as robots of their own");
  }

  void axes() {
    for (const auto& joint : robot_.joints)
      if (joint.type != UrdfJointType::kFixed && joint.type != UrdfJointType::kFloating &&
          joint.axis && joint.axis->norm() < kSmallestAxis)
        issue(joint.axis_line, key(joint), "has a null axis",
              "give the direction it turns about or slides along");
  }

  void mimics() {
    const auto scalar = [](const UrdfJoint& j) {
      return j.type == UrdfJointType::kRevolute || j.type == UrdfJointType::kContinuous ||
             j.type == UrdfJointType::kPrismatic;
    };
    for (const auto& joint : robot_.joints) {
      if (!joint.mimic) continue;
      const UrdfJoint* master = find_joint(joint.mimic->master);
      if (master == nullptr) {
        issue(joint.mimic->line, key(joint),
              fmt::format("mimics the joint '{}', which does not exist", joint.mimic->master),
              "name a joint of the file");
        continue;
      }
      for (const UrdfJoint* one : {&joint, master})
        if (!scalar(*one))
          issue(joint.mimic->line, key(joint),
                fmt::format("mimics with '{}', which is fixed, floating or planar", one->name),
                "revolute, continuous and prismatic joints can");
      std::vector<std::string> chain = {joint.name};
      const UrdfJoint* up = master;
      while (up && up->mimic && chain.size() <= robot_.joints.size() && up->name != joint.name) {
        chain.push_back(up->name);
        up = find_joint(up->mimic->master);
      }
      if (up && up->name == joint.name)
        issue(joint.mimic->line, key(joint),
              fmt::format("mimics in a circle: {} -> {}", fmt::join(chain, " -> "), joint.name),
              "let one of them be free");
    }
  }

  void masses() {
    std::map<std::string, const UrdfJoint*> by_child;
    for (const auto& joint : robot_.joints) by_child[joint.child] = &joint;
    // links that carry mass themselves or by what is fixed to them
    std::set<std::string> heavy;
    for (const auto& link : robot_.links) {
      if (!link.inertial || link.inertial->mass <= 0.0) continue;
      std::string up = link.name;
      while (heavy.insert(up).second && by_child.contains(up) &&
             by_child[up]->type == UrdfJointType::kFixed)
        up = by_child[up]->parent;
    }
    for (const auto& link : robot_.links) {
      const std::string owner = "link '" + link.name + "'";
      const bool moves =
          by_child.contains(link.name) && by_child[link.name]->type != UrdfJointType::kFixed;
      if (moves && link.inertial && link.inertial->mass > 0.0 && !link.inertial->has_tensor)
        issue(link.inertial->line, owner, "moves and has an <inertial> without <inertia>",
              "give its six numbers");
      if (moves && !heavy.contains(link.name) && !is_virtual(link, *by_child[link.name], heavy))
        issue(link.line, owner, "moves and has no mass",
              fmt::format("give it an <inertial>, or make the joint '{}' fixed",
                          by_child[link.name]->name));
      if (!link.inertial) continue;
      const UrdfInertial& inertial = *link.inertial;
      if (inertial.mass < 0.0)
        issue(inertial.line, owner, fmt::format("has mass {} kg", inertial.mass),
              "it must not be negative");
      if (inertial.mass > kLargestMass)
        issue(inertial.line, owner, fmt::format("has mass {} kg", inertial.mass),
              "more than 1e6 kg is not a robot: is it in grams?");
      if (inertial.mass == 0.0 && !inertial.I_C.isZero(0.0))
        issue(inertial.line, owner, "has an inertia and mass 0",
              "give the mass, or remove its <inertial>");
    }
  }

  // whether mass follows a link without any, by joints alone
  bool is_virtual(const UrdfLink& link, const UrdfJoint& joint,
                  const std::set<std::string>& heavy) const {
    if (!link.collisions.empty()) return false;
    const UrdfJoint* next = next_of_virtual(robot_, link, joint);
    if (next == nullptr || next->child == link.name) return false;
    if (heavy.contains(next->child)) return true;
    const auto below = std::ranges::find(robot_.links, next->child, &UrdfLink::name);
    return below != robot_.links.end() && is_virtual(*below, *next, heavy);
  }

  void range(const UrdfJoint& joint) {
    const int line = joint.limit ? joint.limit->line : joint.line;
    const bool has_range = joint.limit && (joint.limit->lower || joint.limit->upper);
    if (joint.type != UrdfJointType::kRevolute && joint.type != UrdfJointType::kPrismatic) return;
    if (!has_range)
      return issue(
          line, key(joint), "has no limits",
          "give it <limit lower=... upper=... effort=... velocity=.../>, or make it continuous");
    // an absent end is 0 by URDF's definition
    const double lower = joint.limit->lower.value_or(0.0), upper = joint.limit->upper.value_or(0.0);
    if (lower >= upper)
      issue(line, key(joint), fmt::format("has the limits {} to {}", lower, upper),
            lower > upper ? "they are swapped: lower must be below upper"
                          : "they are equal: make the joint fixed");
    if (joint.type == UrdfJointType::kRevolute &&
        std::max(std::abs(lower), std::abs(upper)) > kLargestAngle)
      issue(line, key(joint),
            fmt::format("has the limits {} to {}, which are degrees by their size", lower, upper),
            "write radians; a joint that turns more than twice each way is continuous");
  }

  void drive(const UrdfJoint& joint, const UrdfLimitOptions& options) {
    const std::optional<double> none;
    const struct {
      const char* what;
      std::optional<double> value, given;
    } numbers[] = {{"velocity", joint.limit ? joint.limit->velocity : none, options.velocity},
                   {"effort", joint.limit ? joint.limit->effort : none, options.effort}};
    for (const auto& [what, value, given] : numbers) {
      const bool velocity = std::string_view(what) == "velocity";
      if ((velocity ? options.velocity_by_joint : options.effort_by_joint).contains(joint.name))
        continue;
      if (value && *value > 0.0) continue;
      const int line = joint.limit ? joint.limit->line : joint.line;
      if (value && *value < 0.0) {
        issue(line, key(joint), fmt::format("has {} {}", what, *value), "it must be > 0");
      } else if (!given) {
        issue(line, key(joint),
              value ? fmt::format("has {} 0", what) : fmt::format("has no {}", what),
              fmt::format("a driven joint needs one: give --{}, or list the joint as passive with "
                          "--passive {}",
                          what, shell_word(joint.name)));
      }
    }
  }

  const UrdfRobot& robot_;
  std::vector<Issue> issues_;
};

}  // namespace

std::vector<Issue> check_urdf_tree(const UrdfRobot& robot) { return Check(robot).tree(); }

std::vector<Issue> check_urdf_limits(const UrdfRobot& robot, const UrdfLimitOptions& options) {
  return Check(robot).limits(options);
}

const UrdfJoint* next_of_virtual(const UrdfRobot& robot, const UrdfLink& link,
                                 const UrdfJoint& joint) {
  const auto scalar = [](const UrdfJoint& j) {
    return j.type == UrdfJointType::kRevolute || j.type == UrdfJointType::kContinuous ||
           j.type == UrdfJointType::kPrismatic;
  };
  const UrdfJoint* next = nullptr;
  for (const auto& below : robot.joints) {
    if (below.parent != link.name) continue;
    if (next != nullptr || !scalar(below)) return nullptr;
    next = &below;
  }
  return scalar(joint) ? next : nullptr;
}

bool urdf_driven(const UrdfJoint& joint, const UrdfLimitOptions& options) {
  const bool scalar = joint.type == UrdfJointType::kRevolute ||
                      joint.type == UrdfJointType::kContinuous ||
                      joint.type == UrdfJointType::kPrismatic;
  return scalar && !joint.mimic && !options.passive.contains(joint.name);
}

}  // namespace handspan
