#pragma once

// Text where some letters mean something: XML and HTML, lines of messages, commands of a shell.

#include <string>

namespace handspan {

/// A text as it stands between tags, and in an attribute with double quotes: & < > and " have their
/// names.
std::string escaped(const std::string& text);

/// A text on one line, whole: control characters as \n, \t or \x1b. For paths in messages, which
/// are of no use when they are cut, as shown() of core/error.hpp cuts other values.
std::string printable(const std::string& text);

/// A path or another argument in a command that a message suggests: one word that a shell takes as
/// `text`. As it is where no letter means something to the shell, else in single quotes; one with
/// control characters as $'...' (bash, zsh, ksh and POSIX of 2024). A leading '-', which would make
/// an option of a path, gets ./ before it.
std::string shell_word(const std::string& text);

}  // namespace handspan
