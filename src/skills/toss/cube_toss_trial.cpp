#include "skills/toss/cube_toss_trial.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/values.hpp"
#include "skills/toss/cube_tosses.hpp"

namespace handspan {
namespace {

struct CubePart {
  double edge = TossedCube().edge, mass = TossedCube().mass, inertia = TossedCube().inertia,
         gravity = TossedCube().gravity;
};

struct RigidPart {
  double friction = CubeTossOptions().rigid.friction,
         restitution = CubeTossOptions().rigid.restitution,
         rounding = CubeTossOptions().rigid_rounding, timestep = CubeTossOptions().rigid_timestep;
};

struct MujocoPart {
  double friction = CubeTossOptions().plant.friction,
         restitution = CubeTossOptions().plant.restitution,
         stiffness = CubeTossOptions().plant_stiffness, rounding = CubeTossOptions().plant_rounding,
         timestep = CubeTossOptions().plant_timestep;
  std::optional<double> friction_damping = CubeTossOptions().plant_friction_damping;
};

struct CubeTossTrialConfig {
  CubePart cube;
  Rate rate = Rate::hz(148);
  RigidPart rigid;
  MujocoPart mujoco;
  double longest = CubeTossOptions().longest;

  CubeTossOptions options() const {
    CubeTossOptions o;
    o.cube = {cube.edge, cube.mass, cube.inertia, cube.gravity, 1.0 / rate.hz()};
    o.rigid = {rigid.friction, rigid.restitution};
    o.rigid_rounding = rigid.rounding;
    o.rigid_timestep = rigid.timestep;
    o.plant = {mujoco.friction, mujoco.restitution};
    o.plant_stiffness = mujoco.stiffness;
    o.plant_rounding = mujoco.rounding;
    o.plant_timestep = mujoco.timestep;
    o.plant_friction_damping = mujoco.friction_damping;
    o.longest = longest;
    return o;
  }
};

std::vector<std::filesystem::path> tosses_of(const TrialContext& context) {
  if (context.data.empty())
    throw InputError(
        "it reads measured tosses; say where they are: --data FOLDER, one .csv a toss");
  auto files = measured_toss_files(context.data);
  // a folder of something else is found before the first run
  read_measured_toss(files.front());
  return files;
}

class CubeTossTrial : public Trial {
 public:
  CubeTossTrial(const CubeTossTrialConfig& config, const TrialContext& context)
      : files_(tosses_of(context)), tosses_(config.options()) {}

  std::vector<Column> columns() const override {
    std::vector<Column> columns;
    for (const std::string simulator : {"rigid", "mujoco"})
      for (const Column& column :
           std::vector<Column>{{"position", "m", "of the centre at rest, from the last sample"},
                               {"rotation", "rad", "at rest, from the last sample"},
                               {"path_position", "m", "mean from the samples since it flies"},
                               {"path_rotation", "rad", "mean from the samples since it flies"},
                               {"wrong_face", "", "1: another face is up than measured"},
                               {"at_rest", "", "1: it came to rest in time"}})
        columns.push_back({simulator + "." + column.name, column.unit, column.doc});
    return columns;
  }

  int cases() const override { return static_cast<int>(files_.size()); }

  TrialOutcome run(const TrialCase& which) override {
    if (which.repeat < 0 || which.repeat >= cases())
      throw InputError(fmt::format("there are {} tosses, and this would be number {}", cases(),
                                   which.repeat + 1));
    const CubeTossResult result =
        tosses_.run(read_measured_toss(files_[static_cast<std::size_t>(which.repeat)]));
    TrialOutcome outcome;
    for (const TossErrors& e : {result.rigid, result.plant})
      outcome.values.insert(
          outcome.values.end(),
          {e.rest_position, e.rest_rotation, e.trajectory_position, e.trajectory_rotation,
           e.wrong_face ? 1.0 : 0.0, e.at_rest ? 1.0 : 0.0});
    return outcome;
  }

 private:
  std::vector<std::filesystem::path> files_;  // by name
  CubeTosses tosses_;
};

ObjectSchema<CubeTossTrialConfig> trial_schema() {
  const auto cube = object<CubePart>("TossedCube", "what was tossed")
                        .optional("edge", &CubePart::edge, number("m").above(0))
                        .optional("mass", &CubePart::mass, number("kg").above(0))
                        .optional("inertia", &CubePart::inertia, number("kg m^2").above(0),
                                  "about any axis through its middle")
                        .optional("gravity", &CubePart::gravity, number("m/s^2").above(0));
  const auto rigid = object<RigidPart>("RigidLaws", "of the rigid stepping")
                         .optional("friction", &RigidPart::friction, number().min(0))
                         .optional("restitution", &RigidPart::restitution, number().min(0).max(1))
                         .optional("rounding", &RigidPart::rounding, number("m").min(0),
                                   "radius of the cube's corners")
                         .optional("timestep", &RigidPart::timestep, number("s").above(0));
  const auto mujoco =
      object<MujocoPart>("MujocoLaws", "of MuJoCo's scene")
          .optional("friction", &MujocoPart::friction, number().min(0))
          .optional("restitution", &MujocoPart::restitution, number().min(0).max(0.95))
          .optional("stiffness", &MujocoPart::stiffness, number("1/s^2").above(0))
          .optional("rounding", &MujocoPart::rounding, number("m").min(0),
                    "radius of the cube's corners; 0: a sharp box")
          .optional("timestep", &MujocoPart::timestep, number("s").above(0))
          .optional("friction_damping", &MujocoPart::friction_damping, number("1/s").above(0));
  return object<CubeTossTrialConfig>("CubeTosses")
      .optional("cube", &CubeTossTrialConfig::cube, cube)
      .optional("rate", &CubeTossTrialConfig::rate, rate(), "of the recordings")
      .optional("rigid", &CubeTossTrialConfig::rigid, rigid)
      .optional("mujoco", &CubeTossTrialConfig::mujoco, mujoco)
      .optional("longest", &CubeTossTrialConfig::longest, number("s").above(0),
                "from where it flies to rest, simulated");
}

}  // namespace

void register_cube_toss_trial(TrialRegistry& registry) {
  registry.add("cube_tosses", trial_schema(),
               "measured tosses of a cube in --data, simulated by MuJoCo and by the rigid stepping",
               [](const CubeTossTrialConfig& config, const TrialContext& context) {
                 return std::make_unique<CubeTossTrial>(config, context);
               });
}

}  // namespace handspan
