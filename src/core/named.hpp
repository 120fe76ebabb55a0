#pragma once

// Things that are found by their names, and what to say when there is none of that name.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace handspan {

/// "WHO has no WHAT 'NAME'; did you mean 'x'?", else "...; it has: a, b" or "..., nor any other".
/// @param who such as "the scene"; none: "there is no WHAT 'NAME'; ...", and nothing more when
/// there are none
std::string not_found(std::string_view who, std::string_view what, std::string_view name,
                      const std::vector<std::string>& there);
/// @throws InputError that says so
[[noreturn]] void throw_not_found(std::string_view who, std::string_view what,
                                  std::string_view name, const std::vector<std::string>& there);

/// @param name_of of an item, as std::invoke takes it: a member, or a function
template <class Items, class NameOf>
std::vector<std::string> names_of(const Items& items, NameOf name_of) {
  std::vector<std::string> names;
  for (const auto& item : items) names.emplace_back(std::invoke(name_of, item));
  return names;
}

/// The place of the first that is called so.
/// @param who,what as not_found() says them  @param name_of as of names_of()
/// @throws InputError that names those there are
template <class Items, class NameOf = std::identity>
std::size_t find_named(std::string_view who, std::string_view what, std::string_view name,
                       const Items& items, NameOf name_of = {}) {
  std::size_t i = 0;
  for (const auto& item : items) {
    if (std::invoke(name_of, item) == name) return i;
    ++i;
  }
  throw_not_found(who, what, name, names_of(items, name_of));
}

}  // namespace handspan
