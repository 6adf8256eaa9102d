// Payroll runs and the payments that they make (domain 1.7), their events, and how they fold. A run is one stream:
// what happens to its payments is told in events of some hundred payments each. What somebody says of a person is
// Personal, and lies in events that are sealed under that person's key.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "events/index.hpp"
#include "events/resource.hpp"

namespace workforce::events {

enum class PayrollRunType : std::uint8_t { regular, off_cycle };
BOOST_DESCRIBE_ENUM(PayrollRunType, regular, off_cycle)
enum class PayrollRunStatus : std::uint8_t { draft, processing, paid, partially_paid, failed, cancelled };
BOOST_DESCRIBE_ENUM(PayrollRunStatus, draft, processing, paid, partially_paid, failed, cancelled)
enum class AdjustmentKind : std::uint8_t { bonus, deduction, reimbursement };
BOOST_DESCRIBE_ENUM(AdjustmentKind, bonus, deduction, reimbursement)
enum class PaymentStatus : std::uint8_t { pending, processing, paid, failed, cancelled };
BOOST_DESCRIBE_ENUM(PaymentStatus, pending, processing, paid, failed, cancelled)
enum class PaymentMethod : std::uint8_t { direct_deposit, check, external };
BOOST_DESCRIBE_ENUM(PaymentMethod, direct_deposit, check, external)

/// Amounts of money: without a sign, and with one.
using PayAmount = core::Decimal<0, 10'000'000'000>;
using SignedAmount = core::Decimal<-10'000'000'000, 10'000'000'000>;

/// A run pays for no more logs.
inline constexpr std::size_t kMostTimesheetsOfRun = 10'000;
/// So many ids of them are shown.
inline constexpr std::size_t kShownTimesheets = 1'000;
/// An event tells of no more payments or logs.
inline constexpr std::size_t kPaymentsOfEvent = 500;

/// The id of a run's payment by its number, which counts from 1: no other payment ever has it, and it tells its run.
inline constexpr Id kPaymentsOfRun = 100'000;
constexpr Id payment_id(Id run, std::size_t number) { return run * kPaymentsOfRun + static_cast<Id>(number); }
constexpr Id run_of_payment(Id payment) { return payment / kPaymentsOfRun; }
constexpr std::size_t number_of_payment(Id payment) { return static_cast<std::size_t>(payment % kPaymentsOfRun); }

/// Where its people work, and the organization's currency when it was drawn up; fixed.
struct PayrollRunPlace {
    core::Nullable<Id> facilityId;
    std::string currency;
};
BOOST_DESCRIBE_STRUCT(PayrollRunPlace, (), (facilityId, currency))

/// The days whose work it pays, both included, and the day on which it does.
struct PayrollPeriod {
    core::Date periodStart;
    core::Date periodEnd;
    core::Date payDate;
};
BOOST_DESCRIBE_STRUCT(PayrollPeriod, (), (periodStart, periodEnd, payDate))

/// What somebody gets besides the worth of their time, or has taken off it.
struct PayrollAmount {
    Id staffId = 0;
    AdjustmentKind kind = AdjustmentKind::bonus;
    core::Decimal<0, 1'000'000> amount;
};
BOOST_DESCRIBE_STRUCT(PayrollAmount, (), (staffId, kind, amount))

struct PayrollAdjustment : PayrollAmount {
    core::Personal<core::LongText> note;

    static constexpr std::array<std::string_view, 3> kRequired{"staffId", "kind", "amount"};
};
BOOST_DESCRIBE_STRUCT(PayrollAdjustment, (PayrollAmount), (note))

struct PayrollTotals {
    std::int64_t staffCount = 0;
    std::int64_t regularMinutes = 0;
    std::int64_t overtimeMinutes = 0;
    PayAmount grossAmount;
    SignedAmount adjustmentAmount;
    PayAmount netAmount;
};
BOOST_DESCRIBE_STRUCT(PayrollTotals, (),
                      (staffCount, regularMinutes, overtimeMinutes, grossAmount, adjustmentAmount, netAmount))

/// What a run pays, besides its adjustments. `timesheetIds` are the first kShownTimesheets of them.
struct PayrollContent {
    std::vector<Id> timesheetIds;
    std::int64_t timesheetCount = 0;
    std::vector<PayrollAdjustment> adjustments;
    PayrollTotals totals;
};
BOOST_DESCRIBE_STRUCT(PayrollContent, (), (timesheetIds, timesheetCount, adjustments, totals))

struct PayrollStanding {
    PayrollRunType type = PayrollRunType::regular;
    PayrollRunStatus status = PayrollRunStatus::draft;
    core::Nullable<std::string> externalPayrollId;  ///< of the provider, once it has the run
    core::Nullable<Id> approvedBy;                  ///< user id; null where no user stands behind the credential
    core::Nullable<Timestamp> approvedAt;
    std::string failureReason;
};
BOOST_DESCRIBE_STRUCT(PayrollStanding, (), (type, status, externalPayrollId, approvedBy, approvedAt, failureReason))

struct PayrollRun : Identified, PayrollRunPlace, PayrollPeriod, PayrollStanding, PayrollContent, Stamped {};
BOOST_DESCRIBE_STRUCT(PayrollRun,
                      (Identified, PayrollRunPlace, PayrollPeriod, PayrollStanding, PayrollContent, Stamped), ())

/// What a person gets of a run, out of their logs and adjustments.
struct PaymentAmounts {
    Id staffId = 0;
    PayAmount grossAmount;
    SignedAmount adjustmentAmount;
    PayAmount netAmount;
    std::int64_t regularMinutes = 0;
    std::int64_t overtimeMinutes = 0;
};
BOOST_DESCRIBE_STRUCT(PaymentAmounts, (),
                      (staffId, grossAmount, adjustmentAmount, netAmount, regularMinutes, overtimeMinutes))

/// A payment as it was made; fixed.
struct PaymentFacts : Identified, PaymentAmounts {
    Id payrollRunId = 0;
    core::Nullable<Id> facilityId;  ///< the run's
    std::string currency;
    PaymentMethod method = PaymentMethod::direct_deposit;
    Timestamp createdAt;
};
BOOST_DESCRIBE_STRUCT(PaymentFacts, (Identified, PaymentAmounts),
                      (payrollRunId, facilityId, currency, method, createdAt))

/// What came of a payment.
struct PaymentStanding {
    PaymentStatus status = PaymentStatus::pending;
    core::Nullable<std::string> externalPaymentId;
    std::string failureReason;
    core::Nullable<Timestamp> paidAt;
    Timestamp updatedAt;
};
BOOST_DESCRIBE_STRUCT(PaymentStanding, (), (status, externalPaymentId, failureReason, paidAt, updatedAt))

/// What a run pays to a person: one payment for each.
struct Payment : PaymentFacts, PaymentStanding {};
BOOST_DESCRIBE_STRUCT(Payment, (PaymentFacts, PaymentStanding), ())

/// A run as somebody drew it up: with all its logs, and its adjustments without their notes.
struct PayrollDraft : PayrollPeriod {
    std::vector<Id> timesheetIds;
    std::vector<PayrollAmount> adjustments;
    PayrollTotals totals;
};
BOOST_DESCRIBE_STRUCT(PayrollDraft, (PayrollPeriod), (timesheetIds, adjustments, totals))

struct PayrollRunCreated : PayrollRunPlace, PayrollDraft {
    static constexpr std::string_view kType = "payroll_run.created";
    static constexpr std::int32_t kVersion = 1;
    PayrollRunType type = PayrollRunType::regular;
};
BOOST_DESCRIBE_STRUCT(PayrollRunCreated, (PayrollRunPlace, PayrollDraft), (type))

/// All that can change of it, as it is now; notes follow in events of their own.
struct PayrollRunUpdated : PayrollDraft {
    static constexpr std::string_view kType = "payroll_run.updated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(PayrollRunUpdated, (PayrollDraft), ())

/// What an adjustment is for; `adjustment` counts them from 0.
struct PayrollRunNoted {
    static constexpr std::string_view kType = "payroll_run.noted";
    static constexpr std::int32_t kVersion = 1;
    std::int64_t adjustment = 0;
    core::Personal<core::LongText> note;
    core::Internal<std::string> sealedFor;  ///< "staff/42"
};
BOOST_DESCRIBE_STRUCT(PayrollRunNoted, (), (adjustment, note, sealedFor))

struct PaymentMade : PaymentAmounts {
    Id paymentId = 0;
};
BOOST_DESCRIBE_STRUCT(PaymentMade, (PaymentAmounts), (paymentId))

/// Payments of the run, in the order of their persons' ids. They come with its first approval.
struct PayrollRunPaymentsCreated {
    static constexpr std::string_view kType = "payroll_run.payments_created";
    static constexpr std::int32_t kVersion = 1;
    std::string currency;
    std::vector<PaymentMade> payments;
};
BOOST_DESCRIBE_STRUCT(PayrollRunPaymentsCreated, (), (currency, payments))

/// It is for the provider now, and all its payments are. Attempts count from 1; the provider's idempotency key is
/// `pr_<run>_<attempt>`.
struct PayrollRunApproved {
    static constexpr std::string_view kType = "payroll_run.approved";
    static constexpr std::int32_t kVersion = 1;
    std::int64_t attempt = 1;
};
BOOST_DESCRIBE_STRUCT(PayrollRunApproved, (), (attempt))

/// The provider has it. `status` is what subscribers are told: that it is processing.
struct PayrollRunSubmitted {
    static constexpr std::string_view kType = "payroll_run.submitted";
    static constexpr std::int32_t kVersion = 1;
    std::int64_t attempt = 1;
    std::string externalPayrollId;
    PayrollRunStatus status = PayrollRunStatus::processing;
};
BOOST_DESCRIBE_STRUCT(PayrollRunSubmitted, (), (attempt, externalPayrollId, status))

struct PaymentSettled {
    Id paymentId = 0;
    PaymentStatus status = PaymentStatus::paid;  ///< or failed
    core::Nullable<std::string> externalPaymentId;
};
BOOST_DESCRIBE_STRUCT(PaymentSettled, (), (paymentId, status, externalPaymentId))

/// What came of payments.
struct PayrollRunPaymentsSettled {
    static constexpr std::string_view kType = "payroll_run.payments_settled";
    static constexpr std::int32_t kVersion = 1;
    std::vector<PaymentSettled> payments;
};
BOOST_DESCRIBE_STRUCT(PayrollRunPaymentsSettled, (), (payments))

/// Why a payment failed, as the provider says.
struct PayrollRunPaymentExplained {
    static constexpr std::string_view kType = "payroll_run.payment_explained";
    static constexpr std::int32_t kVersion = 1;
    Id paymentId = 0;
    core::Personal<core::LongText> reason;
    core::Internal<std::string> sealedFor;  ///< "staff/42"
};
BOOST_DESCRIBE_STRUCT(PayrollRunPaymentExplained, (), (paymentId, reason, sealedFor))

/// All its payments were made.
struct PayrollRunPaid {
    static constexpr std::string_view kType = "payroll_run.paid";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(PayrollRunPaid, (), ())

/// Some of its payments were made, and none is under way.
struct PayrollRunPartiallyPaid {
    static constexpr std::string_view kType = "payroll_run.partially_paid";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(PayrollRunPartiallyPaid, (), ())

/// None of its payments was made: the provider refused the run, or each of them failed.
struct PayrollRunFailed {
    static constexpr std::string_view kType = "payroll_run.failed";
    static constexpr std::int32_t kVersion = 1;
    std::int64_t attempt = 1;
    std::string reason;
    bool refused = false;  ///< the whole run; payments wait for another attempt
};
BOOST_DESCRIBE_STRUCT(PayrollRunFailed, (), (attempt, reason, refused))

struct PayrollRunCancelled {
    static constexpr std::string_view kType = "payroll_run.cancelled";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(PayrollRunCancelled, (), ())

struct PayrollRunDeleted {
    static constexpr std::string_view kType = "payroll_run.deleted";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(PayrollRunDeleted, (), ())

/// It holds these logs no more: they are paid, or free for another run where their payments failed.
struct PayrollRunTimesheetsReleased {
    static constexpr std::string_view kType = "payroll_run.timesheets_released";
    static constexpr std::int32_t kVersion = 1;
    std::vector<Id> timesheetIds;
};
BOOST_DESCRIBE_STRUCT(PayrollRunTimesheetsReleased, (), (timesheetIds))

/// Somebody was erased: what was said of them is gone, the sums stay.
struct PayrollRunPersonErased {
    static constexpr std::string_view kType = "payroll_run.person_erased";
    static constexpr std::int32_t kVersion = 1;
    Id staffId = 0;
};
BOOST_DESCRIBE_STRUCT(PayrollRunPersonErased, (), (staffId))

using PayrollRunEvent =
    std::variant<PayrollRunCreated, PayrollRunUpdated, PayrollRunNoted, PayrollRunPaymentsCreated, PayrollRunApproved,
                 PayrollRunSubmitted, PayrollRunPaymentsSettled, PayrollRunPaymentExplained, PayrollRunPaid,
                 PayrollRunPartiallyPaid, PayrollRunFailed, PayrollRunCancelled, PayrollRunDeleted,
                 PayrollRunTimesheetsReleased, PayrollRunPersonErased>;

/// What callers don't see of a run. Of its payments, in the order of their numbers: whose they are in
/// `paymentStaffIds`, and what came of them in `settled`, a character each.
struct PayrollInternals {
    std::int64_t attempt = 0;
    std::int64_t submitted = 0;  ///< the attempt of which the provider's id is known
    Id createdBy = 0;            ///< user id
    std::vector<Id> paymentStaffIds;
    std::string settled;

    static constexpr char kOpen = 'o';
    static constexpr char kPaid = 'p';
    static constexpr char kFailed = 'f';
};
BOOST_DESCRIBE_STRUCT(PayrollInternals, (), (attempt, submitted, createdBy, paymentStaffIds, settled))

/// What a run is found by besides what callers see; each has a column of its own.
struct PayrollHoldings {
    std::vector<Id> heldTimesheetIds;  ///< that no other run may pay, in order
    std::vector<Id> toldOfStaffIds;    ///< people of whom a note or reason speaks
    bool closed = false;               ///< nothing is open, and nothing held
};
BOOST_DESCRIBE_STRUCT(PayrollHoldings, (), (heldTimesheetIds, toldOfStaffIds, closed))

struct PayrollRunRecord : PayrollRun, PayrollHoldings {
    static constexpr Kind kKind = Kind::payroll_run;
    PayrollInternals internals;
    bool deleted = false;
};
BOOST_DESCRIBE_STRUCT(PayrollRunRecord, (PayrollRun, PayrollHoldings), (internals, deleted))
inline PayrollRun const& resource_of(PayrollRunRecord const& record) { return record; }

/// What a retry of a command is answered, where that is not the run as it is: without notes, for each is sealed under
/// its person's key, and an answer that is kept has one key.
std::optional<PayrollRun> answer_for_retries(PayrollRun const& run);

/// The run that holds a log.
struct RunHolding : Index<Kind::payroll_run, Each<&PayrollHoldings::heldTimesheetIds>> {
    static constexpr bool kDeleted = false;
};
/// The organization's runs that are drafts, under way or failed, or hold logs still: `closed` is false.
struct OpenRuns : Index<Kind::payroll_run, Value<&PayrollRun::organizationId>, Value<&PayrollHoldings::closed>> {
    static constexpr bool kDeleted = false;
};
/// Runs with notes or reasons about a person.
struct RunsTellingOf : Index<Kind::payroll_run, Each<&PayrollHoldings::toldOfStaffIds>> {};
/// Those of a facility in its sandbox.
struct RunsOfFacility : OfFacility<Kind::payroll_run, Value<&PayrollRun::facilityId>> {};

/// Events that leave both lists as they are: their ten thousand entries are not compared.
inline constexpr Id kNoElement = -1;
inline Id only_element(PayrollRunPaymentsCreated const&) { return kNoElement; }
inline Id only_element(PayrollRunApproved const&) { return kNoElement; }
inline Id only_element(PayrollRunSubmitted const&) { return kNoElement; }
inline Id only_element(PayrollRunPaymentsSettled const&) { return kNoElement; }

/// Folds one event into the run.
void evolve(PayrollRunRecord& run, PayrollRunEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::payroll_run> : Declared<PayrollRunRecord, PayrollRunEvent> {
    using Indexes = boost::mp11::mp_list<RunHolding, OpenRuns, RunsTellingOf, RunsOfFacility>;
    using Deleted = PayrollRunDeleted;
};

}  // namespace workforce::events
