#pragma once
// Files that a command would write over, and that handspan did not write.
#include <filesystem>
#include <string_view>

namespace handspan {

/// First key of every JSON file that handspan writes; its value is the version.
inline constexpr char kWriterKey[] = "handspan";
/// Second line of every XML file that handspan writes.
inline constexpr char kWrittenXml[] = "<!-- written by handspan -->\n";
inline constexpr char kWrittenStl[] = "STL written by handspan";

/// Its file is made anew in the place of a link (write_own_file()).
inline constexpr std::string_view kTokenFileOption = "--token-file";

/// A file that is there is written over only when handspan writes such files: a log (MCAP), a
/// picture (PNG), a data set (HDF5), JSON with kWriterKey, XML with kWrittenXml, STL with
/// kWrittenStl, or the token of a station. Empty files, and what is not a file (a terminal, a
/// pipe), are nobody's.
/// @param option that names the output, such as "--record"
/// @throws InputError naming both, with the way out; not after allow_overwriting()
void refuse_foreign(const std::filesystem::path& output, std::string_view option);

/// What --force says: from here on this process writes over everything but what it reads.
void allow_overwriting();
inline constexpr char kForceDoc[] = "write over files that handspan did not write";

}  // namespace handspan
