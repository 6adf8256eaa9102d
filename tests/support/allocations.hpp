// Counts what is taken from the heap.
#pragma once

#include <cstdint>
#include <optional>

namespace workforce::tests {

/// Calls of operator new by this thread since its start. A program that uses this has an operator new that counts, but
/// under sanitizers, where this is nothing.
std::optional<std::uint64_t> allocations() noexcept;

}  // namespace workforce::tests
