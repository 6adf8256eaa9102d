// Counts what is taken from the heap.
#pragma once

#include <cstdint>

namespace workforce::tests {

/// Calls of operator new by this thread since its start. A program that uses this has an operator new that counts.
std::uint64_t allocations() noexcept;

}  // namespace workforce::tests
