// The statement behind the list.
#include "projections/billing/billing.hpp"

#include <utility>

#include "projections/engine/statements.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

BillingRow bill_of(pqxx::row const& row) {
    BillingRow bill;
    bill.id = core::read<Id>(row["id"]);
    bill.organizationId = core::read<Id>(row["organization_id"]);
    bill.requestId = core::read<std::string>(row["request_id"]);
    bill.eventName = core::read<std::string>(row["event_name"]);
    bill.subject.value = core::read<std::optional<std::string>>(row["subject"]);
    bill.identifier = core::read<std::string>(row["identifier"]);
    bill.occurredAt = core::read<core::Timestamp>(row["occurred_at"]);
    bill.status = core::parse_enum<BillingStatus>(core::read<std::string>(row["status"])).value();
    bill.attempts = core::read<std::int64_t>(row["attempts"]);
    bill.nextAttemptAt.value = core::read<std::optional<core::Timestamp>>(row["due_at"]);
    if (auto error = core::read<std::string>(row["last_error"]); !error.empty()) bill.lastError = std::move(error);
    return bill;
}

}  // namespace

boost::asio::awaitable<std::vector<BillingRow>> billing_rows(core::Database& operators, Scope scope,
                                                             BillingFilter filter, std::optional<Id> before, int most) {
    static ScopedStatement const statement("billing_rows", sql::billing_rows);
    scope.operator_access = true;
    auto const chosen = statement.of(scope);
    core::Parameter standing;
    if (filter.status) {
        std::vector<std::string_view> names;
        for (auto const each : *filter.status) names.push_back(core::enum_name(each));
        standing = core::array_literal(names);
    }
    auto const context = tenant(scope);
    co_return co_await operators.run(
        [chosen, context, standing, before, most](core::Connection& connection) {
            std::vector<BillingRow> all;
            for (auto const& row : connection.execute(chosen, context.organization, before, standing, most)) {
                all.push_back(bill_of(row));
            }
            return all;
        },
        context);
}

}  // namespace workforce::projections
