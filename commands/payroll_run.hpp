// Commands on payroll runs, and on what comes of their payments.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "core/long_list.hpp"
#include "events/payroll_run.hpp"

namespace workforce::commands {

/// The logs that a run is to pay, by name: as many as it may have.
using NamedTimesheets = core::LongList<Id, events::kMostTimesheetsOfRun>;

/// POST /api/payroll/runs: a draft that pays the logs that are named, or every approved one of the period that no run
/// holds. Errors: PAYROLL_OVERLAP for a regular run whose period another regular draft of the same facility overlaps;
/// TIMESHEET_LOCKED for a named log that is not approved, or held; VALIDATION_ERROR where a person's net is below 0.
struct CreatePayrollRun {
    using Answer = events::PayrollRun;
    core::Nullable<Id> facilityId;
    core::Date periodStart;
    core::Date periodEnd;
    std::optional<core::Date> payDate;
    events::PayrollRunType type = events::PayrollRunType::regular;
    std::optional<NamedTimesheets> timesheetIds;
    std::vector<events::PayrollAdjustment> adjustments;

    static constexpr std::array<std::string_view, 2> kRequired{"periodStart", "periodEnd"};
    void check(core::FieldCheck& fields) const;
};
BOOST_DESCRIBE_STRUCT(CreatePayrollRun, (),
                      (facilityId, periodStart, periodEnd, payDate, type, timesheetIds, adjustments))
Result<Decision> decide(View const& view, CreatePayrollRun const& command, Context const& context);
events::PayrollRun answer(View const& view, CreatePayrollRun const& command, Decision const& decision);

/// PUT or PATCH /api/payroll/runs/{id}, of a draft. `timesheetIds` as GET shows them are no change; null: those of the
/// period that are approved now. Adjustments that the draft has may stay, also of people who were deleted since.
/// Facility and type can't change (VALIDATION_ERROR). Errors: as CreatePayrollRun;
/// INVALID_STATE_TRANSITION.
struct UpdatePayrollRun {
    using Answer = events::PayrollRun;
    Id id = 0;
    std::optional<core::Nullable<Id>> facilityId;
    std::optional<core::Date> periodStart;
    std::optional<core::Date> periodEnd;
    std::optional<core::Date> payDate;
    std::optional<events::PayrollRunType> type;
    std::optional<core::Nullable<NamedTimesheets>> timesheetIds;
    std::optional<std::vector<events::PayrollAdjustment>> adjustments;
};
BOOST_DESCRIBE_STRUCT(UpdatePayrollRun, (),
                      (facilityId, periodStart, periodEnd, payDate, type, timesheetIds, adjustments))
Result<Decision> decide(View const& view, UpdatePayrollRun const& command, Context const& context);
events::PayrollRun answer(View const& view, UpdatePayrollRun const& command, Decision const& decision);

/// DELETE /api/payroll/runs/{id}, of a draft.
struct DeletePayrollRun {
    using Answer = Nothing;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(DeletePayrollRun, (), ())
Result<Decision> decide(View const& view, DeletePayrollRun const& command, Context const& context);

/// POST /api/payroll/runs/{id}/cancel, of a draft or of one that failed: its logs are free for another run. One that is
/// processing only where the provider took back the very attempt that it is at, of which no payment was settled.
struct CancelPayrollRun {
    using Answer = events::PayrollRun;
    Id id = 0;
    std::int64_t recalled = 0;  ///< the attempt that the provider took back; 0: none. No part of the input
};
BOOST_DESCRIBE_STRUCT(CancelPayrollRun, (), ())
Result<Decision> decide(View const& view, CancelPayrollRun const& command, Context const& context);
events::PayrollRun answer(View const& view, CancelPayrollRun const& command, Decision const& decision);

/// POST /api/payroll/runs/{id}/approve, of a draft or of one that failed: it is processing from then on, with payments
/// for its people, and waits to be submitted. Errors: PAYROLL_EMPTY; INVALID_STATE_TRANSITION, also for one that is
/// processing.
struct ApprovePayrollRun {
    using Answer = events::PayrollRun;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(ApprovePayrollRun, (), ())
Result<Decision> decide(View const& view, ApprovePayrollRun const& command, Context const& context);
events::PayrollRun answer(View const& view, ApprovePayrollRun const& command, Decision const& decision);

/// Of the installation: the provider has the attempt under that id. A repeat is nothing, and so is what is told of an
/// attempt that another one followed. It is told of payments that were settled before, too.
struct RecordPayrollSubmission {
    using Answer = events::PayrollRun;
    Id id = 0;
    std::int64_t attempt = 0;
    core::Text<1, 200> externalPayrollId;
};
BOOST_DESCRIBE_STRUCT(RecordPayrollSubmission, (), (attempt, externalPayrollId))
Result<Decision> decide(View const& view, RecordPayrollSubmission const& command, Context const& context);
events::PayrollRun answer(View const& view, RecordPayrollSubmission const& command, Decision const& decision);

/// Of the installation: the provider refused the attempt for good, and the run failed. A repeat is nothing, and so is
/// what is told of an attempt that another one followed. Errors: INVALID_STATE_TRANSITION once the provider has it.
struct RecordPayrollRefusal {
    using Answer = events::PayrollRun;
    Id id = 0;
    std::int64_t attempt = 0;
    core::LongText reason;
};
BOOST_DESCRIBE_STRUCT(RecordPayrollRefusal, (), (attempt, reason))
Result<Decision> decide(View const& view, RecordPayrollRefusal const& command, Context const& context);
events::PayrollRun answer(View const& view, RecordPayrollRefusal const& command, Decision const& decision);

/// What came of one payment.
struct PaymentOutcome {
    Id paymentId = 0;
    events::PaymentStatus status = events::PaymentStatus::paid;  ///< or failed
    core::Nullable<core::ShortText> externalPaymentId;
    core::LongText failureReason;
};
BOOST_DESCRIBE_STRUCT(PaymentOutcome, (), (paymentId, status, externalPaymentId, failureReason))

/// Of the installation: what the provider says of up to events::kPaymentsOfEvent payments of an attempt. One that was
/// settled before stays as it was; with the last one the run is paid, partially paid or failed. What is told of an
/// attempt that another one followed is nothing. Errors: VALIDATION_ERROR for payments that are not the run's, for
/// other states than paid and failed, and for too many; INVALID_STATE_TRANSITION for a run that waits for no payment.
struct SettlePayments {
    using Answer = events::PayrollRun;
    Id id = 0;
    std::int64_t attempt = 0;
    std::vector<PaymentOutcome> payments;
};
BOOST_DESCRIBE_STRUCT(SettlePayments, (), (attempt, payments))
Result<Decision> decide(View const& view, SettlePayments const& command, Context const& context);
events::PayrollRun answer(View const& view, SettlePayments const& command, Decision const& decision);

/// Of the clock: these logs, which runs hold that were paid in whole or in part, are marked as paid; those of payments
/// that failed are free for another run. Other logs are passed over. The last settlement does so with the first
/// events::kPaymentsOfEvent logs of its run.
struct MarkTimesheetsPaid {
    using Answer = Nothing;
    std::vector<Id> ids;
};
BOOST_DESCRIBE_STRUCT(MarkTimesheetsPaid, (), ())
Result<Decision> decide(View const& view, MarkTimesheetsPaid const& command, Context const& context);

/// TIMESHEET_LOCKED where a run holds the log.
Result<void> require_unheld(View const& view, Id timesheet);

}  // namespace workforce::commands
