#pragma once

// Checks of a text's bytes before a parser sees them.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace handspan {

/// How many bytes at the start of `text` are well-formed UTF-8 (RFC 3629: no overlong forms, no
/// surrogates, nothing above U+10FFFF): all of them when it is.
std::size_t valid_utf8_prefix(std::string_view text);

/// The first byte that is not UTF-8, else every control character (but tab, line feed and carriage
/// return) and every tab that indents a line that says something, 20 at most; empty when all is
/// well.
std::vector<Issue> check_text(std::string_view text, const std::string& file);

}  // namespace handspan
