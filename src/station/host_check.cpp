#include "station/host_check.hpp"

#include <algorithm>
#include <cctype>

namespace handspan {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

std::string host_of(std::string_view authority) {
  const std::size_t after = authority.starts_with('[') ? authority.find(']') : 0;
  if (after == std::string_view::npos) return "";
  const std::size_t colon = authority.find(':', after);
  const std::string_view host = authority.substr(0, colon);
  if (colon != std::string_view::npos) {
    const std::string_view port = authority.substr(colon + 1);
    if (port.empty() || port.size() > 5 ||
        !std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; }))
      return "";
  }
  if (authority.starts_with('[') && host.back() != ']') return "";
  const bool plain = std::ranges::all_of(host, [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return std::isalnum(u) != 0 || c == '.' || c == '-' || c == ':' || c == '[' || c == ']';
  });
  return plain ? lower(host) : "";
}

bool host_allowed(std::string_view host, const std::vector<std::string>& allowed) {
  const std::string name = host_of(host);
  if (name == "localhost" || name == "127.0.0.1" || name == "[::1]") return true;
  return std::ranges::any_of(allowed, [&](const std::string& one) {
    return !name.empty() && (name == one || name == "[" + one + "]");
  });
}

bool origin_allowed(std::string_view origin, std::string_view scheme, std::string_view host) {
  return origin.empty() || lower(origin) == lower(scheme) + "://" + lower(host);
}

std::vector<std::string_view> cookies(std::string_view header, std::string_view name) {
  std::vector<std::string_view> values;
  while (!header.empty()) {
    const std::size_t end = std::min(header.find(';'), header.size());
    std::string_view one = header.substr(0, end);
    header.remove_prefix(std::min(end + 1, header.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    one = one.substr(0, one.find_last_not_of(' ') + 1);
    if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=')
      values.push_back(one.substr(name.size() + 1));
  }
  return values;
}

}  // namespace handspan
