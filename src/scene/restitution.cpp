#include "scene/restitution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "core/error.hpp"
#include "scene/mujoco_spec.hpp"

namespace handspan {
namespace {

// A ball flying at a wall at 1 m/s without gravity; the contact law is linear, so that any speed
// rebounds alike.
class DropTest {
 public:
  DropTest(double timestep, const std::array<double, 3>& impedance) {
    MjSpecPtr spec = make_spec();
    spec->option.timestep = timestep;
    spec->option.integrator = mjINT_IMPLICITFAST;
    spec->option.cone = mjCONE_ELLIPTIC;
    spec->option.gravity[2] = 0.0;
    mjsBody* world = mjs_findBody(spec.get(), "world");
    mjsBody* ball = mjs_addBody(world, nullptr);
    ball->explicitinertial = 1;
    ball->mass = 1.0;
    for (double& i : ball->inertia) i = 0.004;
    mjs_addFreeJoint(ball);
    mjsGeom* wall = mjs_addGeom(world, nullptr);
    wall->type = mjGEOM_BOX;
    wall->size[0] = wall->size[1] = wall->size[2] = 0.5;
    wall->pos[2] = -0.5;
    mjsGeom* sphere = mjs_addGeom(ball, nullptr);
    sphere->type = mjGEOM_SPHERE;
    sphere->size[0] = 0.1;
    model_ = compile_spec(spec.get(), "drop test");
    for (int g = 0; g < model_->ngeom; ++g)
      std::copy_n(impedance.data(), 3, model_->geom_solimp + mjNIMP * g);
    data_.reset(mj_makeData(model_.get()));
  }

  // Mean over impacts in all phases of a step: in which of them a ball meets the wall is chance.
  double rebound(double k, double b) {
    double sum = 0.0;
    for (int i = 0; i < kPhases; ++i) sum += rebound(k, b, (i + 0.5) / kPhases);
    return sum / kPhases;
  }

 private:
  static constexpr int kPhases = 8;

  double rebound(double k, double b, double phase) {
    for (int g = 0; g < model_->ngeom; ++g) {
      model_->geom_solref[2 * g] = -k;
      model_->geom_solref[2 * g + 1] = -b;
    }
    mj_resetData(model_.get(), data_.get());
    data_->qpos[2] = 0.1 + phase * model_->opt.timestep;
    data_->qvel[2] = -1.0;
    for (int step = 0; step < 2000; ++step) {
      mj_step(model_.get(), data_.get());
      if (data_->ncon == 0 && step > 2) break;
    }
    return data_->qvel[2];
  }

  MjModelPtr model_;
  MjDataPtr data_;
};

}  // namespace

double simulated_restitution(double k, double b, double timestep,
                             const std::array<double, 3>& impedance) {
  return DropTest(timestep, impedance).rebound(k, b);
}

double restitution_damping(double e, double k, double timestep,
                           const std::array<double, 3>& impedance) {
  if (!(e >= 0.0 && e <= 0.95))
    throw InputError(fmt::format("restitution is {}; it must be 0 to 0.95", e));
  if (!(k > 0.0)) throw InputError(fmt::format("stiffness is {}; it must be > 0", k));
  // the contact lasts pi / sqrt(k): with fewer steps in it chance decides
  if (k * timestep * timestep > 0.16)
    throw InputError(fmt::format(
        "a contact of stiffness {} 1/s^2 lasts less than 8 steps of {} s; use at most {}", k,
        timestep, 0.16 / (timestep * timestep)));
  static std::mutex mutex;
  static std::map<std::tuple<double, double, double, std::array<double, 3>>, double> cache;
  const std::scoped_lock lock(mutex);
  const auto key = std::tuple(e, k, timestep, impedance);
  if (const auto found = cache.find(key); found != cache.end()) return found->second;

  DropTest test(timestep, impedance);
  // more damping than one step can take makes the contact kick instead of yield
  double low = 0.0, high = 0.9 / timestep;
  if (const double least = test.rebound(k, high); least > e) {
    if (least > e + 0.05)
      throw InputError(
          fmt::format("a contact of stiffness {} 1/s^2 rebounds with at least {:.2f} at a step of "
                      "{} s; use a softer one",
                      k, least, timestep));
    low = high;
  }
  for (int i = 0; i < 50 && high - low > 1e-9 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (test.rebound(k, middle) > e ? low : high) = middle;
  }
  return cache[key] = 0.5 * (low + high);
}

}  // namespace handspan
