// The declaration of read.sandbox, and what lies in a sandbox.
#include "projections/sandbox/sandboxes.hpp"

#include "projections/sql.hpp"

namespace workforce::projections {

SandboxRows const& sandboxes() {
    static SandboxRows const model = SandboxRows::declare("sandbox").seen_at("t.id = ANY ($facilities)");
    return model;
}

boost::asio::awaitable<SandboxContent> sandbox_content(core::Database& database, Scope scope) {
    static ScopedStatement const statement("sandbox_content", sql::sandbox_content);
    auto const chosen = statement.of(scope);
    auto const context = tenant(scope);
    co_return co_await database.run(
        [chosen, context, facility = scope.facilities.at(0)](core::Connection& connection) {
            auto const row = connection.execute(chosen, context.organization, context.sandbox, facility).at(0);
            SandboxContent content;
            content.counts = {.staff = core::read<std::int64_t>(row["staff"]),
                              .shift = core::read<std::int64_t>(row["shift"]),
                              .lead = core::read<std::int64_t>(row["lead"])};
            if (!row["doc"].is_null())
                content.last_reset = core::from_stored_json<events::Sandbox>(core::read_view(row["doc"]));
            return content;
        },
        context);
}

}  // namespace workforce::projections
