#include "import/import_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "core/index.hpp"

namespace handspan {
namespace {

constexpr std::size_t kShortest = 5;  // joints of a chain that ends in a gripper
constexpr std::size_t kLimb = 4;      // joints of a chain that is an arm though chains leave it
constexpr std::size_t kGripper = 3;   // more joints make a hand

enum class Kind { kArm, kLeg, kTorso, kHead, kWheels, kHand, kOther };
constexpr const char* kNames[] = {"arm", "leg", "torso", "head", "wheels", "gripper", "other"};

std::string lower(const std::string& text) {
  std::string out;
  for (const char c : text) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool has_any(const std::string& text, std::initializer_list<const char*> words) {
  const std::string low = lower(text);
  return std::ranges::any_of(words,
                             [&](const char* word) { return low.find(word) != std::string::npos; });
}

// -1 left, 1 right, 0 neither
int side(const std::string& name) {
  const std::string low = "_" + lower(name) + "_";
  const auto has = [&](const char* word) { return low.find(word) != std::string::npos; };
  const bool left = has("left") || has("_l_") || has("/l_"),
             right = has("right") || has("_r_") || has("/r_");
  return left == right ? 0 : left ? -1 : 1;
}

struct Branch {
  std::string joint, body;
  JointType type = JointType::kRevolute;
  bool endless = false, mastered = false;
  int parent = -1;
  std::vector<int> children;
};

class Grouper {
 public:
  Grouper(const ModelDescription& description, const std::vector<std::string>& driven) {
    std::vector<int> last(description.bodies.size(), -1);  // driven joint that moves the body
    for (std::size_t b = 0; b < description.bodies.size(); ++b) {
      const auto& body = description.bodies[b];
      int up = body.parent < 0 ? -1 : last[at(body.parent)];
      for (const auto& joint : body.joints) {
        if (!std::ranges::count(driven, joint.name)) continue;
        const int index = static_cast<int>(nodes_.size());
        nodes_.push_back(
            {joint.name,
             body.name,
             joint.type,
             joint.type == JointType::kRevolute && !joint.range,
             std::ranges::count(description.mimics, joint.name, &MimicDescription::master) > 0,
             up,
             {}});
        if (up >= 0) nodes_[at(up)].children.push_back(index);
        up = index;
      }
      last[b] = up;
    }
    group_.assign(nodes_.size(), -1);
  }

  std::vector<ActuatorGroup> groups() {
    wheels();
    hands();
    chains();
    hands_of_chains();
    return named();
  }

 private:
  struct Part {
    Kind kind;
    std::vector<int> nodes;
    int of = -1;  // hands: the part that carries them
  };

  int depth(int node) const {
    int n = 0;
    for (int up = nodes_[at(node)].parent; up >= 0; up = nodes_[at(up)].parent) ++n;
    return n;
  }

  void assign(int part, int node) {
    parts_[at(part)].nodes.push_back(node);
    group_[at(node)] = part;
  }

  int add(Kind kind) {
    parts_.push_back({kind, {}});
    return static_cast<int>(parts_.size()) - 1;
  }

  void wheels() {
    std::vector<int> found;
    for (int i = 0; i < static_cast<int>(nodes_.size()); ++i) {
      const Branch& n = nodes_[at(i)];
      if (n.endless && n.children.empty() &&
          (has_any(n.joint + " " + n.body, {"wheel", "caster"}) || n.parent < 0))
        found.push_back(i);
    }
    if (found.empty() || found.size() == nodes_.size()) {
      const bool named = std::ranges::all_of(
          found, [&](int i) { return has_any(nodes_[at(i)].joint, {"wheel", "caster"}); });
      if (found.empty() || !named) return;
    }
    const int part = add(Kind::kWheels);
    for (const int i : found) {
      const int up = nodes_[at(i)].parent;
      if (up >= 0 && group_[at(up)] < 0 && has_any(nodes_[at(up)].joint, {"caster", "steer"}))
        assign(part, up);
      assign(part, i);
    }
  }

  // from the tips: whether all below is of hands too
  void hands() {
    std::vector<char> hand(nodes_.size(), 0);
    for (int i = static_cast<int>(nodes_.size()) - 1; i >= 0; --i) {
      const Branch& n = nodes_[at(i)];
      if (group_[at(i)] >= 0) continue;
      const bool leaf = n.children.empty();
      const bool below = std::ranges::all_of(n.children, [&](int c) { return hand[at(c)] != 0; });
      const bool named = has_any(n.joint, {"gripper", "finger", "jaw", "thumb", "claw", "knuckle",
                                           "pinky", "hand"}) ||
                         (leaf && has_any(n.body, {"finger", "jaw", "thumb"}));
      const bool slide =
          leaf && n.type == JointType::kPrismatic && depth(i) >= static_cast<int>(kShortest);
      hand[at(i)] = below && (named || slide || (leaf && n.mastered && n.parent >= 0));
    }
    for (int i = 0; i < static_cast<int>(nodes_.size()); ++i)
      if (hand[at(i)] != 0) hand_nodes_.push_back(i);
    hand_ = std::move(hand);
  }

  std::vector<int> below(int node) const {
    std::vector<int> out;
    for (const int c : nodes_[at(node)].children)
      if (hand_[at(c)] == 0 && group_[at(c)] < 0) out.push_back(c);
    return out;
  }

  struct Chain {
    std::vector<int> nodes;
    std::vector<int> children;  // chains
    int parent = -1;
  };

  int chain(int start, int parent) {
    const int index = static_cast<int>(chains_.size());
    chains_.push_back({{start}, {}, parent});
    int node = start;
    std::vector<int> next = below(node);
    while (next.size() == 1) {
      node = next.front();
      chains_[at(index)].nodes.push_back(node);
      next = below(node);
    }
    for (const int c : next) {
      const int child = chain(c, index);
      chains_[at(index)].children.push_back(child);
    }
    return index;
  }

  void chains() {
    for (int i = 0; i < static_cast<int>(nodes_.size()); ++i)
      if (hand_[at(i)] == 0 && group_[at(i)] < 0 && nodes_[at(i)].parent < 0) chain(i, -1);
    // behind a wheel's or a hand's joint nothing else hangs, but for odd files: chains of their own
    std::set<int> seen;
    for (const auto& c : chains_) seen.insert(c.nodes.begin(), c.nodes.end());
    for (int i = 0; i < static_cast<int>(nodes_.size()); ++i)
      if (hand_[at(i)] == 0 && group_[at(i)] < 0 && !seen.contains(i) &&
          (group_[at(nodes_[at(i)].parent)] >= 0 || hand_[at(nodes_[at(i)].parent)] != 0)) {
        chain(i, -1);
        for (const auto& c : chains_) seen.insert(c.nodes.begin(), c.nodes.end());
      }
    int torso = -1, head = -1, other = -1;
    std::set<int> below_limb;
    for (int k = 0; k < static_cast<int>(chains_.size()); ++k) {
      const Chain& c = chains_[at(k)];
      if (c.parent >= 0 && below_limb.contains(c.parent)) {
        below_limb.insert(k);
        for (const int i : c.nodes) {
          hand_nodes_.push_back(i);
          hand_[at(i)] = 1;
        }
        continue;
      }
      std::string names;
      for (const int i : c.nodes) names += nodes_[at(i)].joint + " ";
      const bool leg =
          has_any(names, {"leg", "hip", "knee", "ankle", "thigh", "calf", "haa", "hfe", "kfe"});
      const bool limb = leg || has_any(names, {"arm", "shoulder", "elbow"});
      const bool ends = c.children.empty();
      int part = -1;
      const auto one = [&](int& index, Kind kind) {
        if (index < 0) index = add(kind);
        return index;
      };
      if (ends && has_any(names, {"head", "neck", "eye", "camera"})) {
        part = one(head, Kind::kHead);
      } else if (!ends && c.nodes.size() < kLimb && !limb) {
        part = one(torso, Kind::kTorso);
      } else if (limb || c.nodes.size() >= kLimb - 1 || chains_.size() == 1) {
        part = add(leg ? Kind::kLeg : Kind::kArm);
        below_limb.insert(k);
      } else {
        part = one(other, Kind::kOther);
      }
      for (const int i : c.nodes) assign(part, i);
    }
    std::ranges::sort(hand_nodes_);
  }

  // one hand for each part that carries some
  void hands_of_chains() {
    std::map<std::pair<int, int>, int> hand_of;
    for (const int i : hand_nodes_) {
      int up = nodes_[at(i)].parent;
      while (up >= 0 && hand_[at(up)] != 0) up = nodes_[at(up)].parent;
      const int carrier = up < 0 ? -1 : group_[at(up)];
      const int which =
          carrier >= 0 && parts_[at(carrier)].kind == Kind::kArm ? 0 : side(nodes_[at(i)].joint);
      auto [found, fresh] = hand_of.try_emplace({carrier, which}, -1);
      if (fresh) {
        found->second = add(Kind::kHand);
        parts_.back().of = carrier;
      }
      assign(found->second, i);
    }
  }

  int side_of(const Part& part) const {
    int sum = 0;
    for (const int i : part.nodes) {
      const int s = side(nodes_[at(i)].joint);
      sum += s != 0 ? s : side(nodes_[at(i)].body);
    }
    return sum < 0 ? -1 : sum > 0 ? 1 : 0;
  }

  std::vector<ActuatorGroup> named() {
    std::vector<int> order(parts_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::ranges::stable_sort(order, {},
                             [&](int p) { return static_cast<int>(parts_[at(p)].kind); });
    const bool limbs = std::ranges::any_of(
        parts_, [](const Part& p) { return p.kind == Kind::kArm || p.kind == Kind::kLeg; });
    std::map<Kind, int> count, index;
    for (const auto& p : parts_) ++count[p.kind];
    std::map<int, std::string> prefix;
    std::set<std::string> taken;
    std::vector<ActuatorGroup> out;
    for (const int p : order) {
      Part& part = parts_[at(p)];
      std::ranges::sort(part.nodes);
      std::string base = kNames[static_cast<int>(part.kind)];
      if (part.kind == Kind::kHand && part.nodes.size() > kGripper) base = "hand";
      std::string before, after;
      if (count[part.kind] > 1) {
        const int s = side_of(part);
        const auto carrier = prefix.find(part.of);
        if (carrier != prefix.end() && !carrier->second.empty())
          before = carrier->second;
        else if (s != 0)
          before = s < 0 ? "left_" : "right_";
        if (before.empty()) after = std::to_string(++index[part.kind]);
      }
      prefix[p] = before;
      ActuatorGroup group;
      group.name = before + base + after;
      for (int k = 2; !taken.insert(group.name).second; ++k)
        group.name = fmt::format("{}{}{}", before, base, k);
      for (const int i : part.nodes) group.joints.push_back(nodes_[at(i)].joint);
      group.drive = part.kind == Kind::kWheels                                    ? Drive::kVelocity
                    : limbs && part.kind != Kind::kArm && part.kind != Kind::kLeg ? Drive::kPosition
                                                                                  : Drive::kTorque;
      out.push_back(std::move(group));
    }
    return out;
  }

  std::vector<Branch> nodes_;
  std::vector<int> group_;  // part of each node
  std::vector<Part> parts_;
  std::vector<char> hand_;
  std::vector<int> hand_nodes_;
  std::vector<Chain> chains_;
};

}  // namespace

std::vector<ActuatorGroup> groups_by_branches(const ModelDescription& description,
                                              const std::vector<std::string>& driven) {
  return Grouper(description, driven).groups();
}

std::string group_name(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' ? c : '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0 || out[0] == '-')
    out.insert(0, "g_");
  return out;
}

}  // namespace handspan
