// Approvals to what follows them: approved calls that ask somebody outside are carried out, approvers are told of calls
// that wait, and who asked of what was decided. Nothing in it is personal.
#pragma once

#include "workers/engine/reactor.hpp"

namespace workforce::workers {

/// The reactor. It folds nothing: the operations that it asks for read the approval.
ReactorType approvals();

}  // namespace workforce::workers
