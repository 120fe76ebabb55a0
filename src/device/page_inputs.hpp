#pragma once
// What an operator's page has that a person moves, by name: a gamepad ("pad.left.stick_x"), any
// other stick ("stick.axis2"), keys ("key.KeyW"), the pads for fingers ("touch.left_x") and a
// stylus
// ("pen.pressure"). A device says which of them feed its controls; web/src/teleop/inputs.ts reads
// them. Both sides are tested against one list, tests/station/fixtures/page_inputs.json.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace handspan {

inline constexpr std::size_t kPageStickAxes = 16, kPageStickButtons = 32;

/// All of them. Sticks, pads and a stylus go from -1 to 1, to the right and away from the person
/// positive; triggers and pressure from 0 to 1; what is pressed is 1, else 0. Keys have the names
/// of their places on a keyboard, as a browser calls them. Space and Escape are none: they stop.
const std::vector<std::string>& page_inputs();
bool is_page_input(std::string_view name);
/// What to tell who wrote a name that is none.
std::string page_input_hint(std::string_view name);

}  // namespace handspan
