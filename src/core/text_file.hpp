#pragma once

// The bytes of a person's file.

#include <cstddef>
#include <filesystem>
#include <string>

namespace handspan {

/// The largest file that is read as text.
inline constexpr std::size_t kMaxTextBytes = 16U << 20U;

/// The bytes of a file. Throws ConfigError when it is missing, a folder or a device, unreadable, or
/// larger than kMaxTextBytes.
std::string read_text_file(const std::filesystem::path& path);

}  // namespace handspan
