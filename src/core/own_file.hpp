#pragma once
// Files that hold a secret, or that nobody else may have laid there.
#include <sys/types.h>

#include <filesystem>
#include <string>

namespace handspan {

/// Writes a new file with that mode, in the place of one that is there: at no moment can others
/// read a secret in it, and no link is followed.
/// @param mode such as 0600, whatever the umask is
/// @return false when it cannot be written; errno says why
bool write_own_file(const std::filesystem::path& file, const std::string& text, mode_t mode);

}  // namespace handspan
