// Sandboxes of facilities as queries see them: when each was last reset, and what lies in it.
#pragma once

#include <optional>
#include <string>

#include "events/sandbox.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

using SandboxRows = ReadModel<events::Sandbox>;

/// read.sandbox: a row a facility whose sandbox was ever reset.
SandboxRows const& sandboxes();

/// What lies in the sandbox of one facility, which the scope names.
struct SandboxContent {
    events::SandboxCounts counts;               ///< rows of that facility alone or of its people, but for deleted ones
    std::optional<events::Sandbox> last_reset;  ///< nothing: it was never reset
};

/// content.sql with the counts of all kinds that resets delete.
std::string sandbox_content_text();

/// Looks into the sandbox of the scope's one facility. Errors, as of all queries: core::DatabaseUnavailable,
/// core::DatabaseBusy.
boost::asio::awaitable<SandboxContent> sandbox_content(core::Database& database, Scope scope);

/// The facility of the scope's one organization, where that has exactly one. Errors: as sandbox_content().
boost::asio::awaitable<std::optional<core::Id>> only_facility(core::Database& database, Scope scope);

}  // namespace workforce::projections
