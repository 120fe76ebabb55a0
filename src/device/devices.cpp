#include "device/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"

namespace handspan {

void Devices::add(const std::string& name, const DeviceConfig& config, std::uint64_t seed) {
  if (has(name)) throw InputError(fmt::format("there are two devices '{}'", name));
  auto driver = config.driver.make(DeviceContext{name, seed});
  DeviceState state(name, driver->layout(), config.limits, config.centres);
  Entry& entry = devices_.emplace_back(
      Entry{name, std::move(driver), std::move(state), {}, {}, {}, {}, false, {}, {}, {}, {}, {}});
  add_stops(entry, config);
  for (const OutputConfig& output : config.outputs) {
    const auto& names = entry.state.layout().outputs;
    const auto found = std::ranges::find(names, output.output);
    if (found == names.end())
      throw ConfigError({{output.place, fmt::format("devices.{}.outputs", name),
                          fmt::format("has no output '{}'", shown(output.output)),
                          names.empty() ? std::string("this device takes none")
                                        : did_you_mean(output.output, names, "it has")}});
    if (std::ranges::any_of(entry.outputs,
                            [&](const Output& o) { return o.config.output == *found; }))
      throw ConfigError({{output.place, fmt::format("devices.{}.outputs", name),
                          fmt::format("feeds '{}' twice", *found), "take one away"}});
    entry.outputs.push_back(
        {output, static_cast<std::size_t>(found - names.begin()), {}, -1, 0.0, 0.0, false, {}});
  }
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
    for (Output& output : entry.outputs)
      output.channel =
          channels.number(name + "." + output.config.output, "", rate, "sent to the device");
  }
}

void Devices::connect(const ChannelTable& channels) {
  for (Entry& entry : devices_)
    for (Output& output : entry.outputs) {
      const auto bad = [&](std::string cause, std::string hint) {
        return ConfigError({{output.config.place, fmt::format("devices.{}.outputs", entry.name),
                             std::move(cause), std::move(hint)}});
      };
      try {
        output.from = channels.find(output.config.channel);
      } catch (const InputError& error) {
        throw bad(error.what(), "");
      }
      const ChannelInfo& info = channels.info(output.from);
      if (!holds_doubles(info.type) || info.type == ChannelType::kPose)
        throw bad(fmt::format("'{}' is a {}", info.name, name_of(info.type)),
                  "an output is fed from a number or a vector");
      if (!output.config.label) continue;
      const auto label = std::ranges::find(info.labels, *output.config.label);
      if (label == info.labels.end())
        throw bad(fmt::format("'{}' has no element '{}'", info.name, shown(*output.config.label)),
                  did_you_mean(*output.config.label, info.labels, "it has"));
      output.element = static_cast<int>(label - info.labels.begin());
    }
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

void Devices::feed(ChannelTable& channels, Nanoseconds now, double dt) {
  for (Entry& entry : devices_)
    for (Output& output : entry.outputs) {
      const auto values = channels.numbers(output.from);
      const auto n = values.size() == 6 ? 3 : values.size();
      double value = output.element >= 0  ? values[output.element]
                     : values.size() == 1 ? values[0]
                                          : values.head(n).norm();
      if (output.config.change) {
        const double before = output.started ? output.before : value;
        output.before = value;
        value = std::abs(value - before) / dt;
      }
      output.started = true;
      if (!std::isfinite(value) || std::abs(value) < output.config.dead_zone) value = 0.0;
      value = std::clamp(output.config.gain * value, -output.config.max, output.config.max);
      channels.write(output.channel, value, now);
      if (value == output.sent) continue;
      output.sent = value;
      if (open_) entry.driver->output(output.index, value);
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
          .optional("gain", &OutputConfig::gain, number())
          .optional("max", &OutputConfig::max, number().above(0), "it is cut at this")
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
