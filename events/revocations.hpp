// The end of an API key: once its revocation is durable, its secret is marked, and a marked secret opens nothing.
//
// Whoever appends a revocation marks before the answer leaves; whoever folds one, into the write side's memory or into
// read models, marks before anything comes of it. So each revocation that some checkpoint has passed is marked, and a
// take-over reads the others.
#pragma once

#include <span>
#include <vector>

#include "core/connection.hpp"
#include "events/catalogue.hpp"

namespace workforce::events {

/// Adds the API key that the event revokes, if it revokes one.
void add_revoked_key(Event const& event, std::vector<core::Id>& keys);

/// Marks the secrets of these API keys as revoked, durably, in a transaction of its own. Idempotent; blocks. The
/// session's role is workforce_projector or workforce_writer. Errors: pqxx's.
void mark_revoked(core::Connection& connection, std::vector<core::Id> const& keys);

}  // namespace workforce::events
