#pragma once
// Recordings of a headset as CSV: one row a frame, the columns by name in any order. Needed: `t`
// [s] and, of at least one side S in l, r: S_source (controller, hand or none), S_x, S_y, S_z [m],
// S_qx, S_qy, S_qz, S_qw. Read where they are there: head_x ... head_qw, S_trigger, S_squeeze
// (0 to 1), S_stick_x, S_stick_y (-1 to 1), S_primary, S_secondary (0 or 1). Axes are WebXR's, also
// a stick's, which is negative when it is pushed away. What is empty is not valid; other columns
// are passed over; any rate.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "reference/input.hpp"

namespace handspan {

/// Samples for the device of that name, whose layout is headset_layout(), with the recording's
/// times as stamps. The first row is at its own t; when that is more than 10^6 s, as seconds since
/// 1970 are, all are relative to it. A row whose pose cannot be followed (a zero quaternion, a
/// leap) is kept as it is: that is for the loop to survive. Times that cannot be played are not.
/// @throws InputError with file, line, cause and hint when it is not such a recording, a cell is no
/// number, time goes back or leaps by more than a minute, or stays for more than 5 rows
std::vector<Input> read_headset_csv(const std::filesystem::path& file, std::string_view device);

/// The same of the file's text. @param name of the file, for messages
std::vector<Input> parse_headset_csv(std::string_view text, const std::string& name,
                                     std::string_view device);

}  // namespace handspan
