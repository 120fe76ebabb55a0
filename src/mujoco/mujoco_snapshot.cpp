// Everything that a run of a simulated scene changes, as bytes: MuJoCo's integration state, the
// model fields that a run sets, the drives, and what was observed last, which is not computed again
// on restoring.
#include <array>
#include <cstring>

#include "core/error.hpp"
#include "mujoco/mujoco_plant_impl.hpp"

namespace handspan {
namespace {

// Of one build on one machine: numbers stand as they are in memory.
struct Header {
  std::uint64_t scene = 0;  // fingerprint
  std::uint64_t bytes = 0;  // of the whole snapshot
  std::uint64_t contacts = 0;
};

// Count, write or read plain values: the same list of them serves all three.
class Counter {
 public:
  void raw(const void*, std::size_t n) { bytes += n; }
  std::size_t bytes = 0;
};

class Writer {
 public:
  explicit Writer(std::byte* to) : to_(to) {}
  void raw(const void* p, std::size_t n) {
    if (n > 0) std::memcpy(to_, p, n);
    to_ += n;
  }

 private:
  std::byte* to_;
};

class Loader {
 public:
  explicit Loader(const std::byte* from) : from_(from) {}
  void raw(void* p, std::size_t n) {
    if (n > 0) std::memcpy(p, from_, n);
    from_ += n;
  }

 private:
  const std::byte* from_;
};

// FNV-1a: equal scenes have equal numbers, different ones differ but by chance.
class Fingerprint {
 public:
  void raw(const void* p, std::size_t n) {
    const auto* bytes = static_cast<const unsigned char*>(p);
    for (std::size_t i = 0; i < n; ++i) hash_ = (hash_ ^ bytes[i]) * 0x100000001b3U;
  }
  void number(double x) { raw(&x, sizeof x); }
  void text(const std::string& s) { raw(s.c_str(), s.size() + 1); }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace

std::uint64_t MujocoPlant::Impl::fingerprint() const {
  Fingerprint print;
  const mjModel& m = compiled.model();
  std::vector<char> binary(static_cast<std::size_t>(mj_sizeModel(&m)));
  mj_saveModel(&m, nullptr, binary.data(), static_cast<int>(binary.size()));
  print.raw(binary.data(), binary.size());
  // what the plant does beside MuJoCo
  for (const auto& robot : scene.robots) {
    if (!drives(robot.name)) {
      print.text(robot.name + " is shown");
      continue;
    }
    print.number(robot.limits.rate.hz());
    for (const auto& group : robot.groups) {
      print.text(robot.name + "." + group.name);
      for (const double x :
           {static_cast<double>(group.drive), static_cast<double>(group.delay_ticks), group.lag,
            static_cast<double>(group.torque_rate)})
        print.number(x);
      for (const auto& joint : group.joints) {
        const JointLimits& l = *robot.limits.find(joint);
        for (const double x : {l.lower, l.upper, l.velocity, l.torque, l.torque_rate})
          print.number(x);
      }
    }
  }
  for (const auto& robot : scene.robots)
    for (const auto& suction : robot.suctions) {
      print.text(suction.name + suction.holds);
      for (const double x :
           {suction.lip.radius, suction.bellows.damping_ratio, suction.seal.angle, suction.seal.gap,
            suction.evacuation.time_constant, suction.evacuation.holds_at, suction.release.delay,
            suction.blow_off.impulse, suction.blow_off.time, suction.break_away.force,
            suction.break_away.friction})
        print.number(x);
    }
  for (const auto& kinematic : scene.kinematics)
    for (const auto& waypoint : kinematic.waypoints) {
      print.number(waypoint.time);
      print.raw(waypoint.X_WB.p.data(), 3 * sizeof(double));
      print.raw(waypoint.X_WB.q.coeffs().data(), 4 * sizeof(double));
    }
  return print.value();
}

// In one order for all directions; `contacts` has its size already.
template <class Archive>
void MujocoPlant::Impl::archive(Archive& archive) {
  const auto value = [&](auto& x) { archive.raw(&x, sizeof x); };
  const auto vector = [&](auto& v) {
    archive.raw(v.data(), sizeof(*v.data()) * static_cast<std::size_t>(v.size()));
  };
  vector(integration_state);
  value(steps);
  value(faults);
  value(contacts_left_out);
  for (auto& g : groups) vector(g.gripper ? g.gripper->state() : g.drive.state());
  for (auto& cup : suctions) value(cup.state());
  for (auto& bias : shown_bias) vector(bias);
  vector(tares);
  // model fields: belt speeds and weld poses
  archive.raw(model->geom_surfacevel, sizeof(mjtNum) * static_cast<std::size_t>(6 * model->ngeom));
  archive.raw(model->eq_data, sizeof(mjtNum) * static_cast<std::size_t>(mjNEQDATA * model->neq));
  value(observation.stamp);
  value(observation.sequence);
  value(observation.status);
  for (auto& g : observation.groups) {
    vector(g.q);
    vector(g.v);
    vector(g.tau);
  }
  vector(observation.wrenches);
  vector(contacts);
}

void MujocoPlant::snapshot(std::vector<std::byte>& bytes) const {
  auto& i = *impl_;
  mj_getState(i.model.get(), i.data.get(), i.integration_state.data(), mjSTATE_INTEGRATION);
  Counter counter;
  i.archive(counter);
  const Header header{i.scene_print, sizeof(Header) + counter.bytes, i.contacts.size()};
  bytes.resize(header.bytes);
  Writer writer(bytes.data());
  writer.raw(&header, sizeof header);
  i.archive(writer);
}

void MujocoPlant::restore(std::span<const std::byte> bytes) {
  auto& i = *impl_;
  Header header;
  if (bytes.size() < sizeof header) throw InputError("the snapshot is shorter than this plant's");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.scene != i.scene_print) throw InputError("the snapshot is of another scene");
  Counter counter;
  i.archive(counter);
  const std::size_t expected = sizeof header + counter.bytes - sizeof(Contact) * i.contacts.size() +
                               sizeof(Contact) * header.contacts;
  if (header.contacts > kMostContacts || header.bytes != expected)
    throw InputError("the snapshot is damaged");
  if (bytes.size() < expected) throw InputError("the snapshot is shorter than this plant's");
  if (bytes.size() > expected) throw InputError("the snapshot is longer than this plant's");
  // nothing can fail from here on, so that the plant is never half restored
  i.contacts.resize(header.contacts);
  Loader loader(bytes.data() + sizeof header);
  i.archive(loader);
  mj_setState(i.model.get(), i.data.get(), i.integration_state.data(), mjSTATE_INTEGRATION);
  for (auto& warning : i.data->warning) warning.number = 0;  // of the run that was left
  i.fresh = false;
  for (auto& g : i.groups)
    if (!g.gripper) g.drive.refresh();
  for (const auto& cup : i.suctions) cup.restore(*i.model);
}

}  // namespace handspan
