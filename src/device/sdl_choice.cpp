#include "device/sdl_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "core/channel.hpp"
#include "core/error.hpp"
#include "core/suggest.hpp"

namespace handspan {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// without what the kernel pads it with
std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.pop_back();
  return line;
}

// of a file of lines KEY=VALUE
std::string value_of(const std::filesystem::path& file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key + "=")) return line.substr(key.size() + 1);
  return {};
}

bool same_model(const SdlLost& lost, const SdlAttached& attached) {
  return attached.guid == lost.guid && attached.instance > lost.since;
}

bool same_unit(const SdlLost& lost, const SdlAttached& attached) {
  return same_model(lost, attached) && !lost.unit.empty() && attached.unit == lost.unit;
}

// whether it may be that one, for all that is known of the two
bool may_be(const SdlLost& lost, const SdlAttached& attached) {
  const bool numbered =
      (!lost.unit.empty() && !lost.by_port) || (!attached.unit.empty() && !attached.by_port);
  return same_model(lost, attached) && !lost.only_unit && !numbered;
}

}  // namespace

const char* name_of(SdlKind kind) {
  constexpr const char* kNames[] = {"gamepad", "joystick", "3-D mouse"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<std::string> SdlAttached::suits() const {
  std::vector<std::string> types;
  if (gamepad) types.emplace_back("gamepad");
  if (space_mouse && axes >= 6) types.emplace_back("space_mouse");
  types.emplace_back("joystick");
  return types;
}

bool looks_like(const std::string& pattern, const std::string& text) {
  return matches(lower(pattern), lower(text));
}

std::string why_not(const SdlChoice& choice, const SdlNeeds& needs, const SdlAttached& attached) {
  if (choice.name && !looks_like(*choice.name, attached.name)) return "its name is another";
  if (choice.guid && !looks_like(*choice.guid, attached.guid)) return "its GUID is another";
  if (choice.unit && *choice.unit != attached.unit) return "its unit is another";
  if (!attached.fault.empty()) return "it cannot be opened: " + attached.fault;
  if (needs.kind == SdlKind::kGamepad && !attached.gamepad) return "SDL knows no gamepad in it";
  const bool meant = choice.name || choice.guid || choice.unit;
  if (needs.kind == SdlKind::kSpaceMouse && !meant && !attached.space_mouse)
    return "it is no 3-D mouse by its maker; choose it by name if it is one";
  const auto fewer = [](int has, int asked, const char* what) {
    return has >= asked ? std::string() : fmt::format("it has {} of {} {}", has, asked, what);
  };
  for (const std::string& reason :
       {fewer(attached.axes, needs.axes, "axes"), fewer(attached.buttons, needs.buttons, "buttons"),
        fewer(attached.hats, needs.hats, "hats")})
    if (!reason.empty()) return reason;
  return {};
}

std::size_t choose(const std::string& device, const SdlChoice& choice, const SdlNeeds& needs,
                   std::span<const SdlAttached> attached, std::span<const SdlTaken> taken) {
  if (attached.empty())
    throw InputError(
        fmt::format("device '{}': no {} is attached; plug one in. If it is, see that you may read "
                    "/dev/input/event*: join the group 'input' and log in again",
                    device, name_of(needs.kind)));
  std::int64_t index = 0;
  std::string others;
  for (std::size_t i = 0; i < attached.size(); ++i) {
    std::string reason = why_not(choice, needs, attached[i]);
    if (reason.empty()) {
      const auto owner = std::ranges::find(taken, attached[i].instance, &SdlTaken::instance);
      const bool meant = !choice.index || index == *choice.index;
      ++index;
      if (meant && owner == taken.end()) return i;
      reason = owner == taken.end() ? fmt::format("index {}", index - 1)
                                    : fmt::format("device '{}' has it", owner->device);
    }
    others +=
        fmt::format("{}'{}' ({})", others.empty() ? "" : ", ", shown(attached[i].name), reason);
  }
  throw InputError(
      fmt::format("device '{}': no {} that is asked for is attached; there is {}. `handspan "
                  "devices` lists them",
                  device, name_of(needs.kind), others));
}

std::vector<std::optional<std::size_t>> find_again(std::span<const SdlLost> lost,
                                                   std::span<const SdlAttached> free) {
  std::vector<std::optional<std::size_t>> found(lost.size());
  std::vector<bool> used(free.size(), false);
  // a pair is it when neither has another partner
  const auto pair_up = [&](auto&& fits) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < lost.size(); ++i)
      for (std::size_t j = 0; j < free.size(); ++j)
        if (!found[i] && !used[j] && fits(lost[i], free[j])) pairs.emplace_back(i, j);
    for (const auto& [i, j] : pairs) {
      const auto rivals = std::ranges::count_if(
          pairs, [&](const auto& other) { return other.first == i || other.second == j; });
      if (rivals > 1) continue;
      found[i] = j;
      used[j] = true;
    }
  };
  pair_up(same_unit);
  // one that is missing still, though it may not be here, is a partner as well
  pair_up(may_be);
  return found;
}

std::pair<std::string, bool> unit_of(std::string_view serial, const std::string& path,
                                     const std::string& sysfs) {
  if (!serial.empty()) return {std::string(serial), false};
  const std::filesystem::path file(path);
  const std::string node = file.filename().string();
  if (path.starts_with("/dev/input/")) {
    const auto folder = std::filesystem::path(sysfs) / "class/input" / node / "device";
    if (std::string uniq = first_line(folder / "uniq"); !uniq.empty()) return {uniq, false};
    return {first_line(folder / "phys"), true};
  }
  if (node.starts_with("hidraw")) {
    const auto uevent = std::filesystem::path(sysfs) / "class/hidraw" / node / "device/uevent";
    if (std::string uniq = value_of(uevent, "HID_UNIQ"); !uniq.empty()) return {uniq, false};
    return {value_of(uevent, "HID_PHYS"), true};
  }
  // that of libusb is the port's
  return {path, true};
}

}  // namespace handspan
