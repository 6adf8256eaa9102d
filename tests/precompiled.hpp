// As cmake/precompiled.hpp, for tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmake/precompiled.hpp"
