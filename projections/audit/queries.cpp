// Pages of the audit log.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "projections/audit/audit.hpp"
#include "projections/engine/column_values.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

using events::ActorType;

constexpr core::Statement kNames{"audit_names", sql::audit_names};
/// Agents of an organization ($1; 0: of any), in the live data or the sandbox. Their plans may have a NUL, of which
/// Postgres makes no text.
constexpr core::Statement kAgentNames{"audit_agent_names", R"(
SELECT t.id, replace(t.doc, '\u0000', '\ufffd')::json ->> 'name' FROM read.agent t
WHERE ($1::bigint = 0 OR t.organization_id = $1) AND t.is_sandbox = $2 AND t.id = ANY ($3::bigint[]))"};
constexpr std::array kSorts{SortKey{"createdAt", "created_at", "timestamptz"}};

using Names = std::map<std::pair<ActorType, Id>, std::string>;

/// The names of the entries' actors, of one organization or (0) of any, as a live session knows them: users and keys
/// are live.
Names names_of(core::Connection& connection, Id organization, std::vector<AuditEntry> const& entries) {
    std::vector<Id> users, keys;
    for (auto const& entry : entries) {
        if (entry.actor.type == ActorType::user || entry.actor.type == ActorType::oauth)
            users.push_back(entry.actor.id);
        if (entry.actor.type == ActorType::api_key) keys.push_back(entry.actor.id);
    }
    Names names;
    if (users.empty() && keys.empty()) return names;
    for (auto const& row : connection.execute(kNames, organization, users, keys)) {
        auto const type = core::parse_enum<ActorType>(core::read_view(row["type"])).value();
        names[{type, core::read<Id>(row["id"])}] = core::read<std::string>(row["name"]);
    }
    return names;
}

/// The entries' agents.
std::vector<Id> agents_in(std::vector<AuditEntry> const& entries) {
    std::vector<Id> agents;
    for (auto const& entry : entries) {
        if (entry.actor.type == ActorType::agent) agents.push_back(entry.actor.id);
    }
    return agents;
}

/// Adds what they are called, in a session of their own data: the sandbox has agents of its own.
void add_agent_names(core::Connection& connection, Scope const& scope, std::vector<Id> const& agents, Names& names) {
    for (auto const& row : connection.execute(kAgentNames, scope.organization, scope.sandbox, agents)) {
        names[{ActorType::agent, core::read<Id>(row[0])}] = core::read<std::string>(row[1]);
    }
}

/// Adds what the actor is called. One whom a reader who is no operator can't know is an operator of the platform, of
/// whom nothing else is told.
void name_actor(AuditEntry& entry, Names const& names, bool to_operator) {
    auto& actor = entry.actor;
    if (actor.type == ActorType::system) {
        actor.name = "System";
        return;
    }
    auto const by = actor.type == ActorType::oauth ? ActorType::user : actor.type;
    auto const found = names.find({by, actor.id});
    if (found != names.end()) {
        actor.name = found->second;
        return;
    }
    if (to_operator || actor.type == ActorType::agent) return;
    actor.name = "Operator";
    static_cast<AuditOrigin&>(entry) = {};
}

}  // namespace

std::span<SortKey const> audit_sorts() { return kSorts; }

std::vector<core::Parameter> audit_filters(AuditFilter const& filter) {
    auto const actor = filter.actorId ? core::to_parameter(filter.actorId->value) : core::Parameter();
    return {filter_parameter(filter.action), actor, filter_parameter(filter.resource), filter_parameter(filter.from),
            filter_parameter(filter.to)};
}

boost::asio::awaitable<core::Result<Page>> audit_page(core::Database& database, core::Database* names, Scope scope,
                                                      PageRequest request, std::vector<core::Parameter> filters) {
    static ListStatements const lists("audit_list", sql::audit_list, kSorts);
    auto page = co_await lists.run(database, scope, std::move(request), std::move(filters));
    if (!page) co_return page;
    auto entries = core::from_stored_json<std::vector<AuditEntry>>(page->rows);
    if (entries.empty()) co_return page;
    bool const to_operator = names != nullptr;
    Scope const live{.organization = to_operator ? 0 : scope.organization, .operator_access = to_operator};
    auto& source = to_operator ? *names : database;
    auto known = co_await source.run(
        [&](core::Connection& connection) { return names_of(connection, live.organization, entries); }, tenant(live));
    if (auto const agents = agents_in(entries); !agents.empty()) {
        auto own = live;
        own.sandbox = scope.sandbox;
        co_await source.run([&](core::Connection& connection) { add_agent_names(connection, own, agents, known); },
                            tenant(own));
    }
    for (auto& entry : entries) name_actor(entry, known, to_operator);
    page->rows = core::to_json(entries);
    if (!page->held.resize(page->rows.size())) co_return refuse_page();
    co_return page;
}

}  // namespace workforce::projections
