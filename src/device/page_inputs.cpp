#include "device/page_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/suggest.hpp"

namespace handspan {
namespace {

constexpr const char* kNamed[] = {"pad.left.stick_x",
                                  "pad.left.stick_y",
                                  "pad.right.stick_x",
                                  "pad.right.stick_y",
                                  "pad.left.trigger",
                                  "pad.right.trigger",
                                  "pad.south",
                                  "pad.east",
                                  "pad.west",
                                  "pad.north",
                                  "pad.left.shoulder",
                                  "pad.right.shoulder",
                                  "pad.back",
                                  "pad.start",
                                  "pad.left.stick",
                                  "pad.right.stick",
                                  "pad.dpad.up",
                                  "pad.dpad.down",
                                  "pad.dpad.left",
                                  "pad.dpad.right",
                                  "pad.guide",
                                  "touch.left_x",
                                  "touch.left_y",
                                  "touch.left",
                                  "touch.right_x",
                                  "touch.right_y",
                                  "touch.right",
                                  "pen.x",
                                  "pen.y",
                                  "pen.pressure",
                                  "pen.tilt_x",
                                  "pen.tilt_y",
                                  "pen.down"};

constexpr const char* kKeys[] = {
    "ArrowUp",   "ArrowDown", "ArrowLeft",   "ArrowRight",   "Comma",     "Period",     "Slash",
    "Semicolon", "Quote",     "BracketLeft", "BracketRight", "Minus",     "Equal",      "Backquote",
    "Backslash", "Enter",     "Tab",         "Backspace",    "ShiftLeft", "ShiftRight", "Home",
    "End",       "PageUp",    "PageDown",    "Insert",       "Delete"};

std::vector<std::string> all_inputs() {
  std::vector<std::string> all(std::begin(kNamed), std::end(kNamed));
  for (std::size_t i = 0; i < kPageStickAxes; ++i) all.push_back(fmt::format("stick.axis{}", i));
  for (std::size_t i = 0; i < kPageStickButtons; ++i)
    all.push_back(fmt::format("stick.button{}", i));
  for (char letter = 'A'; letter <= 'Z'; ++letter) all.push_back(fmt::format("key.Key{}", letter));
  for (const char* row : {"Digit", "Numpad"})
    for (int digit = 0; digit < 10; ++digit) all.push_back(fmt::format("key.{}{}", row, digit));
  for (const char* key : kKeys) all.push_back(fmt::format("key.{}", key));
  return all;
}

}  // namespace

const std::vector<std::string>& page_inputs() {
  static const std::vector<std::string> all = all_inputs();
  return all;
}

bool is_page_input(std::string_view name) {
  return std::ranges::find(page_inputs(), name) != page_inputs().end();
}

std::string page_input_hint(std::string_view name) {
  if (name == "key.Space" || name == "key.Escape") return "this key stops; take another one";
  if (const auto near = nearest_name(name, page_inputs()))
    return fmt::format("did you mean '{}'?", *near);
  return "such as pad.left.stick_x, stick.axis0, key.KeyW, touch.left_x or pen.pressure; "
         "docs/devices.md lists them";
}

}  // namespace handspan
