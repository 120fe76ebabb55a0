// handspan devices: what devices there are, what is attached, and what one says while a person
// moves it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "cli/command.hpp"
#include "cli/end_signals.hpp"
#include "core/config.hpp"
#include "core/overwritten.hpp"
#include "device/device_state.hpp"
#include "device/sdl_devices.hpp"

namespace handspan {
namespace {

// what is printed again: an axis that moved by this, a pose that moved by this [m]
constexpr double kAxisStep = 0.1, kPoseStep = 0.05;
constexpr std::chrono::milliseconds kLook{5};

struct DevicesFlags {
  std::string watch, with = "{}", duration = "60s";
  std::filesystem::path json;
};

DeviceRegistry::Part read_driver(const DeviceRegistry& types, const std::string& type,
                                 const std::string& yaml) {
  return parse_yaml(yaml, "--with", types.schema_of(type));
}

void print_names(const char* what, const std::vector<std::string>& names) {
  if (!names.empty()) fmt::print("    {:<8} {}\n", what, fmt::join(names, " "));
}

// of each output its name, and how many numbers it has when these are several
std::vector<std::string> output_names(const DeviceLayout& layout) {
  std::vector<std::string> names;
  for (const DeviceOutput& output : layout.outputs)
    names.push_back(output.size == 1 ? output.name
                                     : fmt::format("{}[{}]", output.name, output.size));
  return names;
}

nlohmann::ordered_json to_json(const DeviceLayout& layout) {
  auto outputs = nlohmann::ordered_json::array();
  for (const DeviceOutput& output : layout.outputs)
    outputs.push_back({{"name", output.name}, {"size", output.size}, {"unit", output.unit}});
  return {{"poses", layout.poses},
          {"axes", layout.axes},
          {"buttons", layout.buttons},
          {"outputs", outputs}};
}

nlohmann::ordered_json list_types(const DeviceRegistry& types) {
  auto json = nlohmann::ordered_json::array();
  fmt::print("types of devices\n");
  for (const std::string& type : types.names()) {
    fmt::print("  {}: {}\n", type, types.doc(type));
    nlohmann::ordered_json entry = {{"type", type}, {"for", types.doc(type)}};
    try {
      const auto device = read_driver(types, type, "{}").make(DeviceContext{type, 0});
      const DeviceLayout& layout = device->layout();
      print_names("poses", layout.poses);
      print_names("axes", layout.axes);
      print_names("buttons", layout.buttons);
      print_names("outputs", output_names(layout));
      entry.update(to_json(layout));
    } catch (const InputError&) {
      fmt::print("    what it has depends on its configuration\n");
    }
    json.push_back(std::move(entry));
  }
  return json;
}

nlohmann::ordered_json list_attached() {
  auto json = nlohmann::ordered_json::array();
  fmt::print("\nattached now, as SDL lists them\n");
  const auto attached = attached_sdl_devices();
  for (const SdlAttached& a : attached) {
    if (!a.fault.empty())
      fmt::print("  '{}' cannot be opened: {}; join the group 'input' and log in again\n", a.name,
                 a.fault);
    else
      fmt::print("  '{}': {}; {} axes, {} buttons, {} hats\n", a.name, fmt::join(a.suits(), ", "),
                 a.axes, a.buttons, a.hats);
    fmt::print("    guid {}{}{}\n", a.guid, a.unit.empty() ? "" : ", unit " + a.unit,
               a.unit.empty() || !a.by_port ? "" : " (a port)");
    json.push_back({{"name", a.name},
                    {"suits", a.suits()},
                    {"guid", a.guid},
                    {"unit", a.unit},
                    {"by_port", a.by_port},
                    {"axes", a.axes},
                    {"buttons", a.buttons},
                    {"hats", a.hats},
                    {"fault", a.fault}});
  }
  if (attached.empty())
    fmt::print(
        "  nothing. If something is plugged in, see that you may read /dev/input/event*: join the "
        "group 'input' and log in again\n");
  return json;
}

// What one device says, a line for each change; values are those that the loop would use.
class Watch {
 public:
  Watch(const std::string& type, const DeviceLayout& layout)
      : layout_(layout),
        state_(type, layout, {}),
        axes_(layout.axes.size()),
        buttons_(layout.buttons.size()),
        poses_(layout.poses.size()) {}

  void receive(const Input& input, Nanoseconds now) {
    state_.receive(moment(now), input);
    const bool first = state_.samples() == 1;
    for (std::size_t i = 0; i < axes_.size(); ++i) show_axis(i, first);
    for (std::size_t i = 0; i < buttons_.size(); ++i) show_button(i);
    for (std::size_t i = 0; i < poses_.size(); ++i) show_pose(i);
  }

  // after all samples of one look
  void update(Nanoseconds now) {
    state_.update(moment(now));
    if (state_.present() != present_ && state_.samples() > 0)
      fmt::print("{}\n", state_.present() ? "samples come" : text_of(state_.why()));
    present_ = state_.present();
    std::fflush(stdout);
  }

  std::uint64_t samples() const { return state_.samples(); }

  nlohmann::ordered_json summary(double time) const {
    fmt::print("{} samples in {:.1f} s\n", state_.samples(), time);
    nlohmann::ordered_json axes, buttons;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const Axis& axis = axes_[i];
      const bool seen = axis.least <= axis.most;
      if (state_.samples() == 0) continue;
      if (seen)
        fmt::print("  {:<16} from {:+.2f} to {:+.2f}\n", layout_.axes[i], axis.least, axis.most);
      else
        fmt::print("  {:<16} was never valid\n", layout_.axes[i]);
      axes[layout_.axes[i]] = seen ? nlohmann::ordered_json{axis.least, axis.most} : nullptr;
    }
    for (std::size_t i = 0; i < buttons_.size(); ++i)
      buttons[layout_.buttons[i]] = buttons_[i].presses;
    return {{"samples", state_.samples()}, {"time", time}, {"axes", axes}, {"presses", buttons}};
  }

 private:
  struct Axis {
    double shown = 0.0;
    bool valid = false;
    double least = std::numeric_limits<double>::infinity(),
           most = -std::numeric_limits<double>::infinity();
  };
  struct Button {
    bool down = false;
    int presses = 0;
  };
  struct Pose {
    TrackedAs as = TrackedAs::kNone;
    Eigen::Vector3d p = Eigen::Vector3d::Zero();
  };

  static Moment moment(Nanoseconds now) {
    Moment m;
    m.now = now;
    return m;
  }

  void show_axis(std::size_t i, bool first) {
    Axis& axis = axes_[i];
    const bool valid = state_.axis_valid(i);
    const double value = state_.axis(i);
    if (valid) {
      axis.least = std::min(axis.least, value);
      axis.most = std::max(axis.most, value);
    }
    const bool moved =
        std::abs(value - axis.shown) >= kAxisStep || (value == 0.0 && axis.shown != 0.0);
    if (!first && valid == axis.valid && !moved) return;
    if (valid)
      fmt::print("{:<16} {:+.2f}\n", layout_.axes[i], value);
    else
      fmt::print("{:<16} not valid: it is not there, or was not seen at rest yet\n",
                 layout_.axes[i]);
    axis.shown = value;
    axis.valid = valid;
  }

  void show_button(std::size_t i) {
    Button& button = buttons_[i];
    const bool down = state_.pressed(Control{false, i});
    if (down == button.down) return;
    button.down = down;
    if (down) ++button.presses;
    fmt::print("{:<16} {}\n", layout_.buttons[i], down ? "down" : "up");
  }

  void show_pose(std::size_t i) {
    const PoseTrack& track = state_.pose(i);
    Pose& pose = poses_[i];
    if (track.tracked_as() == pose.as && (track.p_VC() - pose.p).norm() < kPoseStep) return;
    pose.as = track.tracked_as();
    pose.p = track.p_VC();
    fmt::print("{:<16} {} at {:+.2f} {:+.2f} {:+.2f} m\n", layout_.poses[i], name_of(pose.as),
               pose.p.x(), pose.p.y(), pose.p.z());
  }

  DeviceLayout layout_;
  DeviceState state_;
  std::vector<Axis> axes_;
  std::vector<Button> buttons_;
  std::vector<Pose> poses_;
  bool present_ = false;
};

int watch(const DevicesFlags& options, const DeviceRegistry& types) {
  const Nanoseconds duration = read_duration(options.duration, "--for");
  Mailbox mailbox;
  const auto device =
      read_driver(types, options.watch, options.with).make(DeviceContext{options.watch, 0});
  Watch shown(options.watch, device->layout());
  device->open(mailbox);
  fmt::print("move it; this ends after {:g} s, or with Ctrl-C\n", seconds(duration));
  const auto start = std::chrono::steady_clock::now();
  Nanoseconds now = 0;
  while (now < duration && !end_asked()) {
    std::this_thread::sleep_for(kLook);
    now = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() -
                                                               start)
              .count();
    Input input;
    while (mailbox.take(input)) shown.receive(input, now);
    shown.update(now);
  }
  device->close();
  if (shown.samples() == 0)
    fmt::print("no sample came: '{}' is fed by another program, or nothing is attached\n",
               options.watch);
  auto json = shown.summary(seconds(now));
  if (!options.json.empty()) write_json(json, options.json);
  return shown.samples() > 0 ? kHolds : kDoesNotHold;
}

int list(const DevicesFlags& options, const DeviceRegistry& types) {
  nlohmann::ordered_json json;
  json["types"] = list_types(types);
  json["attached"] = list_attached();
  if (!options.json.empty()) write_json(json, options.json);
  return kHolds;
}

}  // namespace

void add_devices(CLI::App& cli, Action& action) {
  auto options = std::make_shared<DevicesFlags>();
  CLI::App* command = cli.add_subcommand(
      "devices", "Types of devices, what is attached, and what one says while it is moved");
  command
      ->add_option("--watch", options->watch,
                   "print what a device of this type says, with names and signs")
      ->type_name("TYPE");
  command
      ->add_option("--with", options->with,
                   "its configuration as in an app, such as '{name: \"Xbox*\"}'")
      ->type_name("YAML");
  command->add_option("--for", options->duration, "watch this long (default 60s), or until Ctrl-C");
  command->add_option("--json", options->json, "write what is printed to FILE")->type_name("FILE");
  command->add_flag_callback("--force", allow_overwriting, kForceDoc);
  command->callback([options, &action] {
    action = [options](const Parts& parts) {
      const auto& types = parts.of<DeviceRegistry>();
      return options->watch.empty() ? list(*options, types) : watch(*options, types);
    };
  });
}

}  // namespace handspan
