#include "control/collision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.hpp"
#include "core/suggest.hpp"

namespace handspan {
namespace {

constexpr double kUnlimited = 1e30;  // acceleration of joints without limits [rad/s^2, m/s^2]

struct Body {
  int robot = 0, body = 0;
};

bool has_shapes(const BodyDescription& body) {
  return std::ranges::any_of(body.shapes, [](const Shape& s) { return s.collides; });
}

std::vector<Body> bodies_of(const std::string& pattern, std::span<const RobotModel* const> robots) {
  std::vector<Body> found;
  std::vector<std::string> names;
  for (std::size_t r = 0; r < robots.size(); ++r) {
    const auto& bodies = robots[r]->description().bodies;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      if (!has_shapes(bodies[b])) continue;
      names.push_back(bodies[b].name);
      if (matches(pattern, bodies[b].name))
        found.push_back({static_cast<int>(r), static_cast<int>(b)});
    }
  }
  if (found.empty())
    throw InputError(fmt::format("'{}' is no body with shapes; {}", shown(pattern),
                                 did_you_mean(pattern, names, "there are")));
  return found;
}

// whether no joint moves it
bool is_fixed(const Body& b, std::span<const RobotModel* const> robots) {
  const auto& bodies = robots[static_cast<std::size_t>(b.robot)]->description().bodies;
  for (int i = b.body; i >= 0; i = bodies[static_cast<std::size_t>(i)].parent)
    if (!bodies[static_cast<std::size_t>(i)].joints.empty()) return false;
  return true;
}

// a joint's two sides always touch
bool are_neighbours(const Body& a, const Body& b, std::span<const RobotModel* const> robots) {
  if (a.robot != b.robot) return false;
  const auto& bodies = robots[static_cast<std::size_t>(a.robot)]->description().bodies;
  // fixed bodies belong to what they are fixed to
  const auto root = [&](int body) {
    while (body >= 0 && bodies[static_cast<std::size_t>(body)].joints.empty())
      body = bodies[static_cast<std::size_t>(body)].parent;
    return body;
  };
  const auto parent = [&](int body) {
    return body < 0 ? -2 : root(bodies[static_cast<std::size_t>(body)].parent);
  };
  const int ra = root(a.body), rb = root(b.body);
  return ra == rb || parent(ra) == rb || parent(rb) == ra;
}

}  // namespace

Collision::Collision(const CollisionConfig& config, const ConstraintContext& context)
    : config_(config) {
  std::vector<const RobotModel*> robots;
  for (const auto& m : context.system.mechanisms()) robots.push_back(m.model.get());
  robots_.assign(robots.size(), nullptr);
  if (context.surroundings) {
    robots.push_back(context.surroundings);
    surroundings_ = std::make_unique<RobotData>(*context.surroundings);
    update_kinematics(*context.surroundings, *surroundings_, Eigen::VectorXd(0),
                      Eigen::VectorXd(0));
    robots_.push_back(surroundings_.get());
  }
  const auto name = [&](const Body& b) {
    return robots[static_cast<std::size_t>(b.robot)]
        ->description()
        .bodies[static_cast<std::size_t>(b.body)]
        .name;
  };
  const auto ignored = [&](const std::string& a, const std::string& b) {
    return std::ranges::any_of(context.ignored_pairs, [&](const auto& pair) {
      return (pair.first == a && pair.second == b) || (pair.first == b && pair.second == a);
    });
  };
  std::vector<BodyPair> pairs;
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto& [pattern_a, pattern_b] : config.pairs) {
    const std::size_t before = pairs.size();
    const auto as = bodies_of(pattern_a, robots), bs = bodies_of(pattern_b, robots);
    for (const Body& a : as)
      for (const Body& b : bs) {
        const bool fixed = is_fixed(a, robots) && is_fixed(b, robots);
        if (fixed || are_neighbours(a, b, robots) || ignored(name(a), name(b))) continue;
        if (!seen.insert(std::minmax(name(a), name(b))).second) continue;
        pairs.push_back({a.robot, a.body, b.robot, b.body});
      }
    if (pairs.size() == before)
      throw InputError(fmt::format(
          "the collision pair [{}, {}] leaves nothing to keep apart: its bodies are neighbours, "
          "listed in ignored_pairs, both fixed, or named before; name others",
          pattern_a, pattern_b));
  }
  model_ = std::make_unique<DistanceModel>(std::move(robots), std::move(pairs));
  data_ = std::make_unique<DistanceData>(*model_);
  for (const auto& m : context.system.mechanisms()) {
    // unlimited where no limit is known
    Eigen::RowVectorXd fastest = Eigen::RowVectorXd::Constant(m.model->nv(), kUnlimited);
    for (std::size_t j = 0; j < m.actuated.size(); ++j)
      fastest[m.actuated[j]] = m.limits[j].acceleration;
    fastest_.push_back(std::move(fastest));
  }
}

std::vector<ConstraintRow> Collision::rows() const {
  std::vector<ConstraintRow> rows;
  for (std::size_t p = 0; p < model_->pairs().size(); ++p)
    for (int place = 1; place <= places(); ++place) {
      const std::string name = "collision " + model_->pair_name(static_cast<int>(p));
      rows.push_back({place == 1 ? name : fmt::format("{} ({})", name, place),
                      ConstraintKind::kCollision, config_.deceleration});
    }
  return rows;
}

void Collision::update(const ControlSystem& system, ControlState& state, RowBlock rows) {
  for (std::size_t m = 0; m < state.mechanisms.size(); ++m) robots_[m] = &state.mechanisms[m].data;
  const bool braking = config_.form == CollisionForm::kBraking;
  if (braking)
    update_bodies(*model_, robots_, *data_);
  else
    update_distances(*model_, robots_, *data_, config_.influence);
  for (int p = 0; p < static_cast<int>(model_->pairs().size()); ++p) {
    const double dt = look_ahead(model_->pairs()[static_cast<std::size_t>(p)], state);
    if (dt == 0.0) continue;  // neither takes a command now
    MostUrgent found;
    int count = 1;
    if (braking)
      count = most_urgent(*model_, *data_, p,
                          {config_.safety, config_.deceleration, config_.recovery, dt},
                          config_.influence, found);
    else
      found[0] = (*data_)[p];
    for (int k = 0; k < count; ++k) {
      const Distance& d = found[static_cast<std::size_t>(k)];
      if (d.shape_a >= 0 && !d.n_W.isZero(0.0))
        fill_row(system, state, p, d, dt, places() * p + k, rows);
    }
  }
  nearest_ = nearest_distance(*model_, *data_, config_.influence);
}

void Collision::fill_row(const ControlSystem& system, ControlState& state, int p, const Distance& d,
                         double dt, int r, RowBlock& rows) {
  const BodyPair& pair = model_->pairs()[static_cast<std::size_t>(p)];
  const bool braking = config_.form == CollisionForm::kBraking;
  double rate = 0.0, most = 0.0;  // of d' [m/s], and of the row times q'' within the limits [m/s^2]
  const auto add = [&](int robot) {
    const auto m = static_cast<std::size_t>(robot);
    if (m >= state.mechanisms.size()) return;
    const Mechanism& mechanism = system.mechanisms()[m];
    MechanismState& s = state.mechanisms[m];
    auto row = rows.A.row(r).segment(mechanism.offset, mechanism.model->nv());
    distance_row(*model_, p, d, robot, s.data, row);
    rate += row.dot(s.v);
    if (s.due)
      most += row.cwiseAbs().dot(fastest_[m]);
    else
      most -= row.dot(s.qdd);
  };
  add(pair.robot_a);
  if (pair.robot_b != pair.robot_a) add(pair.robot_b);
  const double bias = distance_bias(*model_, p, d, robots_, !braking);
  double lower = 0.0;
  if (braking) {
    lower = braking_bound(d.distance - config_.safety, -rate, config_.deceleration,
                          config_.recovery, dt) -
            bias;
  } else {
    const double depth = (d.distance - config_.safety) / (config_.influence - config_.safety);
    lower = (-config_.damping * depth - rate) / dt - bias;
  }
  // what no accelerations within the joints' limits can violate only makes the QP larger
  if (lower > -most) rows.lower[r] = lower;
}

// how far ahead a pair's bound looks, by the slower of its robots [s]; 0 when neither of its robots
// takes a command now
double Collision::look_ahead(const BodyPair& pair, const ControlState& state) const {
  double dt = 0.0;
  bool due = false;
  for (const int robot : {pair.robot_a, pair.robot_b}) {
    const auto m = static_cast<std::size_t>(robot);
    if (m >= state.mechanisms.size()) continue;
    const MechanismState& s = state.mechanisms[m];
    due = due || s.due;
    dt = std::max(dt, config_.form == CollisionForm::kBraking ? s.horizon : s.dt);
  }
  return due ? dt : 0.0;
}

void Collision::declare(ChannelTable& channels, Rate rate) {
  nearest_channel_ =
      channels.number("collision." + std::to_string(channels.channels().size()) + ".nearest", "m",
                      rate, "least distance of its pairs, at most the influence distance");
}

void Collision::publish(ChannelTable& channels, Nanoseconds stamp) const {
  channels.write(nearest_channel_, nearest_, stamp);
}

void register_collision(ConstraintRegistry& registry) {
  const auto pair = list(text()).size(2).map([](const std::vector<std::string>& names) {
    return std::pair<std::string, std::string>(names[0], names[1]);
  });
  registry.add(
      "collision",
      object<CollisionConfig>("Collision", "keeps pairs of bodies apart")
          .required("pairs", &CollisionConfig::pairs, list(pair),
                    "two names of bodies each, such as [left.link5, bench]; '*' is any text. "
                    "Neighbours and ignored_pairs are left out")
          .optional("form", &CollisionConfig::form,
                    choice<CollisionForm>(
                        {{"braking", CollisionForm::kBraking}, {"damper", CollisionForm::kDamper}}))
          .optional("safety", &CollisionConfig::safety, number("m").min(0), "distance kept")
          .optional("influence", &CollisionConfig::influence, number("m").above(0).max(5),
                    "farther pairs are left alone; braking: at least safety + v^2 / (2 "
                    "deceleration) of the fastest approach")
          .optional("deceleration", &CollisionConfig::deceleration, number("m/s^2").above(0))
          .optional("recovery", &CollisionConfig::recovery, number("m/s").above(0),
                    "braking: speed at which it leaves what is too near")
          .optional("damping", &CollisionConfig::damping, number("m/s").above(0), "damper: xi")
          .check(
              [](const CollisionConfig& c) -> std::optional<Fault> {
                if (c.influence > c.safety) return std::nullopt;
                return Fault{"is not above safety", "it must be larger", "influence"};
              },
              "influence > safety"),
      "keeps pairs of bodies apart",
      [](const CollisionConfig& config, const ConstraintContext& context) {
        return std::make_unique<Collision>(config, context);
      });
}

}  // namespace handspan
