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
#include "operations/tools/model_tiers.hpp"
#include "projections/engine/progress.hpp"
#include "projections/engine/query.hpp"
#include "workers/store/secret_store.hpp"

namespace workforce::workers {
struct PayrollProviders;
}

namespace workforce::operations {

struct Accounts;
struct AppServices;
class EventTap;
struct WebhookServices;
struct OAuthServices;
struct RegistryServices;
class GuardrailSets;
struct AgentServices;

/// By which protocol a call came, as its events and facts tell.
inline constexpr std::string_view kRestChannel = "rest";
inline constexpr std::string_view kToolChannel = "mcp";
inline constexpr std::string_view kAgentChannel = "agent";

/// Whether calls of the channel are of tools, where the rights of a key's user bound it.
inline bool is_tool_channel(std::string_view channel) { return channel == kToolChannel || channel == kAgentChannel; }

/// Carries out a call that is ready. The call outlives it.
using PerformCall = std::function<boost::asio::awaitable<Outcome>(Call&)>;

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
    OAuthServices* oauth = nullptr;   ///< the authorization server (oauth/oauth.hpp); null where there is none
    AppServices* apps = nullptr;      ///< connected apps (apps.hpp); null where there are none
    AgentServices* agents = nullptr;  ///< who goes on with runs of agents (agents/agents.hpp); null where nobody does
    EventTap* event_tap = nullptr;    ///< how events are followed (event_tap.hpp); null where nobody does
    RegistryServices* registries = nullptr;  ///< who knows credentials (provider_call.hpp); null where nobody does
    /// Whether uses of credentials could not be written when they were due; empty where none are.
    std::function<bool()> uses_are_late{};
    ModelTiers model_tiers = usual_model_tiers();  ///< which models have which grade
    GuardrailSets* guardrails = nullptr;           ///< that bound calls of tools; null where there are none
    /// The caller that a credential is of now, with all its rights: its kind, its id and its organization. Errors:
    /// UNAUTHENTICATED, INVALID_API_KEY.
    std::function<boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>>(events::ActorType, Id, Id)>
        find_caller{};
    /// Who calls a tool in a run of an agent: by its organization, whether it is the sandbox's, its id, and the tool's
    /// name. Errors: as find_caller; NOT_FOUND; FORBIDDEN where the agent may not call it, or is not active.
    std::function<boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>>(Id, bool, Id, std::string)>
        find_run_caller{};
    /// Hears of calls that no protocol's adapter tells of, for usage and metrics; null: nobody does.
    std::function<void(Facts const&)> observe{};
    /// Has the process that writes the call's partition carry it out, where it is a write; null: this one does.
    PerformCall perform{};
    /// The same of what a person does by a page's form; where it came from is kept as for a request of its own.
    PerformCall perform_form{};
    /// Has that process do recall_answer() (commands.hpp); null: this one does.
    PerformCall recall{};

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
    Id session = 0;           ///< by which a person asks, also of another process; 0: none
    Id organization = 0;      ///< that it is about (target.hpp); 0, for reads alone: all of them
    bool sandbox = false;     ///< whether it is about the sandbox
    commands::Cause cause{};  ///< but for the verb, which the operation is
    Id approval = 0;          ///< by which a person let it be done; 0: none was asked for
    /// In the home partition of that organization: what stands there or before it, reads show as if the caller had
    /// written it. -1: nothing.
    std::int64_t seen = -1;
    std::optional<commands::Idempotency> idempotency{};
    std::string provider_key{};  ///< what the key is made of under which somebody outside is asked; empty: idempotency
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
    bool from_elsewhere = false;         ///< of a page: another site led the browser here
    std::string last_event_id{};         ///< the header, of what may be answered by a stream: the last event that came
    MediaType answer = MediaType::json;  ///< what the client is to get, of those that the operation gives
    bool head_only = false;              ///< of the answer the head alone leaves
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
    /// Submits the command of a call that is carried out within another one; null: it is submitted by itself.
    std::function<boost::asio::awaitable<commands::Reply>(commands::Submission)> submit_within{};
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

/// Whether the caller has the operation's permission, or one that will do instead, for all rows that they reach.
bool is_granted_to(Caller const& caller, Operation const& operation);

/// Whether the caller has the operation's permission for rows of their own alone (domain 4.3).
bool reaches_own_alone(Caller const& caller, Operation const& operation);

/// The refusal of a caller who has not the permission.
core::Problem without(Caller const& caller, core::Permission const& permission);

/// Why the caller may not ask for the operation, or nothing.
std::optional<core::Problem> lacking(Caller const& caller, Operation const& operation);

/// The parameters of the query that the operation does not have, but for those that begin as a key does.
std::vector<std::string> unknown_parameters(Call const& call);

/// Errors: VALIDATION_ERROR that names the parameters which the operation does not have. For what does more than it was
/// asked for where one is mistyped.
core::Result<void> refuse_unknown_parameters(Call const& call);

/// Names members or parameters that the operation does not have in the call's warnings: the first ones, of long names
/// the beginning, and how many more there are.
void warn_ignored(Call& call, std::string_view what, std::vector<std::string> const& names);

/// The scope of a read: the call's organization and the caller's facilities, narrowed to one. Of who has the
/// operation's permission for rows of their own alone it is these, at whatever facility they lie (domain 4.3). Errors:
/// FACILITY_SCOPE_VIOLATION.
core::Result<projections::Scope> read_scope(Call const& call, std::optional<Id> facility = {});
/// The same where the call shows rows as another operation of the table does.
core::Result<projections::Scope> read_scope_of(Call const& call, Operation const& operation,
                                               std::optional<Id> facility);

/// Whether the call's organization has the facility that a request names, if any; after await_own_writes(), which may
/// have made it. Facilities that a caller is bound to are there. Errors: FACILITY_SCOPE_VIOLATION, as for one outside
/// the caller's.
boost::asio::awaitable<core::Result<void>> check_facility(Call& call, std::optional<Id> facility);

/// Waits until the read models that the operation names show the caller's last write in the call's organization, or in
/// all of them, and what the call has seen, for five seconds at most; past that the call is stale.
boost::asio::awaitable<void> await_own_writes(Call& call);

/// The call is stale where its answer shows uses of credentials and these are late.
void note_late_uses(Call& call);

}  // namespace workforce::operations
