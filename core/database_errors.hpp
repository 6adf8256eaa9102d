// How work with the database fails, where its caller can do something about it.
#pragma once

#include <stdexcept>

namespace workforce::core {

/// The database can't be reached, was lost on the way, shut down, or ran out of time or room. Whether the job took
/// effect is unknown unless it never began.
struct DatabaseUnavailable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The database is there and refused a statement or took too long over it: others may do better.
struct StatementFailed : DatabaseUnavailable {
    using DatabaseUnavailable::DatabaseUnavailable;
};

/// As many jobs wait as may, or of that organization.
struct DatabaseBusy : std::runtime_error {
    DatabaseBusy() : std::runtime_error("too many database jobs wait") {}
};

}  // namespace workforce::core
