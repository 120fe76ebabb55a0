#pragma once
// Whether a request comes from a page of ours. A page of somebody else's can make a browser ask
// this machine for things, under its own name (Origin) or under a name that it lets point here
// (Host).
#include <string>
#include <string_view>
#include <vector>

namespace handspan {

/// "localhost" of "localhost:8780", "[::1]" of "[::1]:8780"; lower case. Empty when it is not a
/// name with an optional port.
std::string host_of(std::string_view authority);

/// @param allowed names besides localhost, 127.0.0.1 and [::1], as host_of() gives them; addresses
/// of IPv6 without brackets
bool host_allowed(std::string_view host, const std::vector<std::string>& allowed);

/// An origin is that of the host the request was sent to, or none is given (no browser).
/// @param scheme "http" or "https"
bool origin_allowed(std::string_view origin, std::string_view scheme, std::string_view host);

/// What a Cookie header has under that name: each of them, where there are several.
std::vector<std::string_view> cookies(std::string_view header, std::string_view name);

}  // namespace handspan
