// An operator new that counts.
#include "tests/support/allocations.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local std::uint64_t allocated = 0;

}  // namespace

std::uint64_t workforce::tests::allocations() noexcept { return allocated; }

void* operator new(std::size_t size) {
    ++allocated;
    if (void* const taken = std::malloc(size == 0 ? 1 : size)) return taken;
    throw std::bad_alloc();
}

void operator delete(void* taken) noexcept { std::free(taken); }
void operator delete(void* taken, std::size_t /*size*/) noexcept { std::free(taken); }
