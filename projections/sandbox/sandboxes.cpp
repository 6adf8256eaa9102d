// The declaration of read.sandbox, and what lies in a sandbox.
#include "projections/sandbox/sandboxes.hpp"

#include <fmt/format.h>

#include "events/catalogue.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

constexpr std::string_view kTenant =
    "/*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/"
    " AND t.is_sandbox AND NOT t.deleted";
constexpr std::string_view kOneFacility = "cardinality(t.facility_ids) = 1 AND t.facility_ids[1] = $3";

/// Whether a row of the kind is of one facility by a list of them.
template <class I>
constexpr bool kByList = boost::mp11::mp_front<typename I::Key>::kOf == events::PartOf::only_element;

/// The part of content.sql that counts rows of the kind.
template <events::Kind K>
std::string count_text() {
    using Indexes = events::FacilityIndexes<K>;
    if constexpr (boost::mp11::mp_empty<Indexes>::value) {
        return fmt::format(
            "SELECT '{0}' AS kind, count(*) AS count, NULL AS doc FROM read.staff t JOIN read.{0} c ON "
            "c.organization_id = t.organization_id"
            " AND c.is_sandbox = t.is_sandbox AND c.staff_id = t.id WHERE {1} AND {2} AND NOT c.deleted"
            " HAVING count(*) > 0 UNION ALL\n",
            core::enum_name(K), kTenant, kOneFacility);
    } else {
        return fmt::format(
            "SELECT '{0}' AS kind, count(*) AS count, NULL AS doc FROM read.{0} t WHERE {1} AND {2} HAVING count(*) > "
            "0 UNION ALL\n",
            core::enum_name(K), kTenant, kByList<boost::mp11::mp_front<Indexes>> ? kOneFacility : "t.facility_id = $3");
    }
}

}  // namespace

std::string sandbox_content_text() {
    std::string kinds;
    events::for_each_kind<events::StatefulKinds>([&]<class K>(events::Kind, K) {
        if constexpr (events::kIsCounted<K::value>) kinds += count_text<K::value>();
    });
    return with_fragments(sql::sandbox_content, {{"kinds", kinds}});
}

SandboxRows const& sandboxes() {
    static SandboxRows const model = SandboxRows::declare("sandbox").revision(3).seen_at("t.id = ANY ($facilities)");
    return model;
}

boost::asio::awaitable<SandboxContent> sandbox_content(core::Database& database, Scope scope) {
    static ScopedStatement const statement("sandbox_content", sandbox_content_text());
    auto const chosen = statement.of(scope);
    auto const context = tenant(scope);
    co_return co_await database.run(
        [chosen, context, facility = scope.facilities.at(0)](core::Connection& connection) {
            SandboxContent content;
            for (auto const& row : connection.execute(chosen, context.organization, context.sandbox, facility)) {
                auto const kind = core::read_view(row["kind"]);
                if (kind == "sandbox")
                    content.last_reset = core::from_stored_json<events::Sandbox>(core::read_view(row["doc"]));
                else
                    content.counts.value.emplace(kind, core::read<std::int64_t>(row["count"]));
            }
            return content;
        },
        context);
}

boost::asio::awaitable<std::optional<core::Id>> only_facility(core::Database& database, Scope scope) {
    static ScopedStatement const statement("only_facility", sql::sandbox_only_facility);
    auto const chosen = statement.of(scope);
    auto const context = tenant(scope);
    co_return co_await database.run(
        [chosen, context](core::Connection& connection) -> std::optional<core::Id> {
            auto const rows = connection.execute(chosen, context.organization, context.sandbox);
            if (rows.size() != 1) return std::nullopt;
            return core::read<core::Id>(rows[0][0]);
        },
        context);
}

}  // namespace workforce::projections
