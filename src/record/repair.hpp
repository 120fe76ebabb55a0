#pragma once

// Repairs a log whose recording was ended hard, or whose disk was.

#include <filesystem>
#include <string>

namespace handspan {

/// Writes to `out` all that can be read of `in`: messages in the order of log time, attachments and
/// metadata, with the summary that gives random access. A damaged chunk is left out as a whole, and
/// reading goes on with the next one. The copy says in its metadata what is lacking
/// (kRepairedMetadata), so that whoever reads it is told. @return what was lost, a line each with
/// its byte in `in`; "nothing was lost" when there is nothing. Throws InputError when `in` is not
/// an MCAP file or cannot be read, or `out` cannot be written or is `in`.
std::string repair_log(const std::filesystem::path& in, const std::filesystem::path& out);

}  // namespace handspan
