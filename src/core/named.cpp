#include "core/named.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/suggest.hpp"

namespace handspan {

std::string not_found(std::string_view who, std::string_view what, std::string_view name,
                      const std::vector<std::string>& there) {
  const std::string text = shown(std::string(name));
  const std::string cause = who.empty() ? fmt::format("there is no {} '{}'", what, text)
                                        : fmt::format("{} has no {} '{}'", who, what, text);
  if (there.empty()) return who.empty() ? cause : cause + ", nor any other";
  return fmt::format("{}; {}", cause,
                     did_you_mean(name, there, who.empty() ? "there are" : "it has"));
}

void throw_not_found(std::string_view who, std::string_view what, std::string_view name,
                     const std::vector<std::string>& there) {
  throw InputError(not_found(who, what, name, there));
}

}  // namespace handspan
