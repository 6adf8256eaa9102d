// A mail to whoever is assigned to a shift, for each assignment; the sandbox sends none. When an organization is
// deactivated, whatever mail of it waits is dropped.
#pragma once

#include "workers/engine/reactor.hpp"

namespace workforce::workers {

/// The reactor. It folds the names and addresses of staff, sealed under each person's key, and what shifts are called
/// and when they are.
ReactorType shift_mail();

}  // namespace workforce::workers
