#pragma once
// Counts heap allocations of the calling thread, to prove that a control tick makes none (after
// Drake's LimitMalloc). The program that links this replaces malloc and friends, so that C and C++
// allocations alike are seen.
#include <cstddef>

namespace handspan::test {

/// Allocations made by this thread since the object was built.
class AllocationCount {
 public:
  AllocationCount();
  std::size_t count() const;

 private:
  std::size_t start_;
};

}  // namespace handspan::test
