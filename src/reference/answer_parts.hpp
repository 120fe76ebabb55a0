#pragma once
// An answer of any size, put together again from the inputs that it came in (slow_worker.hpp says
// what is in each). What is cut, out of order or not finite is refused, and the reason is said.
#include <cstdint>
#include <span>
#include <vector>

#include "core/state_archive.hpp"
#include "reference/input.hpp"

namespace handspan {

class AnswerParts {
 public:
  /// @param most numbers that an answer may have
  explicit AnswerParts(std::size_t most) : most_(most) { numbers_.reserve(most); }

  struct Result {
    bool whole = false;             // numbers() are all there
    const char* refused = nullptr;  // why something was; lives for ever. Null: nothing was
    std::uint64_t id = 0;           // of the question that is refused or answered
  };
  /// The next input. Allocates and throws nothing.
  Result take(const Input& input);

  /// Of the last answer that was whole.
  std::span<const double> numbers() const { return numbers_; }
  void state(StateArchive& archive);

 private:
  std::size_t most_;
  std::vector<double> numbers_;
  std::uint64_t id_ = 0;     // of the answer that is under way
  std::uint32_t next_ = 0;   // its next part; 0: none is under way
  std::uint32_t parts_ = 0;  // that it has
  std::uint64_t total_ = 0;  // numbers of all
};

}  // namespace handspan
