#include "core/text_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace handspan {
namespace {

constexpr std::size_t kMostTextIssues = 20;

int line_of(std::string_view text, std::size_t offset) {
  return 1 +
         static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(offset), '\n'));
}

// the length of the UTF-8 character at the start of `text`; 0 when there is none
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  // the second byte's range excludes overlong forms, surrogates and what is above U+10FFFF
  unsigned low = 0x80, high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  }
  if (length == 0 || text.size() < length) return 0;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

void check_line(std::string_view line, const Place& place, std::vector<Issue>& issues) {
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t' && c != '\r') || byte == 0x7F) {
      issues.push_back(
          {place, "", fmt::format("a control character (0x{:02x})", byte), "remove it"});
      break;
    }
  }
  const std::size_t start = line.find_first_not_of(" \t\r");
  if (start == std::string_view::npos || line[start] == '#') return;
  if (line.substr(0, start).find('\t') != std::string_view::npos) {
    issues.push_back({place, "", "a tab indents this line", "indent with spaces"});
  }
}

}  // namespace

std::size_t valid_utf8_prefix(std::string_view text) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    const std::size_t length = utf8_length(text.substr(offset));
    if (length == 0) break;
    offset += length;
  }
  return offset;
}

std::vector<Issue> check_text(std::string_view text, const std::string& file) {
  if (const std::size_t valid = valid_utf8_prefix(text); valid < text.size()) {
    return {{{file, line_of(text, valid), 0},
             "",
             fmt::format("the byte 0x{:02x} is not UTF-8", static_cast<unsigned char>(text[valid])),
             "save the file as UTF-8"}};
  }
  std::vector<Issue> issues;
  for (int line = 1; !text.empty() && issues.size() < kMostTextIssues; ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    check_line(text.substr(0, end), {file, line, 1}, issues);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return issues;
}

}  // namespace handspan
