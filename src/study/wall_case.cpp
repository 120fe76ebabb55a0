#include "study/wall_case.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.hpp"
#include "session/arm_force.hpp"
#include "study/session_lookup.hpp"

namespace handspan {
namespace {

constexpr double kBeforeHandMoves = 0.3,
                 kStays = 2.0;                 // before the hand moves, and at its depth [s]
constexpr double kApproachAcceleration = 2.0;  // of the hand [m/s^2]
constexpr double kFarthest = 0.8;              // it touches before that [m]
constexpr double kTouches = 1.0;               // a contact's force [N]
// after a stop for its force an arm has given way so soon [s]
constexpr double kGivesWay = 0.3;
// an impact on an arm that gives way by itself is over so soon [s]
constexpr double kImpact = 0.2;
// of what the hand was ahead, an event says: with some margin to where it is told [m]
constexpr double kToldAhead = 0.03;
// beyond max_force by so much it must have been seen: what the drives' torques do not tell
constexpr double kSeenBeyond = 1.1;

class WallCase {
 public:
  WallCase(Session& session, const WallCaseConfig& config)
      : session_(session),
        config_(config),
        world_(world_of(session)),
        reference_(session.arbiter().find_reference("hand")),
        arm_(session, "arm", config.frame),
        leash_(reference_),
        hand_(session),
        dt_(seconds(session.base_period())),
        ring_(static_cast<std::size_t>(std::lround(kForceWindow / dt_)), Eigen::Vector3d::Zero()) {
    for (const std::string& body : world_.bodies()) {
      arms_.push_back(body.starts_with("arm."));
      obstacles_.push_back(body.starts_with(config.obstacle));
    }
  }

  WallFigures run() {
    const Eigen::Vector3d start = arm_.X_WE().p;
    double r = 0.0, v = 0.0, stays = 0.0;
    for (double t = 0.0; stays < kStays; t += dt_) {
      double goal = kFarthest;
      if (touched_ >= 0)
        goal = (p_touch_ - start).dot(config_.along) + config_.depth;
      else if (session_.arbiter().stopped())
        throw InputError("it was stopped before it touched anything: " +
                         std::string(session_.arbiter().reason(reference_)));
      else if (r > kFarthest - 1e-3)
        throw InputError("its tool touches nothing on the hand's way");
      const double left = std::max(0.0, goal - r);
      const double wanted =
          t < kBeforeHandMoves
              ? 0.0
              : std::min(
                    {config_.speed, std::sqrt(2.0 * kApproachAcceleration * left), left / dt_});
      v = std::min(wanted, v + kApproachAcceleration * dt_);
      r += v * dt_;
      if (touched_ >= 0 && left < 1e-6) stays += dt_;
      hand_.show(r * config_.along, v * config_.along);
      tick();
    }
    finish();
    return figures_;
  }

 private:
  void tick() {
    arm_.look();
    const Pose X = arm_.X_WE();
    session_.tick();
    arm_.look();
    leash_.after_tick(session_, X);
    for (const Event& event : session_.events().events()) {
      told_leash_ = told_leash_ || event.kind == "leash";
      if (event.kind != "watch") continue;
      ++figures_.watched;
      names_force_ =
          names_force_ || event.text.view().find("presses with") != std::string_view::npos;
    }
    if (names_force_ && stopped_at_ < 0.0 && session_.arbiter().stopped())
      stopped_at_ = seconds(session_.now());
    watch_force();
    if (touched_ >= 0) watch_slip();
  }

  void watch_force() {
    Eigen::Vector3d f = Eigen::Vector3d::Zero();
    for (const Contact& c : world_.contacts()) {
      const auto a = static_cast<std::size_t>(c.body_a), b = static_cast<std::size_t>(c.body_b);
      const double side = arms_[b] && obstacles_[a] ? 1.0 : arms_[a] && obstacles_[b] ? -1.0 : 0.0;
      if (side == 0.0) continue;
      f += side * c.f_W;
      if (touched_ < 0 && c.f_W.norm() > kTouches) touch(side > 0.0 ? c.body_a : c.body_b);
    }
    sum_ += f - ring_[next_];
    ring_[next_] = f;
    next_ = (next_ + 1) % ring_.size();
    const double mean = sum_.norm() / static_cast<double>(ring_.size());
    figures_.force = std::max(figures_.force, mean);
    const double now = seconds(session_.now());
    const bool gives_way = stopped_at_ >= 0.0 && now <= stopped_at_ + kGivesWay;
    // what keeps to its max_force keeps to it in an impact as well, by its mean
    const bool impact = !config_.max_force && (touched_ < 0 || now <= touched_at_ + kImpact);
    if (!gives_way && !impact) figures_.press = std::max(figures_.press, mean);
    if (stopped_at_ < 0.0) before_stop_ = figures_.force;
  }

  void touch(int body) {
    touched_ = body;
    touched_at_ = seconds(session_.now());
    p_touch_ = arm_.X_WE().p;
    const Pose X_WB = world_.body_pose(body);
    p_BE_ = X_WB.inverse() * p_touch_;
    along_B_ = X_WB.R.transpose() * config_.along;
    Vector6d e = Vector6d::Zero();
    e.head<3>() = config_.stiffness * config_.leash * config_.along;
    figures_.says = (arm_.inertia() * e).head<3>().dot(config_.along);
  }

  void watch_slip() {
    Eigen::Vector3d d = world_.body_pose(touched_).inverse() * arm_.X_WE().p - p_BE_;
    d -= d.dot(along_B_) * along_B_;
    figures_.slip = std::max(figures_.slip, d.norm());
  }

  void finish() {
    figures_.distance = leash_.distance();
    figures_.angle = leash_.angle();
    figures_.dropped = session_.arbiter().reference(reference_).leash_figures().dropped;
    if (figures_.dropped > kToldAhead && !told_leash_) ++figures_.missed;
    if (!config_.max_force) return;
    const bool stopped = stopped_at_ >= 0.0;
    if (before_stop_ > kSeenBeyond * *config_.max_force && !stopped) ++figures_.missed;
    if (before_stop_ > *config_.max_force || stopped)
      figures_.named = stopped && session_.arbiter().holding(reference_) &&
                               session_.arbiter().reason(reference_).find("presses with") !=
                                   std::string_view::npos
                           ? 1.0
                           : 0.0;
  }

  Session& session_;
  WallCaseConfig config_;
  const World& world_;
  ReferenceIndex reference_;
  PlantArm arm_;
  LeashWatch leash_;
  StreamedHand hand_;
  double dt_;
  std::vector<bool> arms_, obstacles_;  // by body
  std::vector<Eigen::Vector3d> ring_;   // contact forces on the arm, tick by tick [N]
  Eigen::Vector3d sum_ = Eigen::Vector3d::Zero();
  std::size_t next_ = 0;
  int touched_ = -1;  // body; -1: none yet
  Eigen::Vector3d p_touch_ = Eigen::Vector3d::Zero(), p_BE_ = p_touch_, along_B_ = p_touch_;
  bool told_leash_ = false, names_force_ = false;
  double touched_at_ = 0.0, stopped_at_ = -1.0;  // for its force; -1: not yet [s]
  double before_stop_ = 0.0;                     // largest mean then [N]
  WallFigures figures_;
};

}  // namespace

WallFigures press_wall(Session& session, const WallCaseConfig& config) {
  return WallCase(session, config).run();
}

}  // namespace handspan
