#include "device/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"
#include "math/so3.hpp"

namespace handspan {

void Devices::add(const std::string& name, const DeviceConfig& config, std::uint64_t seed) {
  if (has(name)) throw InputError(fmt::format("there are two devices '{}'", name));
  auto driver = config.driver.make(DeviceContext{name, seed});
  DeviceState state(name, driver->layout(), config.limits, config.centres);
  Entry& entry = devices_.emplace_back(
      Entry{name, std::move(driver), std::move(state), {}, {}, {}, {}, false, {}, {}, {}, {}, {}});
  add_stops(entry, config);
  for (const OutputConfig& output : config.outputs) add_output(entry, output);
}

void Devices::add_output(Entry& entry, const OutputConfig& config) {
  const auto bad = [&](std::string cause, std::string hint) {
    return ConfigError({{config.place, fmt::format("devices.{}.outputs", entry.name),
                         std::move(cause), std::move(hint)}});
  };
  const auto& all = entry.state.layout().outputs;
  const auto found = std::ranges::find(all, config.output, &DeviceOutput::name);
  if (found == all.end()) {
    std::vector<std::string> names;
    for (const DeviceOutput& output : all) names.push_back(output.name);
    throw bad(fmt::format("has no output '{}'", shown(config.output)),
              names.empty() ? std::string("this device takes none")
                            : did_you_mean(config.output, names, "it has"));
  }
  if (std::ranges::any_of(entry.outputs,
                          [&](const Output& o) { return o.config.output == config.output; }))
    throw bad(fmt::format("feeds '{}' twice", config.output), "take one away");
  if (found->size == 1 && !config.labels.empty())
    throw bad(fmt::format("has labels for '{}', which is one number", config.output),
              "give one 'label', or leave it out for the length");
  if (found->size > 1 && config.label)
    throw bad(
        fmt::format("has one label for '{}', which is {} numbers", config.output, found->size),
        "give 'labels', a list of as many");
  if (found->size > 1 && !config.labels.empty() && config.labels.size() != found->size)
    throw bad(fmt::format("has {} labels for '{}', which is {} numbers", config.labels.size(),
                          config.output, found->size),
              "give one for each of them");
  if (found->size != 3 && (config.frame || config.rpy))
    throw bad(fmt::format("turns '{}', which is not 3 numbers", config.output),
              "leave frame and rpy out");
  Output output;
  output.config = config;
  output.index = static_cast<std::size_t>(found - all.begin());
  output.size = found->size;
  if (config.rpy) output.R_WD = rotation_from_rpy(*config.rpy);
  entry.outputs.push_back(std::move(output));
}

void Devices::add_stops(Entry& entry, const DeviceConfig& config) {
  for (const std::string& control : config.stop)
    entry.stops.push_back(
        {entry.state.control(control),
         fmt::format("stopped by {}: {} – release it, then resume", entry.name, control),
         fmt::format("the stop {} of {} sends no valid value – check the device, then resume",
                     control, entry.name)});
  for (const std::string& control : config.reset)
    entry.resets.push_back(entry.state.control(control));
  entry.absent = fmt::format("the stop device {} is not there yet – switch it on", entry.name);
  entry.lost =
      fmt::format("the stop device {} gives no samples – switch it on, then resume", entry.name);
}

bool Devices::has(std::string_view name) const {
  return std::ranges::any_of(devices_, [&](const Entry& e) { return e.name == name; });
}

const DeviceState& Devices::find(std::string_view name) const {
  std::vector<std::string> names;
  for (const Entry& entry : devices_) {
    if (entry.name == name) return entry.state;
    names.push_back(entry.name);
  }
  const std::string text(name);
  throw InputError(
      names.empty()
          ? fmt::format("there is no device '{}': the app has none; add it to its devices",
                        shown(text))
          : fmt::format("there is no device '{}'; {}", shown(text),
                        did_you_mean(text, names, "there are")));
}

void Devices::declare(ChannelTable& channels, Rate rate) {
  for (Entry& entry : devices_) {
    const std::string name = "device." + entry.name;
    entry.age = channels.number(name + ".age", "s", rate, "since its last sample; -1: none yet");
    entry.present = channels.boolean(name + ".present", rate, "samples come");
    if (!entry.state.layout().poses.empty())
      entry.left_out =
          channels.integer(name + ".left_out", "", rate, "single bad frames of its poses, so far");
    entry.out_of_range = channels.integer(
        name + ".out_of_range", "", rate,
        "axes beyond -1 to 1 and quaternions not of length 1, brought there, so far");
    for (Output& output : entry.outputs) {
      const DeviceOutput& to = entry.state.layout().outputs[output.index];
      const std::string full = name + "." + to.name;
      if (output.size == 1)
        output.channel = channels.number(full, to.unit, rate, "sent to the device");
      else
        output.channels =
            channels.vector(full, output.size, to.unit, rate, "sent to the device, in its axes");
    }
  }
}

void Devices::connect(const ChannelTable& channels) {
  for (Entry& entry : devices_)
    for (Output& output : entry.outputs) connect(output, entry.name, channels);
}

void Devices::connect(Output& output, const std::string& device, const ChannelTable& channels) {
  const OutputConfig& config = output.config;
  const auto bad = [&](std::string cause, std::string hint) {
    return ConfigError({{config.place, fmt::format("devices.{}.outputs", device), std::move(cause),
                         std::move(hint)}});
  };
  const auto find = [&](const std::string& name) {
    try {
      return channels.find(name);
    } catch (const InputError& error) {
      throw bad(error.what(), "");
    }
  };
  output.from = find(config.channel);
  const ChannelInfo& info = channels.info(output.from);
  if (!holds_doubles(info.type) || info.type == ChannelType::kPose)
    throw bad(fmt::format("'{}' is a {}", info.name, name_of(info.type)),
              "an output is fed from a number or a vector");
  const auto element = [&](const std::string& name) {
    const auto label = std::ranges::find(info.labels, name);
    if (label == info.labels.end())
      throw bad(fmt::format("'{}' has no element '{}'", info.name, shown(name)),
                did_you_mean(name, info.labels, "it has"));
    return static_cast<int>(label - info.labels.begin());
  };
  if (config.label) output.element = element(*config.label);
  for (const std::string& label : config.labels) output.elements.push_back(element(label));
  if (output.size == 1) return;
  if (output.elements.empty()) {
    if (info.size < output.size)
      throw bad(fmt::format("'{}' has {} numbers, and '{}' takes {}", info.name, info.size,
                            config.output, output.size),
                "take a longer vector");
    for (std::size_t i = 0; i < output.size; ++i) output.elements.push_back(static_cast<int>(i));
  }
  if (!config.frame) return;
  output.frame = find(*config.frame);
  if (const ChannelInfo& pose = channels.info(*output.frame); pose.type != ChannelType::kPose)
    throw bad(fmt::format("'{}' is a {}", pose.name, name_of(pose.type)),
              "'frame' is a channel of a pose");
}

void Devices::open(std::span<Mailbox* const> mailboxes, const ChannelTable& channels) {
  open_ = true;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    devices_[i].driver->watch(channels);
    devices_[i].driver->open(*mailboxes[i]);
  }
}

void Devices::close() noexcept {
  if (open_)
    for (Entry& entry : devices_) entry.driver->close();
  open_ = false;
}

bool Devices::receive(const Moment& moment, const Input& input) {
  for (Entry& entry : devices_)
    if (input.to == entry.name) {
      entry.state.receive(moment, input);
      return true;
    }
  return false;
}

void Devices::update(const Moment& moment) {
  for (Entry& entry : devices_) entry.state.update(moment);
  find_stop();
}

void Devices::find_stop() {
  stop_ = {};
  for (Entry& entry : devices_) {
    const DeviceState& state = entry.state;
    const bool resets = std::ranges::any_of(
        entry.resets, [&](const Control& control) { return state.pressed(control); });
    stop_.resets = stop_.resets || (resets && !entry.reset_was);
    entry.reset_was = resets;
    // one that is latched is told before one that is waited for
    if (entry.stops.empty() || !(stop_.reason.empty() || stop_.waits)) continue;
    if (state.samples() == 0) {
      if (stop_.reason.empty()) stop_.reason = entry.absent;
      stop_.waits = true;
      continue;
    }
    std::string_view reason = state.present() ? std::string_view() : std::string_view(entry.lost);
    for (const StopControl& stop : entry.stops) {
      if (!reason.empty()) break;
      if (!state.valid(stop.control))
        reason = stop.no_value;
      else if (state.held(stop.control))
        reason = stop.pressed;
    }
    if (reason.empty()) continue;
    stop_.reason = reason;
    stop_.waits = false;
  }
}

Devices::OutputValues Devices::wanted(Output& output, const ChannelTable& channels, double dt) {
  const auto values = channels.numbers(output.from);
  OutputValues now = OutputValues::Zero();
  if (output.size == 1) {
    const auto n = values.size() == 6 ? 3 : values.size();
    now[0] = output.element >= 0  ? values[output.element]
             : values.size() == 1 ? values[0]
                                  : values.head(n).norm();
  } else {
    for (std::size_t i = 0; i < output.size; ++i)
      now[static_cast<int>(i)] = values[output.elements[i]];
    if (output.frame) {
      const auto X = channels.numbers(*output.frame);
      now.head<3>() = Eigen::Quaterniond(X[6], X[3], X[4], X[5]) * Eigen::Vector3d(now.head<3>());
    }
    if (output.config.rpy) now.head<3>() = output.R_WD.transpose() * Eigen::Vector3d(now.head<3>());
  }
  if (output.config.change) {
    const OutputValues before = output.started ? output.before : now;
    output.before = now;
    now = (now - before) / dt;
    if (output.size == 1) now[0] = std::abs(now[0]);
  }
  output.started = true;
  const double size = now.norm();
  if (!std::isfinite(size) || size < output.config.dead_zone || size == 0.0)
    return OutputValues::Zero();
  now *= output.config.gain;
  // a force that is cut keeps its direction
  const double most = output.config.max, length = now.norm();
  if (output.size == 1)
    now[0] = std::clamp(now[0], -most, most);
  else if (length > most)
    now *= most / length;
  return now;
}

void Devices::feed(ChannelTable& channels, Nanoseconds now, double dt) {
  for (Entry& entry : devices_)
    for (Output& output : entry.outputs) {
      const OutputValues values = wanted(output, channels, dt);
      const auto n = static_cast<Eigen::Index>(output.size);
      if (output.size == 1)
        channels.write(output.channel, values[0], now);
      else
        channels.write(output.channels, values.head(n), now);
      if (values == output.sent) continue;
      output.sent = values;
      if (open_) entry.driver->output(output.index, {values.data(), output.size});
    }
}

void Devices::publish(ChannelTable& channels, Nanoseconds now) const {
  for (const Entry& entry : devices_) {
    channels.write(entry.age, entry.state.samples() == 0 ? -1.0 : entry.state.age(now), now);
    channels.write(entry.present, entry.state.present(), now);
    if (!entry.state.layout().poses.empty())
      channels.write(entry.left_out, static_cast<std::int64_t>(entry.state.left_out()), now);
    channels.write(entry.out_of_range, static_cast<std::int64_t>(entry.state.out_of_range()), now);
  }
}

void Devices::state(StateArchive& archive) {
  archive.part("devices");
  for (Entry& entry : devices_) archive(entry.state, entry.reset_was, entry.outputs);
  // what the tick before found
  if (archive.loading()) find_stop();
}

const DeviceState& device_of(const SourceContext& context, const std::string& name) {
  if (context.devices == nullptr)
    throw InputError(fmt::format("there is no device '{}': the app has none", name));
  return context.devices->find(name);
}

namespace {

// "start", or [start, back]
Schema<std::vector<std::string>> one_or_more() {
  const auto many = list(text());
  Description description = many.description();
  description.rules.push_back("or one alone");
  return {[many](const Node& node, Reader& reader) -> std::optional<std::vector<std::string>> {
            if (node.kind() != Node::Kind::kScalar) return many.read(node, reader);
            std::optional<std::string> one = text().read(node, reader);
            if (!one) return std::nullopt;
            return std::vector<std::string>{*one};
          },
          std::move(description)};
}

// {throttle: -1, rudder: rest}
Schema<std::vector<AxisCentre>> centres_schema() {
  const auto value = number().min(-1).max(1);
  Description description = value.description();
  description.rules.push_back("or 'rest': where it is when it is first seen");
  const Schema<double> at = {[value](const Node& node, Reader& reader) -> std::optional<double> {
                               if (node.kind() == Node::Kind::kScalar && node.scalar() == "rest")
                                 return std::numeric_limits<double>::quiet_NaN();
                               return value.read(node, reader);
                             },
                             std::move(description)};
  return dictionary(at).map([](const std::vector<std::pair<std::string, double>>& read) {
    std::vector<AxisCentre> centres;
    for (const auto& [axis, x] : read)
      centres.push_back({axis, std::isnan(x) ? std::nullopt : std::optional(x)});
    return centres;
  });
}

}  // namespace

Schema<DeviceConfig> device_schema(const Parts& parts) {
  const auto output =
      object<OutputConfig>("Output", "what a device is sent")
          .place(&OutputConfig::place)
          .required("output", &OutputConfig::output, text(), "of the device: left.rumble")
          .required("channel", &OutputConfig::channel, text(), "a number or vector")
          .optional("label", &OutputConfig::label, text(),
                    "an element of the vector; left out: its length, of a wrench that of the force")
          .optional("labels", &OutputConfig::labels, list(text()),
                    "elements, for an output of several numbers; left out: the first ones")
          .optional("frame", &OutputConfig::frame, text(),
                    "channel of a pose: the frame in which the vector is; left out: W")
          .optional("rpy", &OutputConfig::rpy, vector<3>("rad"),
                    "of the device's axes in W: a force is sent in these")
          .optional("gain", &OutputConfig::gain, number())
          .optional("max", &OutputConfig::max, number().above(0),
                    "it is cut at this; of several numbers their length")
          .optional("dead_zone", &OutputConfig::dead_zone, number().min(0),
                    "below it, before the gain, nothing is sent")
          .optional("change", &OutputConfig::change, boolean(),
                    "how fast it changes, for pulses on contact");
  return object<DeviceConfig>("Device", "what a person holds, or what watches them")
      .place(&DeviceConfig::place)
      .required("driver", &DeviceConfig::driver, parts.of<DeviceRegistry>().schema())
      .optional("limits", &DeviceConfig::limits, device_limits_schema())
      .optional("centre", &DeviceConfig::centres, centres_schema(),
                "of axes that do not rest at 0: where they do, as a throttle at -1")
      .optional("stop", &DeviceConfig::stop, one_or_more(),
                "controls, any of which stops everything until it is resumed; so does this device "
                "when it is silent")
      .optional("reset", &DeviceConfig::reset, one_or_more(),
                "controls, any of which resumes; else the operator does")
      .optional("outputs", &DeviceConfig::outputs, list(output), "what is sent back");
}

}  // namespace handspan
