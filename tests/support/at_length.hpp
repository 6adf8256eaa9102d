// Whether tests run at length.
#pragma once

#include <cstdlib>

namespace workforce::tests {

/// Whether `./test --long` runs them: docs/testing.md says what is shorter otherwise.
inline bool at_length() {
    return std::getenv("WORKFORCE_TEST_LONG") != nullptr;  // NOLINT(concurrency-mt-unsafe): nobody sets it
}

}  // namespace workforce::tests
