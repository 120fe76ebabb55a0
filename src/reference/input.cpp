#include "reference/input.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/suggest.hpp"

namespace handspan {
namespace {

constexpr const char* kNames[] = {"sample", "parameter", "stop",    "resume",
                                  "event",  "episode",   "operator"};

}  // namespace

const char* name_of(InputKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

InputKind input_kind(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i]) return static_cast<InputKind>(i);
  const std::string text(name);
  throw InputError(
      fmt::format("'{}' is not a kind of input; {}", shown(text),
                  did_you_mean(text, std::vector<std::string>(std::begin(kNames), std::end(kNames)),
                               "there are")));
}

}  // namespace handspan
