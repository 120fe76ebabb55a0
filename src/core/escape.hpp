#pragma once

// Text in XML and HTML.

#include <string>

namespace handspan {

/// A text as it stands between tags, and in an attribute with double quotes: & < > and " have their
/// names.
std::string escaped(const std::string& text);

}  // namespace handspan
