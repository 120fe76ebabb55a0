#include "core/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace handspan {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20U || c == 0x7F; }

std::string control_escape(char c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
}

// to every shell, whatever the locale; bytes of letters beyond ASCII are none of its own
bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80U ||
         std::string_view("_-./:=@%+,").find(c) != std::string_view::npos;
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string printable(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (is_control(c)) {
      out += control_escape(c);
    } else {
      out += c;
    }
  }
  return out;
}

std::string shell_word(const std::string& text) {
  const std::string word = text.starts_with('-') ? "./" + text : text;
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  const bool control = std::ranges::any_of(word, is_control);
  std::string out = control ? "$'" : "'";
  for (const char c : word) {
    if (is_control(c)) {
      out += control_escape(c);
    } else if (control && (c == '\'' || c == '\\')) {
      out += {'\\', c};
    } else if (c == '\'') {
      // the quotes end, one stands by itself, they begin again
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace handspan
