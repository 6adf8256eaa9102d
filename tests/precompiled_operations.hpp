// As cmake/precompiled_operations.hpp, for tests of all folders.
#pragma once

#include <future>
#include <nlohmann/json.hpp>

#include "cmake/precompiled_operations.hpp"
#include "tests/precompiled.hpp"
