// The declaration of read.sandbox, and what lies in a sandbox.
#include "projections/sandbox/sandboxes.hpp"

#include "projections/sql.hpp"

namespace workforce::projections {

SandboxRows const& sandboxes() {
    static SandboxRows const model = SandboxRows::declare("sandbox").revision(2).seen_at("t.id = ANY ($facilities)");
    return model;
}

boost::asio::awaitable<SandboxContent> sandbox_content(core::Database& database, Scope scope) {
    static ScopedStatement const statement("sandbox_content", sql::sandbox_content);
    auto const chosen = statement.of(scope);
    auto const context = tenant(scope);
    co_return co_await database.run(
        [chosen, context, facility = scope.facilities.at(0)](core::Connection& connection) {
            SandboxContent content;
            for (auto const& row : connection.execute(chosen, context.organization, context.sandbox, facility)) {
                auto const kind = core::read_view(row["kind"]);
                if (kind == "sandbox")
                    content.last_reset = core::from_stored_json<events::Sandbox>(core::read_view(row["doc"]));
                boost::mp11::mp_for_each<core::Members<events::SandboxCounts>>([&](auto member) {
                    if (kind == member.name) content.counts.*member.pointer = core::read<std::int64_t>(row["count"]);
                });
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
