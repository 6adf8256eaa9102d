// What a payroll provider says of a run: in its answers, and when it calls back.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.hpp"
#include "core/result.hpp"
#include "core/text.hpp"
#include "events/payroll_run.hpp"

namespace workforce::workers {

/// How a run stands with the provider.
enum class ReportedStatus : std::uint8_t { processing, paid, partially_paid, failed, cancelled };
BOOST_DESCRIBE_ENUM(ReportedStatus, processing, paid, partially_paid, failed, cancelled)

/// How a payment does. What a provider says that nobody knows tells nothing, as `processing` does.
struct ReportedPaymentStatus {
    events::PaymentStatus value = events::PaymentStatus::processing;
    bool known = true;

    friend bool operator==(ReportedPaymentStatus const&, ReportedPaymentStatus const&) = default;
};

/// How one of a run's payments does. `failureReason` is of what failed.
struct ReportedPayment {
    core::Id paymentId = 0;
    ReportedPaymentStatus status;
    core::Nullable<core::ShortText> externalPaymentId;
    core::LongText failureReason;

    static constexpr std::array<std::string_view, 2> kRequired{"paymentId", "status"};
};
BOOST_DESCRIBE_STRUCT(ReportedPayment, (), (paymentId, status, externalPaymentId, failureReason))

/// The most payments that a report may tell of: as many as a run has.
inline constexpr std::size_t kMostReported = events::kMostTimesheetsOfRun;
/// The most bytes that it may have.
inline constexpr std::size_t kMostReport = std::size_t{8} << 20;

/// At most kMostReported of them.
struct ReportedPayments {
    std::vector<ReportedPayment> value;
};

/// A provider's id of a run. It becomes part of addresses.
using ExternalPayrollId = core::Text<1, 200>;

/// How a run stands, and some or all of its payments. A run that is paid or failed without any is so in all of them.
struct PayrollReport {
    ExternalPayrollId externalPayrollId;
    ReportedStatus status = ReportedStatus::processing;
    ReportedPayments payments;

    static constexpr std::array<std::string_view, 2> kRequired{"externalPayrollId", "status"};
};
BOOST_DESCRIBE_STRUCT(PayrollReport, (), (externalPayrollId, status, payments))

/// Reads a report from outside; members that it knows no meaning of are passed over. Errors: VALIDATION_ERROR.
core::Result<PayrollReport> read_report(std::string_view json);

/// A provider's answer to a submission: its id of the run.
core::Result<ExternalPayrollId> read_submission_answer(std::string_view json);
/// The reason that the body of a refusal gives, `{"reason": …}`; of any other body "".
std::string read_refusal(std::string_view json);

}  // namespace workforce::workers

namespace workforce::core {

/// A text; one that nobody knows is kept as "unknown".
template <>
struct JsonType<workers::ReportedPaymentStatus> {
    static void write(JsonWriter& w, workers::ReportedPaymentStatus const& v);
    static void read(JsonValue const& v, workers::ReportedPaymentStatus& out, JsonReader& r);
    static void schema(JsonWriter& w) { JsonType<events::PaymentStatus>::schema(w); }
};

template <>
struct JsonType<workers::ReportedPayments> {
    static void write(JsonWriter& w, workers::ReportedPayments const& v) { write_json(w, v.value); }
    static void read(JsonValue const& v, workers::ReportedPayments& out, JsonReader& r);
    static void schema(JsonWriter& w) { JsonType<std::vector<workers::ReportedPayment>>::schema(w); }
};

}  // namespace workforce::core
