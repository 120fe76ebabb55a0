#include "control/direction.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace handspan {
namespace {

using Matrix6d = Eigen::Matrix<double, 6, 6>;

// of singular values in the weights' metric: weaker ways are lost to rounding
constexpr double kWeakest = 1e-4;
// of a way, that is lost there before none of it is gone
constexpr double kMostLost = 0.5;
constexpr double kSpeedShare = 0.95, kEndShare = 0.8, kCurvatureShare = 0.7;
constexpr double kApproachTime = 0.1;  // [s]
// joints that turn by so much for a way go no nearer to the singular pose ahead: from there the way
// back is still known, and what is missing of the way is some 0.1 mm [rad/m]
constexpr double kMostJointWay = 100.0;
// over which it is looked how a joint's speed falls towards its end [rad]
constexpr double kAhead = 1e-4;
// less is not a motion [m/s]
constexpr double kStill = 1e-5;
// how fast a speed beyond what is allowed is taken back [1/s], at most in two ticks
constexpr double kTakeBack = 50.0;
// more than is asked for, when the arm catches up; never slower than this [m/s]
constexpr double kCatchUp = 1.1, kSlowestCatchUp = 0.1;
// an arm that does not go on for so long presses against something [s]
constexpr double kBlocked = 0.3;
// less is bound
constexpr double kFree = 0.999;

// What a way may use of what a joint may have before its end: less where it has to brake for it.
double share_of_speed(double most, double limit) {
  const double braking = std::clamp(2.0 * (1.0 - most / limit), 0.0, 1.0);
  return most * (kSpeedShare - braking * (kSpeedShare - kEndShare));
}

}  // namespace

const char* words_of(WayBound bound) {
  switch (bound) {
    case WayBound::kNone:
      return "leaves it free";
    case WayBound::kSpeed:
      return "is at its speed limit";
    case WayBound::kEnd:
      return "is near its end";
    case WayBound::kAcceleration:
      return "cannot turn fast enough";
    case WayBound::kSingular:
      return "is stretched or aligned: this way is singular";
  }
  return "";
}

Vector6d bias_along(const Matrix6Xd& J, const Eigen::VectorXd& v) {
  Vector6d bias = Vector6d::Zero();
  Eigen::Vector3d omega = Eigen::Vector3d::Zero();  // of the link that the joint moves
  Eigen::Vector3d after = Eigen::Vector3d::Zero();  // velocity of E by the joints after this one
  for (Eigen::Index i = 0; i < J.cols(); ++i) after += J.block<3, 1>(0, i) * v[i];
  for (Eigen::Index i = 0; i < J.cols(); ++i) {
    if (v[i] == 0.0) continue;
    const Eigen::Vector3d linear = J.block<3, 1>(0, i), axis = J.block<3, 1>(3, i);
    omega += axis * v[i];
    after -= linear * v[i];
    bias.head<3>() += v[i] * (omega.cross(linear) + axis.cross(after));
    bias.tail<3>() += v[i] * omega.cross(axis);
  }
  return bias;
}

DirectionKeeper::DirectionKeeper(const Mechanism& mechanism)
    : mechanism_(mechanism),
      v_(Eigen::VectorXd::Zero(mechanism.model->nv())),
      a_(Eigen::VectorXd::Zero(mechanism.model->nv())) {
  for (const JointLimits& limits : mechanism.limits) joints_.emplace_back(limits);
}

void DirectionKeeper::clear() {
  u_.setZero();
  wanted_ = fall_ = 0.0;
  share_ = limited_ = 1.0;
  bound_ = WayBound::kNone;
  joint_ = -1;
}

double DirectionKeeper::allowed() const {
  return bound_ == WayBound::kNone ? HUGE_VAL : limited_ * wanted_;
}

std::string_view DirectionKeeper::tell(std::span<char> text) const {
  if (bound_ == WayBound::kNone) return {};
  const std::string_view name = joint_ >= 0
                                    ? mechanism_.joint_names[static_cast<std::size_t>(joint_)]
                                    : std::string_view(mechanism_.name);
  const auto written = fmt::format_to_n(text.data(), static_cast<std::ptrdiff_t>(text.size()),
                                        "{} {}", name, words_of(bound_));
  return {text.data(), std::min(written.size, text.size())};
}

void DirectionKeeper::bind(double share, WayBound bound, int joint, double fall) {
  if (share >= share_) return;
  share_ = share;
  fall_ = fall;
  bound_ = share < kFree ? bound : WayBound::kNone;
  joint_ = share < kFree ? joint : -1;
}

void DirectionKeeper::update(const Matrix6Xd& J, const Vector6d& roots, const Vector6d& V,
                             double asked, const Vector6d& V_now, const Eigen::VectorXd& q,
                             double dt) {
  clear();
  const Vector6d way = roots.cwiseProduct(V);
  wanted_ = way.norm();
  if (!(wanted_ > kStill)) {
    wanted_ = 0.0;
    return;
  }
  u_ = way / wanted_;
  Matrix6d S = kWeakest * kWeakest * Matrix6d::Identity();
  for (const int i : mechanism_.actuated) {
    const Vector6d column = roots.cwiseProduct(J.col(i));
    S.selfadjointView<Eigen::Lower>().rankUpdate(column);
  }
  const Eigen::LLT<Matrix6d> factors(S);
  const Vector6d c = factors.solve(way);
  const Vector6d of_v = roots.cwiseProduct(c);
  for (const int i : mechanism_.actuated) v_[i] = J.col(i).dot(of_v);
  const Vector6d of_a = roots.cwiseProduct(factors.solve(-roots.cwiseProduct(bias_along(J, v_))));
  double growth = 0.0, squares = 0.0;
  for (const int i : mechanism_.actuated) {
    a_[i] = J.col(i).dot(of_a);
    growth += v_[i] * a_[i];
    squares += v_[i] * v_[i];
  }
  growth = squares > 0.0 ? growth / squares : 0.0;  // of ln |q'|, at this twist [1/s]
  const double along = std::max(growth, 0.0) / wanted_;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const int i = mechanism_.actuated[j];
    const JointLimits& limits = mechanism_.limits[j];
    const double v = std::abs(v_[i]), a = std::abs(a_[i]), at = q[mechanism_.actuated_q[j]];
    const double sign = v_[i] > 0.0 ? 1.0 : -1.0;
    const auto most = [&](double ahead) {
      return sign > 0.0 ? joints_[j].upper_velocity(at + ahead)
                        : -joints_[j].lower_velocity(at - ahead);
    };
    const double speed = share_of_speed(most(0.0), limits.velocity);
    const bool near_end = most(0.0) < kFree * limits.velocity;
    if (speed < v * share_) {
      const double ahead = share_of_speed(most(kAhead), limits.velocity);
      const double falls = near_end && speed > 0.0 ? (speed - ahead) / (kAhead * speed) : 0.0;
      bind(speed / v, near_end ? WayBound::kEnd : WayBound::kSpeed, static_cast<int>(j),
           along + falls * v / wanted_);
    }
    const double curvature = kCurvatureShare * limits.acceleration;
    // as q' grows like d^-1 it grows like d^-3: what is allowed falls like d^3/2
    if (curvature < a * share_ * share_)
      bind(std::sqrt(curvature / a), WayBound::kAcceleration, static_cast<int>(j), 1.5 * along);
  }
  // q' grows along the way: towards a singular pose, which it keeps away from
  const double per_way = std::sqrt(squares) / wanted_;
  const double left = std::clamp(kMostJointWay / std::max(per_way, 1e-9) - 1.0, 0.0, 1.0);
  if (growth > 0.0 && (growth * share_ * kApproachTime > left || left < share_)) {
    int most = 0;
    for (std::size_t j = 1; j < joints_.size(); ++j)
      if (std::abs(v_[mechanism_.actuated[j]]) >
          std::abs(v_[mechanism_.actuated[static_cast<std::size_t>(most)]]))
        most = static_cast<int>(j);
    bind(std::min(left, left / (growth * kApproachTime)), WayBound::kSingular, most, 1.5 * along);
  }
  const double lost = kWeakest * kWeakest * c.norm() / wanted_;
  if (1.0 - lost / kMostLost < share_ && lost > 1e-3 * kMostLost)
    bind(std::max(0.0, 1.0 - lost / kMostLost), WayBound::kSingular, -1, 0.0);
  limited_ = share_;
  catch_up(asked, u_.dot(roots.cwiseProduct(V_now)), dt);
}

// While the way was bound the arm fell behind. It then goes on at little more than was asked for,
// not as fast as the spring of its task would pull it; unless something blocks it, against which it
// presses.
void DirectionKeeper::catch_up(double asked, double speed, double dt) {
  if (bound_ != WayBound::kNone) behind_ = true;
  if (!behind_) return;
  asked_ = std::max(asked_, asked);
  const double most = std::max(kCatchUp * asked_, kSlowestCatchUp);
  blocked_ = bound_ == WayBound::kNone && speed < 0.5 * most ? blocked_ + dt : 0.0;
  if ((bound_ == WayBound::kNone && wanted_ <= most) || blocked_ > kBlocked) {
    behind_ = false;
    asked_ = blocked_ = 0.0;
  } else if (most < share_ * wanted_) {
    share_ = most / wanted_;
    fall_ = 0.0;
  }
}

double DirectionKeeper::limit(double acceleration, double speed, double dt) const {
  if (share_ >= kFree) return acceleration;
  const double most = share_ * wanted_;
  // as it is reached, not before
  const double reached = most > 0.0 ? std::clamp((speed / most - 0.8) / 0.2, 0.0, 1.0) : 1.0;
  const double falls = speed > 0.0 ? reached * fall_ * speed * speed : 0.0;
  return std::min(acceleration, std::min(kTakeBack, 0.5 / dt) * (most - speed) - falls);
}

void DirectionKeeper::state(StateArchive& archive) {
  archive.part("direction keeper");
  archive(u_, wanted_, share_, limited_, fall_, bound_, joint_, behind_, asked_, blocked_);
}

}  // namespace handspan
