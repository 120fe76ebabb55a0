#include "session/unreached.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>

namespace handspan {
namespace {

using Matrix6d = Eigen::Matrix<double, 6, 6>;

constexpr double kLever = 0.2;     // a radian counts as so many metres [m]
constexpr double kShrinks = 0.02;  // slower than this it does not come nearer [m/s]
constexpr double kAgain = 0.5;     // what binds is asked again after so long [s]
constexpr double kAtEnd = 0.02;    // of a position limit [rad]
constexpr double kSingular =
    0.1;  // with which joints move the frame that way, rotations by kLever [m]
constexpr double kAllTorque = 0.97;  // of its limit
constexpr double kRounding = 1e-9;   // of the same, squared

// what is left, of the axes that are rows: translation, then rotation [m, rad]
Vector6d error_of(const FrameTask& task) {
  Vector6d e = Vector6d::Zero();
  for (std::size_t r = 0; r < task.selected().size(); ++r)
    e[task.selected()[r]] = task.error()[static_cast<Eigen::Index>(r)];
  return e;
}

// a list of names in words; what does not fit is counted
class Names {
 public:
  void add(std::string_view name) {
    if (count_ < kMost) names_[count_] = name;
    ++count_;
  }
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  // The names, then `after`, which always fits: of the names as many as leave room for it.
  char* write(char* at, char* end, std::string_view after) const {
    constexpr std::size_t kAndMore = 12;  // " and 12 more"
    const auto put = [&](std::string_view text) {
      at = std::min(end, fmt::format_to_n(at, end - at, "{}", text).out);
    };
    std::size_t shown = 0;
    for (; shown < std::min(count_, kMost); ++shown) {
      const std::string_view before = shown == 0 ? "" : shown + 1 == count_ ? " and " : ", ";
      const std::size_t needed =
          before.size() + names_[shown].size() + after.size() + (shown + 1 < count_ ? kAndMore : 0);
      if (shown > 0 && needed > static_cast<std::size_t>(end - at)) break;
      put(before);
      // the only one may be longer than all of the room
      const std::size_t room = static_cast<std::size_t>(end - at);
      const std::size_t rest = after.size() + (count_ > 1 ? kAndMore : 0);
      put(names_[shown].substr(0, room > rest ? room - rest : 0));
    }
    if (shown < count_)
      at = std::min(end, fmt::format_to_n(at, end - at, " and {} more", count_ - shown).out);
    put(after);
    return at;
  }

 private:
  static constexpr std::size_t kMost = 3;
  std::array<std::string_view, kMost> names_;
  std::size_t count_ = 0;
};

}  // namespace

Unreached::Unreached(const WholeArm& arms, const Arbiter& arbiter)
    : arms_(arms), arbiter_(arbiter) {
  for (const ReferenceIndex r : arbiter.references())
    if (const auto* frame = dynamic_cast<const FrameTask*>(&arbiter.reference(r).task())) {
      Watched& watched = watched_.emplace_back();
      watched.reference = r;
      watched.task = frame;
    }
  for (Watched& w : watched_) {
    const auto& m = arms.system().mechanisms()[static_cast<std::size_t>(w.task->frame().mechanism)];
    // the second joint of an arm: the first one turns about the upright
    const std::string& joint = m.joint_names[std::min<std::size_t>(1, m.joint_names.size() - 1)];
    const auto& bodies = m.model->description().bodies;
    for (std::size_t b = 0; b < bodies.size(); ++b)
      for (const auto& has : bodies[b].joints)
        if (has.name == joint) w.shoulder = m.model->body_frame(static_cast<int>(b));
  }
}

void Unreached::update(double dt, EventList& events) {
  for (Watched& w : watched_) {
    const Vector6d e = error_of(*w.task);
    const double distance = e.head<3>().norm(), angle = e.tail<3>().norm();
    const double away = distance + kLever * angle;
    const bool far =
        w.task->gains().weight > 0.0 && (distance > kUnreachedDistance || angle > kUnreachedAngle);
    if (!far) {
      if (w.told) events.add("limit", w.task->name(), "reached again");
      w.told = false;
      w.since = w.until_asked = 0.0;
      continue;
    }
    // what comes nearer at a pace is under way
    if (w.since == 0.0 || away < w.best - kShrinks * w.since) {
      w.since = 0.0;
      w.best = away;
      if (w.told) w.until_asked = 0.0;
    }
    w.since += dt;
    if (w.told) {
      w.time += dt;
      w.distance = std::max(w.distance, distance);
      w.angle = std::max(w.angle, angle);
    }
    if (w.since < kUnreachedTime) continue;
    w.until_asked -= dt;
    if (w.until_asked > 0.0) continue;
    w.until_asked = kAgain;
    const FixedText<126> before = w.cause;
    if (!find_cause(w)) continue;
    if (w.told && w.cause == before) continue;
    if (!w.told) {
      ++w.times;
      w.time += w.since;
    }
    w.told = true;
    w.distance = std::max(w.distance, distance);
    w.angle = std::max(w.angle, angle);
    char text[166];
    const auto end = fmt::format_to_n(text, sizeof text, "{:.0f} mm and {:.0f} deg away: {}",
                                      1e3 * distance, angle * 180.0 / M_PI, w.cause.view());
    events.add("limit", w.task->name(), std::string_view(text, std::min(end.size, sizeof text)));
  }
}

// what binds in the QP's answer on the way to the reference; false: nothing does
// One function, since causes exclude one another in this order.
bool Unreached::find_cause(Watched& w) {
  const ControlSystem& system = arms_.system();
  const auto m = static_cast<std::size_t>(w.task->frame().mechanism);
  const Mechanism& mechanism = system.mechanisms()[m];
  const MechanismState& s = arms_.state().mechanisms[m];
  const ControlProblem& problem = arms_.problem();
  Names ends, pairs, torques;
  for (std::size_t j = 0; j < mechanism.actuated.size(); ++j) {
    const JointLimits& limits = mechanism.limits[j];
    // rows of torques bind by their rate most often, which soon passes
    if (std::abs(s.tau_before[static_cast<Eigen::Index>(j)]) > kAllTorque * limits.torque)
      torques.add(mechanism.joint_names[j]);
    if (limits.continuous) continue;
    const double q = s.q[mechanism.actuated_q[j]];
    const JointViability& viable = problem.viability(m, j);
    if (q < viable.lower_position() + kAtEnd || q > viable.upper_position() - kAtEnd)
      ends.add(mechanism.joint_names[j]);
  }
  const Qp& qp = problem.qp();
  for (int row = qp.unknowns(); row < qp.unknowns() + qp.rows(); ++row) {
    if (!problem.active(row)) continue;
    if (problem.kind(row) != ConstraintKind::kCollision) continue;
    const auto A = qp.A.row(row - qp.unknowns()).segment(mechanism.offset, mechanism.model->nv());
    if (!A.isZero(1e-12)) pairs.add(problem.rows()[static_cast<std::size_t>(row)].name);
  }
  // the direction in which the joints cannot move the frame, and whether the error is along it
  Vector6d e = error_of(*w.task);
  e.tail<3>() *= kLever;
  Matrix6d JJ = Matrix6d::Identity();
  const auto& selected = w.task->selected();
  const Eigen::MatrixXd& J = w.task->blocks()[0].A;
  const auto lever = [](int axis) { return axis < 3 ? 1.0 : kLever; };
  for (std::size_t r = 0; r < selected.size(); ++r)
    for (std::size_t c = 0; c < selected.size(); ++c)
      JJ(selected[r], selected[c]) =
          lever(selected[r]) * lever(selected[c]) *
          J.row(static_cast<Eigen::Index>(r)).dot(J.row(static_cast<Eigen::Index>(c)));
  // one step of inverse iteration from the error: its length tells how hard that way is
  const Vector6d wanted = e.normalized();
  JJ.diagonal().array() += kRounding;
  const Vector6d hard = JJ.ldlt().solve(wanted);
  const bool singular = hard.dot(wanted) > 1.0 / (kSingular * kSingular);
  const Vector6d lost = hard.normalized();
  Eigen::Vector3d out = w.task->X_WE().p - frame_pose(*mechanism.model, s.data, w.shoulder).p;
  if (w.task->axes_of() == TaskAxes::kFrame) out = w.task->X_WE().R.transpose() * out;
  const bool stretched = singular && e.head<3>().dot(out) > 0.0 &&
                         std::abs(lost.head<3>().dot(out)) > 0.7 * out.norm();

  char text[126];
  char *at = text, *end = text + sizeof text;
  const auto say = [&](const char* what) {
    at = std::min(end, fmt::format_to_n(at, end - at, "{}", what).out);
  };
  const auto say_of = [&](const Names& names, std::string_view of_one, std::string_view of_many) {
    at = names.write(at, end, names.size() == 1 ? of_one : of_many);
  };
  if (stretched) {
    say("the arm is stretched out");
    if (ends.empty()) {
      say("; go back towards its base");
    } else {
      say(", ");
      say_of(ends, " at its end; go back towards its base",
             " at their ends; go back towards its base");
    }
  } else if (!ends.empty()) {
    say_of(ends, " is at its end; go back, or round the other way",
           " are at their ends; go back, or round the other way");
  } else if (singular) {
    say("the arm cannot move that way in this posture; go back, or aside first");
  } else if (!pairs.empty()) {
    say_of(pairs, " is kept; go back, or round it", " are kept; go back, or round them");
  } else if (!torques.empty()) {
    say_of(torques, " gives all its torque; go back, or take load off",
           " give all their torque; go back, or take load off");
  } else {
    return false;
  }
  w.cause = std::string_view(text, static_cast<std::size_t>(at - text));
  return true;
}

bool Unreached::unreached(ReferenceIndex reference) const {
  return std::ranges::any_of(watched_,
                             [&](const Watched& w) { return w.reference == reference && w.told; });
}

std::string_view Unreached::cause(ReferenceIndex reference) const {
  for (const Watched& w : watched_)
    if (w.reference == reference && w.told) return w.cause;
  return {};
}

void Unreached::declare(ChannelTable& channels, Rate rate) {
  for (Watched& w : watched_)
    w.channel = channels.boolean("reference." + w.task->name() + ".unreached", rate,
                                 "the frame does not come nearer, since a limit binds");
}

void Unreached::publish(ChannelTable& channels, Nanoseconds stamp) const {
  for (const Watched& w : watched_) channels.write(w.channel, w.told, stamp);
}

std::vector<UnreachedSummary> Unreached::summary() const {
  std::vector<UnreachedSummary> all;
  for (const Watched& w : watched_)
    all.push_back({w.task->name(), w.times, w.time, w.distance, w.angle, std::string(w.cause)});
  return all;
}

void Unreached::state(StateArchive& archive) {
  archive.part("unreached");
  for (Watched& w : watched_) archive(w);
}

}  // namespace handspan
