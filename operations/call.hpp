// One request on its way through a handler, and the services that handlers use.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/engine/processor.hpp"
#include "core/database.hpp"
#include "operations/caller.hpp"
#include "operations/last_writes.hpp"
#include "operations/operation.hpp"
#include "operations/path_parameters.hpp"
#include "operations/schema/query_parameters.hpp"
#include "operations/tenants.hpp"
#include "projections/engine/progress.hpp"
#include "projections/engine/query.hpp"
#include "workers/store/secret_store.hpp"

namespace workforce::workers {
struct PayrollProviders;
}

namespace workforce::operations {

struct Accounts;
struct WebhookServices;
struct OAuthServices;

/// By which protocol a call came, as its events and facts tell.
inline constexpr std::string_view kRestChannel = "rest";
inline constexpr std::string_view kToolChannel = "mcp";

/// What handlers are served by; owned by the composition root, alive as long as any request.
struct Services {
    core::Database& reads;      ///< under the role that row-level security holds to one organization
    core::Database& operators;  ///< under the one that sees all organizations, but sandbox and live apart
    commands::Processor& processor;
    projections::Progress& progress;
    LastWrites& last_writes;
    Tenants& tenants;
    workers::SecretStore& secrets;
    std::string cursor_secret;
    net::ByteBudget& replies;                ///< of answers that clients have not taken yet
    std::size_t page_bytes;                  ///< that the rows of a page may have
    std::int64_t pat_max_rate_limit = 6000;  ///< requests a minute that a personal token may be given
    Accounts* accounts = nullptr;            ///< how people sign in (accounts.hpp); null where nobody does
    WebhookServices* webhooks = nullptr;     ///< how subscribers are told (webhooks.hpp); null where nobody is
    workers::PayrollProviders const* payroll = nullptr;  ///< who pays runs; null where nobody does
    OAuthServices* oauth = nullptr;  ///< the authorization server (oauth/oauth.hpp); null where there is none
    /// Whether uses of credentials could not be written when they were due; empty where none are.
    std::function<bool()> uses_are_late{};

    /// Whose sessions see the scope's rows.
    [[nodiscard]] core::Database& database_of(projections::Scope const& scope) const {
        return scope.organization == 0 ? operators : reads;
    }
};

/// What belongs to the request and not to the caller, made by the protocol's adapter.
struct CallMeta {
    std::string request_id;
    std::string address{};    ///< of who asks, where the request came in
    std::string agent{};      ///< what the client calls itself, at most 256 bytes
    Id organization = 0;      ///< that it is about (target.hpp); 0, for reads alone: all of them
    bool sandbox = false;     ///< whether it is about the sandbox
    commands::Cause cause{};  ///< but for the verb, which the operation is
    std::optional<commands::Idempotency> idempotency{};
    std::optional<std::vector<std::int64_t>> expected_versions{};  ///< of what it acts on; nothing: any
    /// When nobody waits for the answer any more: a command whose turn has not come by then is refused.
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

/// What was sent, before the operation reads it as its input.
struct RawInput {
    PathParameters path{};
    QueryMap parameters{};
    /// Nothing for an operation that takes none. A form is an object of texts. What is neither JSON nor a form is one
    /// text, a view of the request's bytes that holds until the handler is done.
    std::optional<core::Result<rapidjson::Document>> body{};
    std::string authorization{};         ///< the header, of what refuses as OAuth does: how a client shows which it is
    MediaType answer = MediaType::json;  ///< what the client is to get, of those that the operation gives
};

/// A request past authentication.
struct Call {
    Services& services;
    Operation const& operation;
    std::shared_ptr<Caller const> caller;
    CallMeta meta;
    RawInput input;
    std::vector<std::string> warnings{};  ///< for the client: what was sent and has no effect
    bool awaited = false;                 ///< the read models that it names were waited for
    bool appended = false;                ///< something of it stands in the log
    bool sent_before = false;             ///< a former owner of the partition may have carried it out
    bool stale = false;                   ///< the answer may lack the caller's own last write, or uses that are due
};

/// The problem as the caller is to be told it. What a stale call does not find may be what the caller has just made:
/// then it is READ_MODEL_BEHIND, and never "there is no such thing" (domain 16).
core::Problem unless_behind(Call const& call, core::Problem problem);

/// The refusal of the call, by unless_behind().
Outcome refuse(Call const& call, core::Problem const& problem);

/// Why its handler refused the call with SERVICE_UNAVAILABLE, for metrics.
inline Unavailable reason_of(Call const& call) {
    bool const commands = call.operation.effect != Effect::read && call.operation.appends;
    return commands ? Unavailable::writer : Unavailable::other;
}

/// Adds to the facts who asked, by which channel ("rest", "mcp").
void note_caller(Facts& facts, Caller const& caller, std::string_view channel);

/// Whether the caller has the operation's permission for rows of their own alone (domain 4.3).
bool reaches_own_alone(Caller const& caller, Operation const& operation);

/// Why the caller may not ask for the operation, or nothing.
std::optional<core::Problem> lacking(Caller const& caller, Operation const& operation);

/// Names members or parameters that the operation does not have in the call's warnings: the first ones, of long names
/// the beginning, and how many more there are.
void warn_ignored(Call& call, std::string_view what, std::vector<std::string> const& names);

/// The scope of a read: the call's organization and the caller's facilities, narrowed to one. Of who has the
/// operation's permission for rows of their own alone it is these, at whatever facility they lie (domain 4.3). Errors:
/// FACILITY_SCOPE_VIOLATION.
core::Result<projections::Scope> read_scope(Call const& call, std::optional<Id> facility = {});

/// Whether the call's organization has the facility that a request names, if any; after await_own_writes(), which may
/// have made it. Facilities that a caller is bound to are there. Errors: FACILITY_SCOPE_VIOLATION, as for one outside
/// the caller's.
boost::asio::awaitable<core::Result<void>> check_facility(Call& call, std::optional<Id> facility);

/// Waits until the read models that the operation names show the caller's last write in the call's organization, or in
/// all of them, for five seconds at most; past that the call is stale.
boost::asio::awaitable<void> await_own_writes(Call& call);

/// The call is stale where its answer shows uses of credentials and these are late.
void note_late_uses(Call& call);

}  // namespace workforce::operations
