#include "control/collision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.hpp"
#include "core/suggest.hpp"

namespace handspan {
namespace {

constexpr double kUnlimited = 1e30;  // acceleration of joints without limits [rad/s^2, m/s^2]
// What is too near parts with the speed that joints can reach in this time [s]; with less at levers
// below kLever [m/rad, m/m], so that joints come to rest where the gap is widest.
constexpr double kParting = 0.0125, kLever = 0.05;

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
    throw InputError(fmt::format("'{}' is not a body with shapes; {}", shown(pattern),
                                 did_you_mean(pattern, names, "there are")));
  return found;
}

// Joints that move it and that control may move, as indices into v: none of what is around, and
// none that others drive.
std::set<int> moving_joints(const Body& b, const ConstraintContext& context,
                            std::span<const RobotModel* const> robots) {
  const RobotModel& model = *robots[static_cast<std::size_t>(b.robot)];
  const auto& mechanisms = context.system.mechanisms();
  const auto& bodies = model.description().bodies;
  std::set<int> joints;
  if (b.robot >= static_cast<int>(mechanisms.size())) return joints;
  const auto& held = mechanisms[static_cast<std::size_t>(b.robot)].held;
  const auto& mimics = model.description().mimics;
  for (int i = b.body; i >= 0; i = bodies[static_cast<std::size_t>(i)].parent)
    for (const auto& joint : bodies[static_cast<std::size_t>(i)].joints) {
      // a finger that follows another is held with it
      std::string leads = joint.name;
      for (auto m = mimics.begin(); m != mimics.end();) {
        m = std::ranges::find(mimics, leads, &MimicDescription::joint);
        if (m != mimics.end()) leads = m->master;
      }
      if (!std::ranges::count(held, model.joint(leads).v)) joints.insert(model.joint(joint.name).v);
    }
  return joints;
}

// whether nothing that control may move changes their distance
bool are_fixed(const Body& a, const Body& b, const ConstraintContext& context,
               std::span<const RobotModel* const> robots) {
  const auto of_a = moving_joints(a, context, robots), of_b = moving_joints(b, context, robots);
  return a.robot == b.robot ? of_a == of_b : of_a.empty() && of_b.empty();
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

// what is around has no mechanism: it stands behind them
std::vector<const RobotModel*> models_of(const ConstraintContext& context) {
  std::vector<const RobotModel*> robots;
  for (const auto& m : context.system.mechanisms()) robots.push_back(m.model.get());
  if (context.surroundings) robots.push_back(context.surroundings);
  return robots;
}

const std::string& name_of(const Body& b, std::span<const RobotModel* const> robots) {
  return robots[static_cast<std::size_t>(b.robot)]
      ->description()
      .bodies[static_cast<std::size_t>(b.body)]
      .name;
}

bool is_ignored(const std::string& a, const std::string& b, const ConstraintContext& context) {
  return std::ranges::any_of(context.ignored_pairs, [&](const auto& pair) {
    return (pair.first == a && pair.second == b) || (pair.first == b && pair.second == a);
  });
}

std::vector<BodyPair> named_pairs(const CollisionConfig& config, const ConstraintContext& context) {
  const auto robots = models_of(context);
  std::vector<BodyPair> pairs;
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto& [pattern_a, pattern_b] : config.pairs) {
    const std::size_t before = pairs.size();
    const auto as = bodies_of(pattern_a, robots), bs = bodies_of(pattern_b, robots);
    for (const Body& a : as)
      for (const Body& b : bs) {
        const std::string &name_a = name_of(a, robots), &name_b = name_of(b, robots);
        if (are_fixed(a, b, context, robots) || are_neighbours(a, b, robots) ||
            is_ignored(name_a, name_b, context))
          continue;
        if (!seen.insert(std::minmax(name_a, name_b)).second) continue;
        pairs.push_back({a.robot, a.body, b.robot, b.body});
      }
    if (pairs.size() == before)
      throw InputError(fmt::format(
          "the collision pair [{}, {}] leaves nothing to keep apart: its bodies are neighbours, "
          "are "
          "listed in ignored_pairs, were named before, or cannot be moved against one another by "
          "what control drives; name others",
          pattern_a, pattern_b));
  }
  return pairs;
}

}  // namespace

Collision::Collision(const CollisionConfig& config, const ConstraintContext& context)
    : Collision(config, context, named_pairs(config, context), false) {}

Collision::Collision(const CollisionConfig& config, const ConstraintContext& context,
                     std::vector<BodyPair> pairs, bool between_arms)
    : config_(config), between_arms_(between_arms) {
  robots_.assign(context.system.mechanisms().size(), nullptr);
  if (context.surroundings) {
    surroundings_ = std::make_unique<RobotData>(*context.surroundings);
    update_kinematics(*context.surroundings, *surroundings_, Eigen::VectorXd(0),
                      Eigen::VectorXd(0));
    robots_.push_back(surroundings_.get());
  }
  model_ = std::make_unique<DistanceModel>(models_of(context), std::move(pairs));
  data_ = std::make_unique<DistanceData>(*model_);
  for (const auto& m : context.system.mechanisms()) {
    // unlimited where no limit is known
    Eigen::RowVectorXd fastest = Eigen::RowVectorXd::Constant(m.model->nv(), kUnlimited);
    for (std::size_t j = 0; j < m.actuated.size(); ++j)
      fastest[m.actuated[j]] = m.limits[j].acceleration;
    fastest_.push_back(std::move(fastest));
  }
}

std::unique_ptr<Collision> Collision::between_arms(const BetweenArmsConfig& config,
                                                   const ConstraintContext& context,
                                                   std::span<const Collision* const> others) {
  const auto robots = models_of(context);
  using Names = std::pair<std::string, std::string>;
  std::set<Names> left_out;
  for (const auto& [pattern_a, pattern_b] : config.ignored_pairs)
    for (const Body& a : bodies_of(pattern_a, robots))
      for (const Body& b : bodies_of(pattern_b, robots))
        left_out.insert(std::minmax(name_of(a, robots), name_of(b, robots)));
  for (const Collision* other : others)
    for (const BodyPair& pair : other->model().pairs())
      left_out.insert(std::minmax(name_of({pair.robot_a, pair.body_a}, robots),
                                  name_of({pair.robot_b, pair.body_b}, robots)));
  std::vector<BodyPair> pairs;
  const int arms = static_cast<int>(context.system.mechanisms().size());
  for (int first = 0; first < arms; ++first)
    for (int second = first + 1; second < arms; ++second) {
      const auto shaped = [&](int robot) {
        std::vector<Body> bodies;
        const auto& all = robots[static_cast<std::size_t>(robot)]->description().bodies;
        for (std::size_t b = 0; b < all.size(); ++b)
          if (has_shapes(all[b])) bodies.push_back({robot, static_cast<int>(b)});
        return bodies;
      };
      for (const Body& a : shaped(first))
        for (const Body& b : shaped(second)) {
          const std::string &name_a = name_of(a, robots), &name_b = name_of(b, robots);
          if (are_fixed(a, b, context, robots) || is_ignored(name_a, name_b, context) ||
              left_out.contains(std::minmax(name_a, name_b)))
            continue;
          pairs.push_back({a.robot, a.body, b.robot, b.body});
        }
    }
  if (pairs.empty()) return nullptr;
  return std::unique_ptr<Collision>(new Collision(config, context, std::move(pairs), true));
}

std::vector<ConstraintRow> Collision::rows() const {
  std::vector<ConstraintRow> rows;
  for (std::size_t p = 0; p < model_->pairs().size(); ++p)
    for (int place = 1; place <= kMostUrgentPlaces; ++place) {
      const std::string name = "collision " + model_->pair_name(static_cast<int>(p));
      rows.push_back({place == 1 ? name : fmt::format("{} ({})", name, place),
                      ConstraintKind::kCollision, config_.deceleration});
    }
  return rows;
}

void Collision::update(const ControlSystem& system, ControlState& state, RowBlock rows) {
  double longest = 0.0;  // look ahead [s]
  for (std::size_t m = 0; m < state.mechanisms.size(); ++m) {
    robots_[m] = &state.mechanisms[m].data;
    longest = std::max(longest, state.mechanisms[m].horizon);
  }
  update_motions(*model_, robots_, *data_);
  // between arms that are far from one another one bound stands for all pairs
  const double looked_for =
      between_arms_
          ? calm_beyond(*data_, {config_.safety, config_.deceleration, config_.recovery, longest},
                        config_.influence)
          : config_.influence;
  if (between_arms_ && all_beyond(*model_, *data_, looked_for)) {
    nearest_ = looked_for;
    nearest_pair_ = -1;
    return;
  }
  MostUrgent found;
  for (int p = 0; p < static_cast<int>(model_->pairs().size()); ++p) {
    const double dt = look_ahead(model_->pairs()[static_cast<std::size_t>(p)], state);
    if (dt == 0.0) continue;  // neither takes a command now
    const int count = most_urgent(*model_, *data_, p,
                                  {config_.safety, config_.deceleration, config_.recovery, dt},
                                  config_.influence, found);
    for (int k = 0; k < count; ++k) {
      const Distance& d = found[static_cast<std::size_t>(k)];
      if (d.shape_a >= 0 && !d.n_W.isZero(0.0))
        fill_row(system, state, p, d, dt, kMostUrgentPlaces * p + k, rows);
    }
  }
  nearest_ = nearest_distance(*model_, *data_, looked_for);
  nearest_pair_ = nearest_ < looked_for ? handspan::nearest_pair(*data_) : -1;
}

void Collision::fill_row(const ControlSystem& system, ControlState& state, int p, const Distance& d,
                         double dt, int r, RowBlock& rows) {
  const BodyPair& pair = model_->pairs()[static_cast<std::size_t>(p)];
  double rate = 0.0, most = 0.0;  // of d' [m/s], and of the row times q'' within the limits [m/s^2]
  double opening = 0.0;           // with which slow joints part the two [m/s]
  const auto add = [&](int robot) {
    const auto m = static_cast<std::size_t>(robot);
    if (m >= state.mechanisms.size()) return;
    const Mechanism& mechanism = system.mechanisms()[m];
    MechanismState& s = state.mechanisms[m];
    auto row = rows.A.row(r).segment(mechanism.offset, mechanism.model->nv());
    distance_row(*model_, p, d, robot, s.data, row);
    rate += row.dot(s.v);
    // held fingers and what follows them open nothing
    for (std::size_t j = 0; j < mechanism.actuated.size(); ++j) {
      const double lever = std::abs(row[mechanism.actuated[j]]);
      opening +=
          kParting * mechanism.limits[j].acceleration * lever * std::min(1.0, lever / kLever);
    }
    if (s.due)
      most += row.cwiseAbs().dot(fastest_[m]);
    else
      most -= row.dot(s.qdd);
  };
  add(pair.robot_a);
  if (pair.robot_b != pair.robot_a) add(pair.robot_b);
  const double bias = distance_bias(*model_, p, d, robots_, false);
  const double lower = braking_bound(d.distance - config_.safety, -rate, config_.deceleration,
                                     std::min(config_.recovery, opening), dt) -
                       bias;
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
    dt = std::max(dt, s.horizon);
  }
  return due ? dt : 0.0;
}

void Collision::declare(ChannelTable& channels, Rate rate) {
  if (between_arms_)
    nearest_channel_ = channels.number("between_arms.nearest", "m", rate,
                                       "least distance between the arms; at most that beyond which "
                                       "nothing matters at their speed");
  else
    nearest_channel_ =
        channels.number("collision." + std::to_string(channels.channels().size()) + ".nearest", "m",
                        rate, "least distance of its pairs, at most the influence distance");
}

void Collision::publish(ChannelTable& channels, Nanoseconds stamp) const {
  channels.write(nearest_channel_, nearest_, stamp);
}

std::vector<Collision::Near> Collision::inside_margin(const ControlState& state) {
  for (std::size_t m = 0; m < state.mechanisms.size(); ++m) robots_[m] = &state.mechanisms[m].data;
  update_distances(*model_, robots_, *data_, config_.influence);
  std::vector<Near> near;
  for (int p = 0; p < static_cast<int>(model_->pairs().size()); ++p)
    if ((*data_)[p].distance < config_.safety)
      near.push_back({model_->pair_name(p), (*data_)[p].distance});
  return near;
}

namespace {

Schema<std::pair<std::string, std::string>> pair_schema() {
  return list(text()).size(2).map([](const std::vector<std::string>& names) {
    return std::pair<std::string, std::string>(names[0], names[1]);
  });
}

// what every kind of distance that is kept has
template <class Config>
ObjectSchema<Config> with_margins(const ObjectSchema<Config>& schema) {
  return schema.optional("safety", &CollisionConfig::safety, number("m").min(0), "distance kept")
      .optional("influence", &CollisionConfig::influence, number("m").above(0).max(5),
                "farther pairs are left alone; at least safety + v^2 / (2 deceleration) of the "
                "fastest approach")
      .optional("deceleration", &CollisionConfig::deceleration, number("m/s^2").above(0),
                "with which a pair can count on stopping")
      .optional(
          "recovery", &CollisionConfig::recovery, number("m/s").above(0),
          "at most with this speed it leaves what is too near; slower where joints have little "
          "lever")
      .check(
          [](const Config& c) -> std::optional<Fault> {
            if (c.influence > c.safety) return std::nullopt;
            return Fault{"is not above safety", "it must be larger", "influence"};
          },
          "influence > safety");
}

}  // namespace

Schema<BetweenArmsConfig> between_arms_schema() {
  return with_margins(
      object<BetweenArmsConfig>("BetweenArms", "keeps every two bodies of different arms apart")
          .place(&BetweenArmsConfig::place)
          .optional("ignored_pairs", &BetweenArmsConfig::ignored_pairs, list(pair_schema()),
                    "two names of bodies each that are left out, such as [left.plate, "
                    "right.plate]; '*' is any text: [left.*, right.*] leaves out all. Pairs that a "
                    "collision constraint names, it keeps apart in its own way"));
}

void register_collision(ConstraintRegistry& registry) {
  registry.add("collision",
               with_margins(object<CollisionConfig>("Collision", "keeps pairs of bodies apart")
                                .required("pairs", &CollisionConfig::pairs, list(pair_schema()),
                                          "two names of bodies each, such as [left.link5, bench]; "
                                          "'*' is any text. Neighbours, ignored_pairs and what "
                                          "control cannot move apart are left out")),
               "keeps pairs of bodies apart",
               [](const CollisionConfig& config, const ConstraintContext& context) {
                 return std::make_unique<Collision>(config, context);
               });
}

}  // namespace handspan
