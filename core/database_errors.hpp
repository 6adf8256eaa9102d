// How work with the database fails, where its caller can do something about it.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace workforce::core {

/// The database can't be reached, was lost on the way, shut down, or ran out of time or room. Whether the job took
/// effect is unknown unless it never began.
struct DatabaseUnavailable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The database is there and refused a statement or took too long over it: others may do better.
struct StatementFailed : DatabaseUnavailable {
    /// `state` is the SQLSTATE, or empty where it is not known.
    explicit StatementFailed(std::string const& what, std::string state = {})
        : DatabaseUnavailable(what), state_(std::move(state)) {}

    /// Whether a value was refused (SQLSTATE classes 22 and 23): the same values are refused whenever they are tried.
    [[nodiscard]] bool is_about_values() const { return state_.starts_with("22") || state_.starts_with("23"); }

   private:
    std::string state_;
};

/// As many jobs wait as may, or of that organization.
struct DatabaseBusy : std::runtime_error {
    DatabaseBusy() : std::runtime_error("too many database jobs wait") {}
};

}  // namespace workforce::core
