// The declaration of read.payroll_run.
#include "projections/payroll_runs/payroll_runs.hpp"

#include "projections/sql.hpp"

namespace workforce::projections {

PayrollRunRows const& payroll_runs() {
    static PayrollRunRows const model =
        PayrollRunRows::declare("payroll_run")
            .called("payroll run")
            .seen_at("t.facility_id = ANY ($facilities)")
            .shown_if("NOT t.deleted")
            .column("facility_id", [](auto const& run) { return run.facilityId; })
            .column("deleted", [](auto const& run) { return run.deleted; })
            .column("closed", [](auto const& run) { return run.closed; })
            .column("status", [](auto const& run) { return run.status; })
            .column("period_start", [](auto const& run) { return run.periodStart; })
            .column("period_end", [](auto const& run) { return run.periodEnd; })
            .column("held_timesheet_ids", [](auto const& run) { return run.heldTimesheetIds; })
            .column("told_of_staff_ids", [](auto const& run) { return run.toldOfStaffIds; })
            .json("internals", [](auto const& run) -> auto const& { return run.internals; })
            .filter<&PayrollRunFilter::status>("t.status = ANY ($status)")
            .filter<&PayrollRunFilter::from>("t.period_end >= $from")
            .filter<&PayrollRunFilter::to>("t.period_start <= $to")
            .stamped()
            .sort("periodStart", "period_start")
            .sort("createdAt", "created_at");
    return model;
}

boost::asio::awaitable<std::vector<events::PaymentAmounts>> logged_amounts(core::Database& database, Scope scope,
                                                                           Id run) {
    static ScopedStatement const statement("payroll_run_logged", sql::payroll_runs_logged);
    auto const chosen = statement.of(scope);
    auto const context = tenant(scope);
    co_return co_await database.run(
        [chosen, context, run](core::Connection& connection) {
            std::vector<events::PaymentAmounts> amounts;
            for (auto const& row : connection.execute(chosen, context.organization, context.sandbox, run)) {
                events::PaymentAmounts one;
                one.staffId = core::read<core::Id>(row["staff_id"]);
                one.regularMinutes = core::read<std::int64_t>(row["regular"]);
                one.overtimeMinutes = core::read<std::int64_t>(row["overtime"]);
                one.grossAmount.hundredths = core::read<std::int64_t>(row["gross"]);
                amounts.push_back(one);
            }
            return amounts;
        },
        context);
}

}  // namespace workforce::projections
