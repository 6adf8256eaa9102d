// The declaration of read.payroll_payment.
#include "projections/payroll_payments/payroll_payments.hpp"

#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

/// Of PaymentStanding.
constexpr std::string_view kPaymentStanding =
    R"(('{"status":"' || t.status)"
    R"( || '","externalPaymentId":' || coalesce(to_json(t.external_payment_id)::text, 'null'))"
    R"( || ',"failureReason":' || to_json(t.failure_reason)::text)"
    R"( || ',"paidAt":' || coalesce('"' || to_char(t.paid_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'))"
    R"( || ',"updatedAt":"' || to_char(t.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}'))";

}  // namespace

PaymentRows const& payroll_payments() {
    static PaymentRows const model(Declaration<events::Payment, PaymentFilter>{
        .spec = {.name = "payroll_payment", .table = "payroll_payment", .noun = "payment"}}
                                       .revision(2)
                                       .beside(kPaymentStanding)
                                       .seen_at("t.facility_id = ANY ($facilities)")
                                       .own_if("t.staff_id = $staff")
                                       .column("created_at", [](auto const& payment) { return payment.createdAt; })
                                       .filter<&PaymentFilter::payrollRunId>("t.payroll_run_id = $payrollRunId")
                                       .filter<&PaymentFilter::staffId>("t.staff_id = $staffId")
                                       .filter<&PaymentFilter::status>("t.status = ANY ($status)")
                                       .filter<&PaymentFilter::from>("t.created_on >= $from")
                                       .filter<&PaymentFilter::to>("t.created_on <= $to")
                                       .filter<&PaymentFilter::updatedSince>("t.updated_at >= $updatedSince")
                                       .sort("createdAt", "created_at"));
    return model;
}

std::vector<core::Parameter> PaymentRows::filters(Filter const& filter) const {
    std::vector<core::Parameter> all;
    for (auto const make : parameters_) all.push_back(make(filter));
    return all;
}

boost::asio::awaitable<std::vector<events::Payment>> payments_of_run(core::Database& database, Scope scope, Id run,
                                                                     std::int64_t most) {
    static ScopedStatement const statement("payroll_payment_of_run", sql::payroll_payments_of_run);
    auto const chosen = statement.of(scope);
    auto const context = tenant(scope);
    co_return co_await database.run(
        [chosen, context, run, most](core::Connection& connection) {
            std::vector<events::Payment> payments;
            for (auto const& row : connection.execute(chosen, context.organization, context.sandbox, run, most)) {
                events::Payment payment;
                static_cast<events::PaymentFacts&>(payment) =
                    core::from_stored_json<events::PaymentFacts>(core::read_view(row["doc"]));
                payment.status = core::parse_enum<events::PaymentStatus>(core::read_view(row["status"])).value();
                payment.externalPaymentId.value = core::read<std::optional<std::string>>(row["external_payment_id"]);
                payment.failureReason = core::read<std::string>(row["failure_reason"]);
                payment.paidAt.value = core::read<std::optional<core::Timestamp>>(row["paid_at"]);
                payment.updatedAt = core::read<core::Timestamp>(row["updated_at"]);
                payments.push_back(std::move(payment));
            }
            return payments;
        },
        context);
}

ProjectionType payroll_payment_projection() {
    auto type = projection_of<payroll_payments>();
    type.kinds = {events::Kind::payroll_run};
    return type;
}

}  // namespace workforce::projections
