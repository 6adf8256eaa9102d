// As cmake/precompiled_events.hpp, for the folders from operations on.
#pragma once

#include "cmake/precompiled_events.hpp"
#include "operations/declare.hpp"
#include "projections/engine/read_model.hpp"
