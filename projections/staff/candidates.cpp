// The statements behind the ranking of people for a shift.
#include "projections/staff/candidates.hpp"

#include <optional>
#include <unordered_map>
#include <utility>

#include "projections/engine/statements.hpp"
#include "projections/sql.hpp"
#include "projections/staff/staff.hpp"

namespace workforce::projections {
namespace {

Candidate candidate_of(pqxx::row const& row) {
    Candidate candidate;
    candidate.staff = core::read<Id>(row["id"]);
    candidate.has_specialty = core::read<bool>(row["has_specialty"]);
    if (!row["max_weekly_hours"].is_null()) {
        candidate.max_weekly_hours =
            core::from_stored_json<core::Decimal<0, 168>>(core::read_view(row["max_weekly_hours"]));
    }
    candidate.last_name_key = core::read<std::string>(row["last_name_key"]);
    candidate.weekly =
        core::from_stored_json<events::StaffInternals>(core::read_view(row["internals"])).availability.blocks;
    return candidate;
}

PlannedTime planned_time_of(pqxx::row const& row) {
    return {core::read<Id>(row["id"]), core::read<Id>(row["facility_id"]),
            core::read<core::Timestamp>(row["starts_at"]), core::read<core::Timestamp>(row["ends_at"])};
}

ApprovedTimeOff time_off_of(pqxx::row const& row) {
    return {core::read<Id>(row["id"]), core::read<core::Timestamp>(row["starts_at"]),
            core::read<core::Timestamp>(row["ends_at"])};
}

events::Credential verified_credential_of(pqxx::row const& row) {
    events::Credential credential;
    credential.type = core::parse_enum<events::StaffCredentialType>(core::read_view(row["type"])).value();
    credential.status = events::CredentialStatus::verified;
    credential.name = core::read<std::string>(row["name"]);
    credential.expiresOn.value = core::read<std::optional<core::Date>>(row["expires_on"]);
    return credential;
}

}  // namespace

boost::asio::awaitable<std::vector<Candidate>> find_candidates(core::Database& database, Scope scope,
                                                               CandidateQuery query) {
    static ScopedStatement const people("staff_candidates", sql::staff_candidates);
    static ScopedStatement const time("staff_planned_time", sql::staff_planned_time);
    static ScopedStatement const off("staff_time_off", sql::staff_time_off);
    static ScopedStatement const shown("staff_verified_credentials", sql::staff_verified_credentials);
    auto const context = tenant(scope);
    auto read = [people = people.of(scope), time = time.of(scope), off = off.of(scope), shown = shown.of(scope),
                 context, query = std::move(query)](core::Connection& connection) {
        std::vector<Candidate> candidates;
        std::vector<Id> ids;
        std::unordered_map<Id, std::size_t> place;
        for (auto const& row :
             connection.execute(people, context.organization, context.sandbox, query.facility, query.specialty)) {
            candidates.push_back(candidate_of(row));
            ids.push_back(candidates.back().staff);
            place.emplace(ids.back(), candidates.size() - 1);
        }
        auto const each = [&](auto const& rows, auto add) {
            for (auto const& row : rows) {
                auto const whose = place.find(core::read<Id>(row["staff_id"]));
                if (whose != place.end()) add(candidates[whose->second], row);
            }
        };
        each(connection.execute(time, context.organization, context.sandbox, query.from, query.to, ids),
             [](Candidate& person, auto const& row) { person.planned.push_back(planned_time_of(row)); });
        each(connection.execute(off, context.organization, context.sandbox, query.starts, query.ends, ids),
             [](Candidate& person, auto const& row) { person.away.push_back(time_off_of(row)); });
        if (!query.with_credentials) return candidates;
        each(connection.execute(shown, context.organization, context.sandbox, ids),
             [](Candidate& person, auto const& row) { person.credentials.push_back(verified_credential_of(row)); });
        return candidates;
    };
    co_return co_await database.run(std::move(read), context);
}

boost::asio::awaitable<core::Result<StaffDocuments>> find_staff_documents(core::Database& database, Scope scope,
                                                                          std::vector<Id> ids, PageRoom room) {
    static ScopedStatement const statement("staff_documents",
                                           with_fragments(sql::staff_documents, {{"document", kStaffDocument}}));
    auto const context = tenant(scope);
    auto read = [chosen = statement.of(scope), context, ids = std::move(ids),
                 room](core::Connection& connection) mutable -> core::Result<StaffDocuments> {
        auto held = take_room(room);
        if (!held) return tl::unexpected(held.error());
        StaffDocuments found;
        std::size_t bytes = 0;
        for (auto const& row : connection.execute(chosen, context.organization, context.sandbox, ids,
                                                  static_cast<std::int64_t>(room.most))) {
            found.docs.emplace_back(core::read<Id>(row["id"]), core::read<std::string>(row["doc"]));
            bytes += found.docs.back().second.size();
        }
        found.held = *std::move(held);
        if (!found.held.resize(bytes)) return refuse_page();  // the first document, of any size
        return found;
    };
    co_return co_await database.run(std::move(read), context);
}

}  // namespace workforce::projections
