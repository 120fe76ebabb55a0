#include "skills/toss/aim_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/error.hpp"
#include "core/named.hpp"
#include "core/values.hpp"
#include "session/session.hpp"
#include "skills/toss/toss_aim.hpp"
#include "study/session_lookup.hpp"

namespace handspan {
namespace {

// longer than any trial: the cup does not let go [s]
constexpr double kNever = 1e3;
// cost of tosses that fail, all of them: a hundredth of them as much as a unit and a half of what
// is wanted
constexpr double kFailure = 100.0;

// A variation that sets a number of the plan, and what of it counts as much as one unit of what is
// wanted.
struct FreeNumber {
  std::string variation;
  double size = 0.0;
};

struct FreeNumbers {
  std::optional<FreeNumber> scale, speed, turn, release, lift, flick_x, flick_y, flick_z,
      target_later;
};

struct AimConfig {
  std::string cell, object, cup, into;
  std::vector<std::string> off;  // columns: at rest, along and across the target
  FreeNumbers free;
  TossSpread spread;
  double longest = 3.0;  // [s]
  std::int64_t trials = 4, forecasts = 200, again = 0;
};

double& scale(TossPlan& p) { return p.swing.scale; }
double& speed(TossPlan& p) { return p.swing.speed; }
double& turn(TossPlan& p) { return p.swing.turn; }
double& release(TossPlan& p) { return p.swing.release; }
double& lift(TossPlan& p) { return p.swing.lift; }
double& flick_x(TossPlan& p) { return p.swing.flick[0]; }
double& flick_y(TossPlan& p) { return p.swing.flick[1]; }
double& flick_z(TossPlan& p) { return p.swing.flick[2]; }
double& target_later(TossPlan& p) { return p.target_later; }

struct Part {
  std::optional<FreeNumber> FreeNumbers::* number;
  double& (*of)(TossPlan&);
};
constexpr Part kParts[] = {{&FreeNumbers::scale, scale},
                           {&FreeNumbers::speed, speed},
                           {&FreeNumbers::turn, turn},
                           {&FreeNumbers::release, release},
                           {&FreeNumbers::lift, lift},
                           {&FreeNumbers::flick_x, flick_x},
                           {&FreeNumbers::flick_y, flick_y},
                           {&FreeNumbers::flick_z, flick_z},
                           {&FreeNumbers::target_later, target_later}};

template <class Bodies>
const SceneBody* found(const Bodies& bodies, const std::string& name) {
  for (const auto& entry : bodies) {
    if constexpr (requires { entry.body; }) {
      if (entry.body.name == name) return &entry.body;
    } else if (entry.name == name) {
      return &entry;
    }
  }
  return nullptr;
}

const SceneBody& tossed(const Scene& scene, const std::string& name) {
  if (const SceneBody* body = found(scene.objects, name)) return *body;
  throw_not_found("the scene", "object", name, names_of(scene.objects, &SceneBody::name));
}

const SceneBody& target(const Scene& scene, const std::string& name) {
  const SceneBody* body = found(scene.kinematics, name);
  if (body == nullptr) body = found(scene.objects, name);
  if (body == nullptr) {
    std::vector<std::string> names;
    for (const auto& kinematic : scene.kinematics) names.push_back(kinematic.body.name);
    for (const auto& object : scene.objects) names.push_back(object.name);
    throw_not_found("the scene", "object or kinematic body", name, names);
  }
  if (!std::ranges::all_of(body->shapes, [](const Shape& s) { return s.type == ShapeType::kBox; }))
    throw InputError(
        fmt::format("'{}' has shapes that are no boxes; a target is of boxes, such as "
                    "a tray",
                    shown(name)));
  return *body;
}

SuctionDescription& cup_of(Scene& scene, const std::string& name) {
  std::vector<std::string> names;
  for (auto& robot : scene.robots)
    for (auto& suction : robot.suctions) {
      if (suction.name == name) return suction;
      names.push_back(suction.name);
    }
  throw_not_found("the scene", "suction cup", name, names);
}

// The box within whose edges all shapes are, with balls at its corners if it has some.
RigidBox rigid_box(const SceneBody& object) {
  Eigen::Vector3d low = Eigen::Vector3d::Constant(INFINITY), high = -low;
  RigidBox box;
  for (const Shape& shape : object.shapes) {
    if (shape.type != ShapeType::kBox && shape.type != ShapeType::kSphere)
      throw InputError(fmt::format(
          "'{}' has a shape that is neither box nor ball; what is aimed is a box", object.name));
    Eigen::Vector3d half = Eigen::Vector3d::Constant(shape.size[0]);
    if (shape.type == ShapeType::kBox)
      half = shape.X_BG.q.toRotationMatrix().cwiseAbs() * shape.size;
    else
      box.rounding = shape.size[0];
    low = low.cwiseMin(shape.X_BG.p - half);
    high = high.cwiseMax(shape.X_BG.p + half);
  }
  if (!(high + low).isZero(1e-4))
    throw InputError(fmt::format("'{}' is not about its own origin; what is aimed is a box that is",
                                 object.name));
  box.size = high - low;
  box.mass = object.inertial.mass;
  box.p_BC = object.inertial.X_BC.p;
  box.inertia_C = object.inertial.inertia_B();
  return box;
}

ImpactLaw impact_law(const Scene& scene, const Shape& of_box, const Shape& of_target) {
  const ContactLaw& law = scene.law(of_box.material, of_target.material);
  return {law.friction, law.restitution.value_or(0.0)};
}

TossTask task_of(const Scene& scene, const AimConfig& config) {
  const SceneBody& object = tossed(scene, config.object);
  const SceneBody& into = target(scene, config.into);
  // its corners touch, where it has some
  const auto corner = std::ranges::find(object.shapes, ShapeType::kSphere, &Shape::type);
  const Shape& touching = corner == object.shapes.end() ? object.shapes.front() : *corner;
  TossTask task;
  task.box = rigid_box(object);
  task.floor = impact_law(scene, touching, into.shapes.front());
  for (const Shape& shape : into.shapes)
    task.surfaces.push_back({shape.name, shape.X_BG.pose(), 2.0 * shape.size,
                             Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero(),
                             impact_law(scene, touching, shape)});
  return task;
}

class AimStage : public Stage {
 public:
  explicit AimStage(const AimConfig& config) : config_(config) {}

  std::vector<StageValue> run(const StageContext& context) override {
    const TossFreedom freedom = freedom_of();
    // what changes nothing of how the box is let go, so that its forecast is as good as the trial
    TossFreedom of_target;
    of_target.target_later = freedom.target_later;
    of_target.turn = freedom.turn;
    TossPlan plan;
    TossAim best;
    best.cost = INFINITY;
    HeldSwing of_best;
    TossTask task;
    double off = NAN, share = 0.0, share_of_best = 0.0;
    for (std::int64_t trials = 0; trials < config_.trials; ++trials) {
      RunRequest request = request_of(plan);
      request.middle = true;
      request.group = context.name + "_trials";
      HeldSwing trial;
      {
        const auto app = context.app(request);
        task = task_of(app->scene, config_);
        trial = hold(*app, plan);
      }
      const TossForecast said = forecast(task, trial, plan);
      const RunRecord& done = context.results.runs[context.run({&request, 1}).front()];
      const Eigen::Vector2d was(value(context.results, done, config_.off[0]),
                                value(context.results, done, config_.off[1]));
      TossAimOptions options;
      off = was.norm();
      // what the forecast does not know: told by the last toss that came to rest in the target as
      // it should
      if (was.allFinite() && done.good.value_or(true)) missed_ = was - said.off_T.head<2>();
      options.off_T = -missed_;
      TossAim settled = aim_toss(task, trial, of_target, options);
      share = forecast_success(task, trial, settled.plan, config_.spread,
                               static_cast<int>(config_.forecasts), 1);
      settled.cost += kFailure * (1.0 - share);
      if (settled.cost < best.cost) {
        best = settled;
        of_best = trial;
        share_of_best = share;
      }
      options.near = 0.5 * static_cast<double>(trials);
      plan =
          trials + 2 < config_.trials ? aim_toss(task, of_best, freedom, options).plan : best.plan;
    }
    std::vector<StageValue> values;
    for (const Part& part : kParts)
      if (const auto& number = config_.free.*part.number)
        values.push_back(
            {number->variation, part.of(best.plan), context.results.unit(number->variation)});
    values.push_back({"trials", static_cast<double>(config_.trials), ""});
    values.push_back({"off", off, "m"});
    values.push_back({"forecast", share_of_best, ""});
    std::vector<RunRequest> again;
    int last = 0;
    for (const RunRecord& run : context.results.runs) last = std::max(last, run.repeat);
    for (int i = 0; i < config_.again; ++i) {
      again.push_back(request_of(best.plan));
      again.back().repeat = last + 1 + i;
    }
    if (!again.empty()) context.run(again);
    return values;
  }

 private:
  TossFreedom freedom_of() const {
    const auto size = [](const std::optional<FreeNumber>& n) { return n ? n->size : 0.0; };
    const FreeNumbers& f = config_.free;
    return {size(f.scale),       size(f.speed), size(f.turn),
            size(f.release),     size(f.lift),  {size(f.flick_x), size(f.flick_y), size(f.flick_z)},
            size(f.target_later)};
  }

  RunRequest request_of(TossPlan plan) const {
    RunRequest request{config_.cell, 0, {}};
    for (const Part& part : kParts)
      if (const auto& number = config_.free.*part.number)
        request.values.emplace_back(number->variation, part.of(plan));
    return request;
  }

  static double value(const Results& results, const RunRecord& run, const std::string& column) {
    const auto name_of = [](const auto& c) -> const std::string& { return c.name; };
    return run.values[find_named("", "column", column, results.columns, name_of)];
  }

  // The run without letting go.
  HeldSwing hold(App& app, const TossPlan& plan) const {
    SuctionDescription& cup = cup_of(app.scene, config_.cup);
    HeldSwing trial;
    trial.plan = plan;
    trial.delay = std::exchange(cup.release.delay, kNever);
    SessionOptions options;
    options.live_devices = true;
    Session session(app, std::move(options));
    const World& world = world_of(session);
    const int box = body_of(world, config_.object), into = body_of(world, config_.into),
              lip = body_of(world, cup.shape);
    const ChannelId command = session.channels().find(config_.cup + ".command");
    bool on = false;
    double off_at = NAN;
    while (seconds(session.now()) < config_.longest && !session.ended()) {
      const double began = seconds(session.now());
      session.tick();
      const bool now_on = asks_for_vacuum(session.channels().numbers(command)[0]);
      if (on && !now_on && !std::isfinite(off_at)) off_at = began;
      on = now_on;
      trial.samples.push_back({seconds(session.now()),
                               {world.body_pose(box), world.body_velocity(box)},
                               world.body_pose(lip).p,
                               world.body_pose(into)});
    }
    if (!std::isfinite(off_at))
      throw InputError(fmt::format(
          "in the trial '{}' is not switched off within {:g} s; take a demonstration that lets go, "
          "or give 'longest'",
          config_.cup, config_.longest));
    trial.release = off_at + trial.delay;
    return trial;
  }

  AimConfig config_;
  Eigen::Vector2d missed_ = Eigen::Vector2d::Zero();
};

}  // namespace

void register_aim_stage(StageRegistry& registry) {
  // what is a number of this unit
  const auto free_number = [](const char* unit) {
    return object<FreeNumber>("FreeNumber")
        .required("variation", &FreeNumber::variation, text(), "that sets it")
        .required("size", &FreeNumber::size, (*unit == 0 ? number() : number(unit)).above(0),
                  "how much of it counts as much as 5 cm beside the middle");
  };
  using F = FreeNumbers;
  const auto free = object<F>("FreeNumbers", "of the swing and the target; what is left out stays")
                        .optional("scale", &F::scale, free_number(""), "of the swing's way")
                        .optional("speed", &F::speed, free_number(""), "times as fast")
                        .optional("turn", &F::turn, free_number("rad"), "of its direction")
                        .optional("release", &F::release, free_number("s"), "later")
                        .optional("lift", &F::lift, free_number("m"), "until it lets go")
                        .optional("flick_x", &F::flick_x, free_number("rad"),
                                  "of the wrist, about axes of the world")
                        .optional("flick_y", &F::flick_y, free_number("rad"))
                        .optional("flick_z", &F::flick_z, free_number("rad"))
                        .optional("target_later", &F::target_later, free_number("s"),
                                  "the target sets out later");
  const auto spread =
      object<TossSpread>("TossSpread", "standard deviations from toss to toss, for the forecast")
          .optional("release", &TossSpread::release, number("s").min(0))
          .optional("position", &TossSpread::position, vector<3>("m"),
                    "of the object under the cup")
          .optional("turn", &TossSpread::turn, vector<3>("rad"))
          .optional("spin", &TossSpread::spin, vector<3>("rad/s"), "when it is let go")
          .optional("restitution", &TossSpread::restitution, number().min(0).max(1))
          .optional("target", &TossSpread::target, number("m").min(0), "along its way");
  const auto schema =
      object<AimConfig>("Aim")
          .required("cell", &AimConfig::cell, text(), "whose object and target")
          .required("object", &AimConfig::object, text())
          .required("cup", &AimConfig::cup, text(), "the suction group that lets it go")
          .required("into", &AimConfig::into, text(),
                    "what it is to rest in the middle of: an object or a kinematic body of boxes")
          .required("off", &AimConfig::off, list(text()).min_size(2).max_size(2),
                    "columns: how far from that middle it rests, along its x and y")
          .required("free", &AimConfig::free, free)
          .optional("spread", &AimConfig::spread, spread)
          .optional("longest", &AimConfig::longest, number("s").above(0), "of a trial")
          .optional("trials", &AimConfig::trials, integer().min(1).max(100))
          .optional("forecasts", &AimConfig::forecasts, integer().min(1).max(100000),
                    "tosses for the share that the rigid model expects")
          .optional("again", &AimConfig::again, integer().min(0).max(100000),
                    "runs with the plan, with fresh seeds; their cell is the stage's name");
  registry.add("aim", schema,
               "adapts a demonstrated toss to an object and a target that moves, through the rigid "
               "model and a few trials",
               [](const AimConfig& config) { return std::make_unique<AimStage>(config); });
}

}  // namespace handspan
