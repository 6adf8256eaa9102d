// As cmake/precompiled.hpp, for the folders above events: what nearly all of their sources read.
#pragma once

#include "cmake/precompiled.hpp"
#include "core/database.hpp"
#include "core/logging.hpp"
#include "core/text.hpp"
#include "events/event.hpp"
#include "events/index.hpp"
#include "events/log/log.hpp"
#include "events/resource.hpp"
