#include "core/error.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/escape.hpp"

namespace handspan {
namespace {

std::string one_a_line(const std::vector<Issue>& issues) {
  std::string lines;
  for (const Issue& issue : issues) {
    if (!lines.empty()) lines += '\n';
    lines += issue.text();
  }
  return lines;
}

}  // namespace

std::string Place::text() const { return line > 0 ? fmt::format("{}:{}", file, line) : file; }

std::string Issue::text() const {
  std::string line = place.text();
  if (!line.empty()) line += ": ";
  if (!key.empty()) line += key + ' ';
  line += cause;
  if (!hint.empty()) line += "; " + hint;
  return line;
}

ConfigError::ConfigError(std::vector<Issue> issues)
    : InputError(one_a_line(issues)), issues_(std::move(issues)) {}

std::string shown(const std::string& value) {
  constexpr std::size_t kLongest = 60;
  std::size_t end = value.size();
  if (end > kLongest) {
    end = kLongest;
    // a byte 10xxxxxx continues a character: cut before its first byte
    while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0U) == 0x80U) --end;
  }
  const std::string out = printable(value.substr(0, end));
  return end < value.size() ? out + "..." : out;
}

}  // namespace handspan
