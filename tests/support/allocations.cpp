// An operator new that counts. Sanitizers have one of their own, which finds what does not fit together.
#include "tests/support/allocations.hpp"

#include <cstdlib>
#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WORKFORCE_SANITIZED
#endif
#endif

#ifdef WORKFORCE_SANITIZED

std::optional<std::uint64_t> workforce::tests::allocations() noexcept { return std::nullopt; }

#else

namespace {

thread_local std::uint64_t allocated = 0;

}  // namespace

std::optional<std::uint64_t> workforce::tests::allocations() noexcept { return allocated; }

void* operator new(std::size_t size) {
    ++allocated;
    if (void* const taken = std::malloc(size == 0 ? 1 : size)) return taken;
    throw std::bad_alloc();
}

void operator delete(void* taken) noexcept { std::free(taken); }
void operator delete(void* taken, std::size_t /*size*/) noexcept { std::free(taken); }

#endif
