#include "device/page_device.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/values.hpp"
#include "device/control_names.hpp"
#include "device/device_rate.hpp"
#include "device/page_inputs.hpp"

namespace handspan {
namespace {

// axes or buttons: their names, and what of the page feeds them
struct PageControls {
  std::vector<std::string> names;
  std::vector<PageFeed> feeds;
};

struct PageOutput {
  std::int64_t size = 1;
  std::string unit;
};

struct PageConfig {
  std::vector<std::string> hands, poses;
  PageControls axes, buttons;
  std::vector<std::pair<std::string, PageOutput>> outputs;
};

constexpr const char* kHandAxes[] = {"x", "y", "z", "roll", "pitch", "yaw"};
constexpr const char* kHandButtons[] = {"clutch",  "trigger",   "squeeze",
                                        "primary", "secondary", "stick"};

DeviceLayout layout_of(const PageConfig& config) {
  DeviceLayout layout;
  layout.poses = config.poses;
  std::vector<std::string> prefixes;
  for (const std::string& hand : config.hands) prefixes.push_back(hand + ".");
  if (config.hands.empty() && config.poses.empty() && config.axes.names.empty() &&
      config.buttons.names.empty())
    prefixes.emplace_back();
  for (const std::string& prefix : prefixes) {
    for (const char* axis : kHandAxes) layout.axes.push_back(prefix + axis);
    for (const char* button : kHandButtons) layout.buttons.push_back(prefix + button);
  }
  layout.axes.insert(layout.axes.end(), config.axes.names.begin(), config.axes.names.end());
  layout.buttons.insert(layout.buttons.end(), config.buttons.names.begin(),
                        config.buttons.names.end());
  for (const auto& [name, output] : config.outputs)
    layout.outputs.push_back({name, static_cast<std::size_t>(output.size), output.unit});
  return layout;
}

class PageDevice : public Device {
 public:
  explicit PageDevice(const PageConfig& config)
      : layout_(layout_of(config)), feeds_(config.axes.feeds) {
    feeds_.insert(feeds_.end(), config.buttons.feeds.begin(), config.buttons.feeds.end());
  }
  const DeviceLayout& layout() const override { return layout_; }
  std::vector<PageFeed> page_feeds() const override { return feeds_; }

 private:
  DeviceLayout layout_;
  std::vector<PageFeed> feeds_;
};

// one input, one for each direction, or a list of such
Schema<std::vector<PageFeed>> feeds_schema() {
  const Schema<RateBinding> one = rate_binding_schema();
  const auto read_one = [one](const Node& node, Reader& reader) -> std::optional<PageFeed> {
    const auto binding = one.read(node, reader);
    if (!binding) return std::nullopt;
    for (const std::string* input : {&binding->axis, &binding->plus, &binding->minus}) {
      if (input->empty() || is_page_input(*input)) continue;
      reader.report(node.place(),
                    fmt::format("names '{}', which the page does not have", shown(*input)),
                    page_input_hint(*input));
      return std::nullopt;
    }
    return PageFeed{"", binding->axis, binding->sign, binding->plus, binding->minus};
  };
  Description description = one.description();
  description.rules.push_back("inputs of the page (docs/devices.md)");
  description.rules.push_back("or a list: what is moved farthest counts");
  const Schema<PageFeed> feed = {read_one, std::move(description)};
  const auto many = list(feed);
  return {[feed, many](const Node& node, Reader& reader) -> std::optional<std::vector<PageFeed>> {
            if (node.kind() == Node::Kind::kList) return many.read(node, reader);
            auto read = feed.read(node, reader);
            if (!read) return std::nullopt;
            return std::vector<PageFeed>{std::move(*read)};
          },
          feed.description()};
}

template <class T>
bool good_names(const std::vector<std::pair<std::string, T>>& read, const Node& node,
                Reader& reader) {
  for (const auto& [name, value] : read)
    if (!schema_detail::is_identifier(name)) {
      reader.report(node.place(), fmt::format("names '{}'", shown(name)),
                    schema_detail::kIdentifierHint);
      return false;
    }
  return true;
}

// [x, y], or {x: pad.left.stick_x, y: {plus: key.KeyW, minus: key.KeyS}}
Schema<PageControls> controls_schema() {
  const auto names = list(text().identifier());
  const auto fed = dictionary(feeds_schema());
  Description description = fed.description();
  description.rules.push_back("or a list of names: what is bound to them moves them");
  return {[names, fed](const Node& node, Reader& reader) -> std::optional<PageControls> {
            PageControls controls;
            if (node.kind() == Node::Kind::kList) {
              auto read = names.read(node, reader);
              if (!read) return std::nullopt;
              controls.names = std::move(*read);
              return controls;
            }
            const auto read = fed.read(node, reader);
            if (!read || !good_names(*read, node, reader)) return std::nullopt;
            for (const auto& [name, feeds] : *read) {
              controls.names.push_back(name);
              for (PageFeed feed : feeds) {
                feed.control = name;
                controls.feeds.push_back(std::move(feed));
              }
            }
            return controls;
          },
          std::move(description)};
}

Schema<std::vector<std::pair<std::string, PageOutput>>> outputs_schema() {
  const auto output = dictionary(Schema<PageOutput>(
      object<PageOutput>("PageOutput", "what the page is sent")
          .optional("size", &PageOutput::size,
                    integer().min(1).max(static_cast<std::int64_t>(kMostOutputNumbers)),
                    "numbers: 3 of a force or a colour")
          .optional("unit", &PageOutput::unit, text(), "N of a force; left out: 0 to 1")));
  return {
      [output](const Node& node,
               Reader& reader) -> std::optional<std::vector<std::pair<std::string, PageOutput>>> {
        auto read = output.read(node, reader);
        if (!read || !good_names(*read, node, reader)) return std::nullopt;
        return read;
      },
      output.description()};
}

std::optional<Fault> check_page(const PageConfig& config) {
  if (auto fault = named_twice({{"hands", &config.hands}})) return fault;
  if (auto fault = named_twice({{"poses", &config.poses}})) return fault;
  // those of its hands too
  const DeviceLayout own = layout_of({config.hands, {}, {}, {}, {}});
  const std::vector<std::string>& poses = config.poses;
  const bool whole = config.hands.empty();
  static const std::vector<std::string> kNone;
  return named_twice({{"hands", whole ? &kNone : &own.axes},
                      {"hands", whole ? &kNone : &own.buttons},
                      {"poses", &poses},
                      {"axes", &config.axes.names},
                      {"buttons", &config.buttons.names}});
}

}  // namespace

void register_page_device(DeviceRegistry& registry) {
  registry.add(
      "page",
      object<PageConfig>("Page")
          .optional("hands", &PageConfig::hands, list(text().identifier()).min_size(1),
                    "names; each has axes x y z roll pitch yaw and buttons clutch trigger squeeze "
                    "primary secondary stick. With no key at all there is one without a name")
          .optional("poses", &PageConfig::poses, list(text().identifier()),
                    "of a headset in the page: left, right, head")
          .optional("axes", &PageConfig::axes, controls_schema())
          .optional("buttons", &PageConfig::buttons, controls_schema())
          .optional("outputs", &PageConfig::outputs, outputs_schema(), "by their names")
          .check([](const PageConfig& config) { return check_page(config); },
                 "each control has a name of its own"),
      "an operator's page: its keys, pads, sticks, fingers or stylus, in any layout",
      [](const PageConfig& config, const DeviceContext&) {
        return std::make_unique<PageDevice>(config);
      });
}

}  // namespace handspan
