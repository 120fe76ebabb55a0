#include "support/alloc.hpp"

#include <cerrno>
#include <cstdlib>

// glibc's own entry points; sanitizers replace malloc themselves, so under them nothing is counted.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HANDSPAN_COUNTS_ALLOCATIONS 1
#endif

namespace {
thread_local std::size_t g_allocations = 0;
}

#ifdef HANDSPAN_COUNTS_ALLOCATIONS
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* p, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++g_allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++g_allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* p, std::size_t size) {
  ++g_allocations;
  return __libc_realloc(p, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  ++g_allocations;
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++g_allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  ++g_allocations;
  *out = __libc_memalign(alignment, size);
  return *out ? 0 : ENOMEM;
}
}
#endif

namespace handspan::test {

AllocationCount::AllocationCount() : start_(g_allocations) {}
std::size_t AllocationCount::count() const { return g_allocations - start_; }

}  // namespace handspan::test
