// Payroll runs as queries see them.
#pragma once

#include "events/payroll_run.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// What a list of runs is narrowed to (domain 3.5). `from` and `to` are inclusive dates that the period meets.
struct PayrollRunFilter : ChangeFilter {
    std::optional<std::vector<events::PayrollRunStatus>> status{};
    std::optional<core::Date> from{};
    std::optional<core::Date> to{};
};
BOOST_DESCRIBE_STRUCT(PayrollRunFilter, (ChangeFilter), (status, from, to))

using PayrollRunRows = ReadModel<events::PayrollRunRecord, PayrollRunFilter>;

/// read.payroll_run.
PayrollRunRows const& payroll_runs();

/// What the logs that a run holds come to, for each person, in the order of their ids. Errors: as of all queries.
boost::asio::awaitable<std::vector<events::PaymentAmounts>> logged_amounts(core::Database& database, Scope scope,
                                                                           Id run);

}  // namespace workforce::projections
