// Payments of payroll runs as queries see them: rows that events of their runs make, several at a time.
#pragma once

#include "events/payroll_run.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// What a list of payments is narrowed to (domain 3.5). `from` and `to` are inclusive dates on which they were made
/// out, in UTC.
struct PaymentFilter : ChangeFilter {
    std::optional<Id> payrollRunId{};
    std::optional<Id> staffId{};
    std::optional<std::vector<events::PaymentStatus>> status{};
    std::optional<core::Date> from{};
    std::optional<core::Date> to{};
};
BOOST_DESCRIBE_STRUCT(PaymentFilter, (ChangeFilter), (payrollRunId, staffId, status, from, to))

/// read.payroll_payment: what is fixed of a payment is its `doc`, what came of it lies in columns.
class PaymentRows final : public AnyReadModel {
   public:
    using Filter = PaymentFilter;
    using Resource = events::Payment;

    explicit PaymentRows(Declaration<events::Payment, PaymentFilter> declared)
        : AnyReadModel(std::move(declared.spec)), parameters_(std::move(declared.parameters)) {}

    /// The parameters of lists() that filters are, in their order.
    [[nodiscard]] std::vector<core::Parameter> filters(Filter const& filter) const;
    [[nodiscard]] std::unique_ptr<Projection> make_projection(RowMemory& memory) const override;

   private:
    std::vector<core::Parameter (*)(Filter const&)> const parameters_;
};
PaymentRows const& payroll_payments();

/// The run's first payments, `most` of them, in the order of their persons. Errors: as of all queries.
boost::asio::awaitable<std::vector<events::Payment>> payments_of_run(core::Database& database, Scope scope, Id run,
                                                                     std::int64_t most);

/// The projection that keeps them.
ProjectionType payroll_payment_projection();

}  // namespace workforce::projections
