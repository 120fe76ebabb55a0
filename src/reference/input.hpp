#pragma once
// What crosses the loop's border: samples, results of asynchronous sources,
// changes of parameters, what the operator asks for. Each is latched at a tick and recorded with
// it, so that a run is a function of app, seed and inputs.
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/fixed_text.hpp"
#include "core/time.hpp"

namespace handspan {

enum class InputKind : std::uint8_t {
  kSample,     // for the source `to`: numbers and text as that source documents
  kParameter,  // for the parameter `to`: one number
  kStop,       // every reference brakes to rest and stays; text: who or why
  kResume,     // after a stop, the sources that had authority go on from the references
  kEvent,      // named `to`: transitions wait for it
  kEpisode,    // `to` is start, success, failure, discard; text: the task or a remark
  kOperator,   // text: who operates from now on; recorded with episodes
};

/// "sample", "parameter" ...
const char* name_of(InputKind kind);
/// @throws InputError for a word that is none
InputKind input_kind(std::string_view name);

inline constexpr std::size_t kMostInputNumbers = 256;

struct Input {
  Nanoseconds stamp = 0;  // the source's own time [ns]
  InputKind kind = InputKind::kSample;
  FixedText<62> to;
  FixedText<126> text;
  std::uint32_t count = 0;  // of numbers
  std::array<double, kMostInputNumbers> numbers{};

  std::span<const double> values() const { return {numbers.data(), count}; }
  /// @return false when there are more than fit; nothing is kept then
  bool set(std::span<const double> values) {
    if (values.size() > numbers.size()) return false;
    count = static_cast<std::uint32_t>(values.size());
    std::copy(values.begin(), values.end(), numbers.begin());
    return true;
  }
};

}  // namespace handspan
