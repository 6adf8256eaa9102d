// Who changed what of users, keys and organizations.
#include <algorithm>

#include "operations/declare.hpp"
#include "operations/words/words.hpp"
#include "projections/audit/audit.hpp"

namespace workforce::operations {

template <>
inline constexpr core::Id kLeastId<projections::AuditActor> = 0;

/// What else there is to tell depends on the entry.
template <>
struct ApiSchema<projections::AuditMetadata> {
    static void write(core::JsonWriter& w, Side, Components&) {
        w.member("type", "object");
        w.member("additionalProperties", true);
    }
};

template <>
struct ApiExample<projections::AuditEntry> {
    static void write(core::JsonWriter& w, Side, projections::AuditEntry const&) {
        w.raw(R"({"id":1024,"action":"USER_UPDATED","actor":{"type":"user","id":1,"name":"Ada Byron"},)"
              R"("organizationId":1,"facilityId":null,"resource":"user:2",)"
              R"("requestId":"req_0198a3c2-0f5e-7c41-9d6b-2f1c0e8a7b35",)"
              R"("changes":{"role":{"from":"viewer","to":"scheduler"}},)"
              R"("metadata":{"event":"user.updated","operation":"users.update","channel":"rest"},)"
              R"("createdAt":"2026-07-24T10:00:00.000Z","ip":"192.0.2.1","userAgent":"curl/8.5"})");
    }
};

namespace {

using AuditQuery = ListQuery<projections::AuditFilter>;

boost::asio::awaitable<Outcome> list_entries(Call& call) {
    auto input = read_query<AuditQuery>(call.input.parameters).map([](AuditQuery query) {
        if (!query.sort) query.sort = core::Text<1, 100>("-createdAt");
        return ListInput{query, projections::audit_filters(query)};
    });
    // A page of one organization is read as its own people read it, but for who acted there.
    auto* const names = call.caller->across_organizations ? &call.services.operators : nullptr;
    auto page = [names](core::Database& database, projections::Scope scope, projections::PageRequest request,
                        std::vector<core::Parameter> filters) {
        return projections::audit_page(database, names, std::move(scope), std::move(request), std::move(filters));
    };
    return get_list(call, PageSource(page), std::move(input));
}

}  // namespace

std::vector<Operation> audit_log_operations() {
    using enum net::Method;
    auto row = query_with<projections::AuditEntry, AuditQuery>("audit_log.list", "List what was audited, newest first",
                                                               list_entries);
    row.description =
        "Returns a page of who did what to users, keys, organizations, webhooks and rules, newest first, with where "
        "the request came from.";
    row.answer = &page_of<projections::AuditEntry>;
    row.answer_example = &page_example<projections::AuditEntry>;
    row.reads = {projections::audit_projection().name, core::enum_name(events::Kind::facility)};
    for (auto& parameter : row.parameters) {
        if (parameter.name != "sort") continue;
        for (auto const& key : projections::audit_sorts()) {
            parameter.values.emplace_back("-" + std::string(key.name));
            parameter.values.emplace_back(key.name);
        }
    }
    return {std::move(row).needs("audit.view").at(get, "/api/audit-log")};
}

std::vector<StructWords> audit_log_words() {
    return {
        {{"AuditFilter"},
         {{"action", "Only these, such as API_KEY_ROTATED"},
          {"actorId", "Only by this user or key; 0: by the system"},
          {"resource", "Only of this, as kind:id, or of all of a kind"},
          {"from", "From this instant (RFC 3339) or day in UTC on"},
          {"to", "Until this instant or day in UTC, included"}}},
        {{"AuditRecord"},
         {{"id", "Names the entry; newer ones have higher ids"},
          {"action", "What was done, such as API_KEY_ROTATED"},
          {"actor", "Who did it"},
          {"organizationId", "The organization where it was done"},
          {"facilityId", "Facility that it concerns; null: none, or several"},
          {"resource", "What it was done to, as kind:id"},
          {"requestId", "The request that did it"},
          {"changes", "Fields that changed, each with from and to"},
          {"metadata", "What else there is to tell; open"},
          {"createdAt", "When it was done (UTC)"}}},
        {{"AuditOrigin"},
         {{"ip", "Address that the request came from; null: unknown, or kept no more"},
          {"userAgent", "Program that sent it, as it says itself; null: as ip"}}},
        {{"AuditActor"},
         {{"type", "Sort of who acted"},
          {"id", "The user who signed in, or the key; 0: the system"},
          {"name", "Full name, or the key's"}}},
    };
}

}  // namespace workforce::operations
