#pragma once

#include <compare>
#include <cstddef>

namespace handspan {

/// An index of a library that counts in int, as one of a container. \p i is not negative.
constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Which of the things of one kind, so that an index of another kind is an error of the compiler.
template <class Of>
struct Index {
  std::size_t value = 0;
  auto operator<=>(const Index&) const = default;
};

/// All indices of so many things: `for (const auto r : IndexRange<Reference>{n})`.
template <class Of>
struct IndexRange {
  std::size_t count = 0;

  class Iterator {
   public:
    explicit Iterator(std::size_t i) : i_(i) {}
    Index<Of> operator*() const { return {i_}; }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    std::size_t i_;
  };
  Iterator begin() const { return Iterator(0); }
  Iterator end() const { return Iterator(count); }
};

}  // namespace handspan
