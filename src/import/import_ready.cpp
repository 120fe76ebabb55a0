#include "import/import_ready.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <random>
#include <set>

#include "core/index.hpp"
#include "robot/model.hpp"
#include "scene/mujoco_spec.hpp"
#include "scene/mujoco_state.hpp"

namespace handspan {
namespace {

constexpr int kPoses = 400;
constexpr double kWanted = 0.01, kLooked = 0.02;  // clearance [m]
// of `ready`: where collision constraints, which keep 10 mm, have nothing to push [m]
constexpr double kAtEase = 0.015;
constexpr double kMostly = 0.95;    // of the poses: no pose to speak of helps
constexpr double kRoom = 0.2;       // of a range: more is no better
constexpr double kDexterous = 0.1;  // least singular value: more is no better
constexpr double kLength = 0.5;     // that makes a turn comparable to a way [m]
constexpr double kEffort = 0.5;  // share of a joint's effort that gravity takes: less is no better

class Search {
 public:
  explicit Search(const ImportedRobot& robot)
      : robot_(robot), model_(robot.description), data_(model_) {
    MjSpecPtr spec = make_spec();
    add_to_spec(spec.get(), robot.description, 0);
    std::set<std::string> colliding;
    for (const auto& body : robot.description.bodies)
      for (const auto& shape : body.shapes)
        if (shape.collides) colliding.insert(shape.name);
    // before it is compiled: bodies take their bits from their geoms
    for (mjsElement* e = mjs_firstElement(spec.get(), mjOBJ_GEOM); e;
         e = mjs_nextElement(spec.get(), e)) {
      mjsGeom* geom = mjs_asGeom(e);
      geom->contype = geom->conaffinity = colliding.contains(mjs_getString(mjs_getName(e))) ? 1 : 0;
      geom->margin = kLooked;
    }
    compiled_ = compile_spec(spec.get(), robot.description.name);
    mujoco_.reset(mj_makeData(compiled_.get()));
    const auto& bodies = robot.description.bodies;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      const int up = bodies[b].parent;
      rigid_.push_back(bodies[b].joints.empty() && up >= 0 ? rigid_[at(up)] : static_cast<int>(b));
      std::set<std::string> moved = up >= 0 ? moved_[at(up)] : std::set<std::string>{},
                            all = up >= 0 ? all_moved_[at(up)] : std::set<std::string>{};
      for (const auto& joint : bodies[b].joints) {
        const auto found = master_of(joint.name);
        all.insert(found);
        if (std::ranges::count(robot.groups.front().joints, found)) moved.insert(found);
      }
      moved_.push_back(std::move(moved));
      all_moved_.push_back(std::move(all));
      names_[bodies[b].name] = static_cast<int>(b);
    }
    for (const auto& [a, b] : robot.ignored_pairs) ignored_.insert(pair(names_[a], names_[b]));
    for (const auto& joint : robot.groups.front().joints)
      limits_.push_back(std::ranges::find(robot.limits, joint, &ImportedLimits::joint)->limits);
    choose_tip();
  }

  ReadyPose search() {
    const auto n = static_cast<Eigen::Index>(limits_.size());
    Eigen::VectorXd zero(n), middle(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const JointLimits& l = limits_[static_cast<std::size_t>(i)];
      zero[i] = l.continuous ? 0.0 : std::clamp(0.0, l.lower, l.upper);
      middle[i] = l.continuous ? 0.0 : 0.5 * (l.lower + l.upper);
    }
    ReadyPose out;
    for (const auto& [pair, depth] : near(zero))
      if (depth < 0.0 && !moved_by_limb(pair)) {
        ignored_.insert(pair);
        out.standing.push_back(named(pair));
      }
    std::vector<Eigen::VectorXd> poses = {rounded(zero), rounded(middle)};
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    for (int k = 0; k < kPoses; ++k) {
      Eigen::VectorXd q(n);
      for (Eigen::Index i = 0; i < n; ++i) {
        const auto [low, high] = range(limits_[static_cast<std::size_t>(i)]);
        q[i] = low + (high - low) * unit(random);
      }
      poses.push_back(rounded(q));
    }
    std::vector<std::map<Pair, double>> distances;
    std::map<Pair, int> overlapping;
    for (const auto& q : poses) {
      distances.push_back(near(q));
      for (const auto& [pair, depth] : distances.back())
        if (depth < kWanted && moved_[at(pair.first)] != moved_[at(pair.second)])
          ++overlapping[pair];
    }
    for (const auto& [pair, count] : overlapping)
      if (count >= kMostly * static_cast<double>(poses.size())) {
        ignored_.insert(pair);
        out.mostly.push_back(named(pair));
      }
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < poses.size(); ++k) {
      std::erase_if(distances[k], [&](const auto& d) { return ignored_.contains(d.first); });
      if (const double score = value(poses[k], distances[k]); score > best) {
        best = score;
        out.q = poses[k];
      }
    }
    out.clearance = kLooked;
    for (const auto& [pair, depth] : near(out.q)) {
      out.clearance = std::min(out.clearance, depth);
      if (depth < 0.0) out.overlaps.push_back(named(pair));
    }
    return out;
  }

 private:
  using Pair = std::pair<int, int>;

  // whether an arm or a leg, or whatever the first group is, moves one against the other
  bool moved_by_limb(const Pair& pair) const {
    const auto &a = all_moved_[at(pair.first)], &b = all_moved_[at(pair.second)];
    for (std::size_t g = 0; g < robot_.groups.size(); ++g) {
      const std::string& name = robot_.groups[g].name;
      if (g > 0 && name.find("arm") == std::string::npos && name.find("leg") == std::string::npos)
        continue;
      for (const auto& joint : robot_.groups[g].joints)
        if (a.contains(joint) != b.contains(joint)) return true;
    }
    return false;
  }

  static Pair pair(int a, int b) { return {std::min(a, b), std::max(a, b)}; }
  std::pair<std::string, std::string> named(const Pair& pair) const {
    return {robot_.description.bodies[at(pair.first)].name,
            robot_.description.bodies[at(pair.second)].name};
  }

  std::string master_of(std::string joint) const {
    for (std::size_t steps = 0; steps <= robot_.description.mimics.size(); ++steps) {
      const auto mimic =
          std::ranges::find(robot_.description.mimics, joint, &MimicDescription::joint);
      if (mimic == robot_.description.mimics.end()) break;
      joint = mimic->master;
    }
    return joint;
  }

  // What is searched: a person's natural poses are within half a turn each way.
  static std::array<double, 2> range(const JointLimits& l) {
    constexpr double reach = 0.75 * std::numbers::pi;
    if (l.continuous) return {-reach, reach};
    const double width = l.upper - l.lower, room = kRoom * width;
    if (l.lower < -reach - 1.0 && l.upper > reach + 1.0) return {-reach, reach};
    return {l.lower + 0.75 * room, l.upper - 0.75 * room};
  }

  // to 1e-3, within limits
  Eigen::VectorXd rounded(Eigen::VectorXd q) const {
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      const JointLimits& l = limits_[static_cast<std::size_t>(i)];
      const double near = std::round(q[i] * 1e3) / 1e3;
      if (l.continuous || (near >= l.lower && near <= l.upper)) q[i] = near + 0.0;
    }
    return q;
  }

  // the frame on which a tool goes when the first group moves it, else its last joint's body
  void choose_tip() {
    const auto& d = robot_.description;
    std::string last;
    for (const auto& body : d.bodies)
      for (const auto& joint : body.joints)
        if (joint.name == robot_.groups.front().joints.back()) last = body.name;
    tip_ = model_.frame(last);
    if (!robot_.mount) return;
    const int frame = d.frame_index(*robot_.mount);
    const int body = frame < 0 ? -1 : d.frames[at(frame)].body;
    if (body >= 0 && !moved_[at(body)].empty()) tip_ = model_.frame(*robot_.mount);
  }

  Eigen::VectorXd full(const Eigen::VectorXd& group) const {
    std::map<std::string, double> values;
    for (const auto& l : robot_.limits)
      values[l.joint] = l.limits.continuous ? 0.0 : std::clamp(0.0, l.limits.lower, l.limits.upper);
    for (std::size_t i = 0; i < limits_.size(); ++i)
      values[robot_.groups.front().joints[i]] = group[static_cast<Eigen::Index>(i)];
    for (std::size_t pass = 0; pass < robot_.description.mimics.size(); ++pass)
      for (const auto& mimic : robot_.description.mimics)
        values[mimic.joint] = mimic.multiplier * values[mimic.master] + mimic.offset;
    Eigen::VectorXd q = model_.neutral();
    for (const auto& [name, value] : values)
      if (const auto& slot = model_.joint(name); joint_nq(slot.type) == 1) q[slot.q] = value;
    return q;
  }

  // pairs of bodies nearer than kLooked, with their distance [m]
  std::map<Pair, double> near(const Eigen::VectorXd& group) {
    const MujocoState state(*compiled_, model_);
    state.write(full(group), Eigen::VectorXd::Zero(model_.nv()), *mujoco_);
    mj_kinematics(compiled_.get(), mujoco_.get());
    mj_comPos(compiled_.get(), mujoco_.get());
    mj_collision(compiled_.get(), mujoco_.get());
    std::map<Pair, double> out;
    for (int c = 0; c < mujoco_->ncon; ++c) {
      const mjContact& contact = mujoco_->contact[c];
      const int a = compiled_->geom_bodyid[contact.geom[0]] - 1,
                b = compiled_->geom_bodyid[contact.geom[1]] - 1;
      const Pair key = pair(a, b);
      if (a < 0 || b < 0 || adjacent(a, b) || ignored_.contains(key)) continue;
      if (contact.dist >= kLooked) continue;
      const auto [found, fresh] = out.try_emplace(key, contact.dist);
      if (!fresh) found->second = std::min(found->second, contact.dist);
    }
    return out;
  }

  bool adjacent(int a, int b) const {
    const auto above = [&](int body) {
      const int up = robot_.description.bodies[at(rigid_[at(body)])].parent;
      return up < 0 ? -1 : rigid_[at(up)];
    };
    return rigid_[at(a)] == rigid_[at(b)] || above(a) == rigid_[at(b)] || above(b) == rigid_[at(a)];
  }

  double value(const Eigen::VectorXd& q, const std::map<Pair, double>& distances) {
    double tight = 0.0, overlap = 0.0;  // what is missing to be at ease, and to be left alone [m]
    for (const auto& [pair, depth] : distances) {
      tight += std::max(0.0, kAtEase - depth);
      overlap += std::max(0.0, kWanted - depth);
    }
    double room = kRoom, away = 0.0;
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      const JointLimits& l = limits_[static_cast<std::size_t>(i)];
      away += std::abs(q[i]) / (std::numbers::pi * static_cast<double>(q.size()));
      if (l.continuous) continue;
      room = std::min(room, std::min(q[i] - l.lower, l.upper - q[i]) / (l.upper - l.lower));
    }
    const double good = room / kRoom + std::min(1.0, dexterity(q) / kDexterous) - 0.2 * away;
    // pairs that are tight wherever the arm is cost every pose the same
    double bad = 100.0 * tight + 10.0 * std::clamp(gravity_share(q) - kEffort, 0.0, 5.0);
    // what a collision constraint would push apart is worse than any other fault
    if (overlap > 0.0) bad += 100.0 + 1000.0 * overlap;
    return good - bad;
  }

  // the largest share of its effort that a joint of the first group needs against gravity
  double gravity_share(const Eigen::VectorXd& group) {
    const Eigen::VectorXd& tau = gravity_forces(model_, data_, full(group));
    double share = 0.0;
    for (std::size_t i = 0; i < limits_.size(); ++i)
      share = std::max(share, std::abs(tau[model_.joint(robot_.groups.front().joints[i]).v]) /
                                  limits_[i].torque);
    return share;
  }

  double dexterity(const Eigen::VectorXd& group) {
    const Eigen::VectorXd q = full(group);
    update_kinematics(model_, data_, q, Eigen::VectorXd::Zero(model_.nv()));
    Matrix6Xd J(6, model_.nv());
    J.setZero();
    frame_jacobian(model_, data_, tip_, J);
    Eigen::MatrixXd own(6, static_cast<Eigen::Index>(limits_.size()));
    for (std::size_t i = 0; i < limits_.size(); ++i)
      own.col(static_cast<Eigen::Index>(i)) =
          J.col(model_.joint(robot_.groups.front().joints[i]).v);
    own.topRows<3>() /= kLength;
    return Eigen::JacobiSVD<Eigen::MatrixXd>(own).singularValues().minCoeff();
  }

  const ImportedRobot& robot_;
  RobotModel model_;
  RobotData data_;
  MjModelPtr compiled_;
  MjDataPtr mujoco_;
  std::vector<int> rigid_;                        // body at the root of what is rigid with each
  std::vector<std::set<std::string>> moved_;      // joints of the first group that move each body
  std::vector<std::set<std::string>> all_moved_;  // and of all groups, mimics by their masters
  std::map<std::string, int> names_;
  std::set<Pair> ignored_;
  std::vector<JointLimits> limits_;  // of the first group
  FrameId tip_;
};

}  // namespace

ReadyPose find_ready(const ImportedRobot& robot) { return Search(robot).search(); }

}  // namespace handspan
