// As cmake/precompiled_events.hpp, for tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmake/precompiled_events.hpp"
