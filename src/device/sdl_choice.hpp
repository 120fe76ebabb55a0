#pragma once
// Which of the gamepads, joysticks and 3-D mice that SDL sees a device of ours is: as the app chose
// at first, and the very same one when it was unplugged and comes back, under whatever index.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace handspan {

/// One that is attached.
struct SdlAttached {
  std::int32_t instance = -1;  // SDL's number of this plugging-in; a later one is larger
  std::string name;            // as its maker calls it
  std::string guid;            // of its model: 32 hexadecimal digits
  std::string unit;            // which of its model: its serial number, else where it is plugged
                               // in; empty: unknown
  bool by_port = false;        // unit is where it is plugged in
  bool gamepad = false;        // SDL knows which control is which
  bool space_mouse = false;    // a 3-D mouse, by its maker
  int axes = 0, buttons = 0, hats = 0;
  std::string fault;  // why it cannot be opened; empty: it can

  /// The types of devices that suit it: "gamepad", "space_mouse", "joystick"; best first.
  std::vector<std::string> suits() const;
};

/// What the app says of it; nothing: the first that suits and that no other device has.
struct SdlChoice {
  std::optional<std::int64_t> index = std::nullopt;  // among those that suit, as SDL lists them
  std::optional<std::string> name = std::nullopt;    // * stands for any text; case does not count
  std::optional<std::string> guid = std::nullopt, unit = std::nullopt;
};

enum class SdlKind : std::uint8_t { kGamepad, kJoystick, kSpaceMouse };
/// "gamepad", "joystick", "3-D mouse".
const char* name_of(SdlKind kind);

/// What a device must have.
struct SdlNeeds {
  SdlKind kind = SdlKind::kJoystick;
  int axes = 0, buttons = 0, hats = 0;
};

/// As matches() of channels (* stands for any text), without regard to case.
bool looks_like(const std::string& pattern, const std::string& text);

/// Why it is not what is asked for; empty: it is.
std::string why_not(const SdlChoice& choice, const SdlNeeds& needs, const SdlAttached& attached);

/// One that a device of ours has.
struct SdlTaken {
  std::int32_t instance;
  std::string device;  // its name in the app
};

/// The one of `attached` that the device gets. @throws InputError with those there are and why each
/// is not it
std::size_t choose(const std::string& device, const SdlChoice& choice, const SdlNeeds& needs,
                   std::span<const SdlAttached> attached, std::span<const SdlTaken> taken);

/// One that a device of ours had until it was unplugged.
struct SdlLost {
  std::string guid, unit;
  bool by_port = false;
  bool only_unit = false;  // the app names the unit
  std::int32_t since = 0;  // the newest instance when it was unplugged
};

/// For each of `lost` the one of `free` that is it, by index. One with a serial number is known by
/// it, one without by where it is plugged in; at another port, or when nothing is known, it is
/// recognised by its model, if only one of the model is missing and only one has come. Otherwise
/// nothing: two that look alike are never guessed. What was attached before it was lost is never
/// it.
std::vector<std::optional<std::size_t>> find_again(std::span<const SdlLost> lost,
                                                   std::span<const SdlAttached> free);

/// What tells one of a model from another. @param serial as SDL knows it. @param path of its device
/// file. @param sysfs where the kernel tells about it
/// @return unit and by_port of SdlAttached
std::pair<std::string, bool> unit_of(std::string_view serial, const std::string& path,
                                     const std::string& sysfs = "/sys");

}  // namespace handspan
