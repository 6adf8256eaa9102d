// The table of the data set's timesheets, and the events of these and of its payroll runs.
#include "commands/sandbox_pay.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands/payroll_states.hpp"
#include "commands/shift_times.hpp"
#include "commands/work_week.hpp"
#include "events/shift.hpp"
#include "events/staff.hpp"

namespace workforce::commands {
namespace {

using events::Kind;
using events::TimesheetStatus;

constexpr int kNoShift = -1;

/// A log of the data set: of a shift that was worked, or of a day of eight hours.
struct LogRow {
    TimesheetStatus status;
    int person;  ///< of the data set's staff
    int day;     ///< from the day of the reset on, of a log without a shift
    int shift = kNoShift;
};
constexpr std::array kLogs{
    LogRow{TimesheetStatus::paid, 0, -17},        LogRow{TimesheetStatus::paid, 1, -16},
    LogRow{TimesheetStatus::paid, 2, -15},        LogRow{TimesheetStatus::approved, 6, -2, 10},
    LogRow{TimesheetStatus::approved, 1, -3, 11}, LogRow{TimesheetStatus::approved, 2, -4, 12},
    LogRow{TimesheetStatus::submitted, 0, -1, 9}, LogRow{TimesheetStatus::submitted, 3, -5},
    LogRow{TimesheetStatus::rejected, 5, -6},
};
static_assert(kLogs.size() == kDataSetTimesheets);
static_assert(kLogs[kSubmittedLog].status == TimesheetStatus::submitted &&
              kLogs[kSubmittedLog].shift == static_cast<int>(kShiftOfSubmittedLog));
static_assert(std::ranges::any_of(kLogs, [](LogRow const& row) {
    return row.status == TimesheetStatus::approved && row.shift == static_cast<int>(kShiftOfApprovedLog);
}));

/// Days before the reset that the runs are of, the last one included.
struct RunRow {
    TimesheetStatus of;
    int first;
    int last;
};
constexpr RunRow kPaidRun{TimesheetStatus::paid, -20, -14};
constexpr RunRow kDraftRun{TimesheetStatus::approved, -7, -1};

/// The event of that type with which a row of the data set began.
template <class E>
E const& beginning(std::vector<NewEvent> const& events, events::AggregateRef const& subject) {
    auto const found = std::ranges::find_if(
        events, [&](NewEvent const& event) { return event.subject == subject && events::is<E>(event.data); });
    return events::get<E>(found->data);
}

core::Date data_set_day(DataSetInput const& input, int from_today) { return {input.today.days + from_today}; }

events::TimesheetRecord log_of(DataSetInput const& input, std::size_t number, std::vector<NewEvent> const& events) {
    auto const& row = kLogs[number];
    events::TimesheetRecord log;
    log.id = input.id(Kind::timesheet, number);
    log.staffId = input.id(Kind::staff, row.person);
    log.facilityId = input.facility;
    log.status = row.status;
    log.rate = beginning<events::StaffOnboarded>(events, {Kind::staff, log.staffId}).hourlyRate;
    log.date = data_set_day(input, row.day);
    auto span = span_of(log.date, {7 * 60}, {15 * 60}, input.timezone).value();
    if (row.shift != kNoShift) {
        auto const shift = input.id(Kind::shift, row.shift);
        auto const& posted = beginning<events::ShiftPosted>(events, {Kind::shift, shift});
        log.shiftId = shift;
        log.rate = posted.rate;
        span = posted;
    }
    log.clockIn = span.startsAt;
    log.clockOut = span.endsAt;
    log.workedMinutes = worked_minutes(log);
    log.grossAmount = gross_of(log.rate, log.workedMinutes, 0, {100});
    return log;
}

void add_log(events::TimesheetRecord const& log, std::vector<NewEvent>& events) {
    auto const sealed = to_string(events::AggregateRef{Kind::staff, log.staffId});
    auto const add = [&](events::TimesheetEvent event) {
        events.push_back({{Kind::timesheet, log.id}, log.facilityId, std::move(event)});
    };
    add(events::TimesheetSubmitted{log, log, log, {sealed}, {}});
    if (log.status == TimesheetStatus::rejected) {
        add(events::TimesheetRejected{{sealed}, core::LongText("The break is missing")});
    } else if (log.status != TimesheetStatus::submitted) {
        add(events::TimesheetApproved{log, log, log.date, log.workedMinutes});
    }
}

/// What the logs come to for each person: nobody of the data set has two in a run.
std::vector<events::PaymentMade> payments_of_logs(std::vector<events::TimesheetRecord const*> logs, Id run) {
    std::ranges::sort(logs, {}, [](auto const* log) { return log->staffId; });
    std::vector<events::PaymentMade> payments;
    for (auto const* log : logs) {
        events::PaymentAmounts amounts;
        amounts.staffId = log->staffId;
        amounts.grossAmount.hundredths = log->grossAmount.hundredths;
        amounts.netAmount = amounts.grossAmount;
        amounts.regularMinutes = log->workedMinutes;
        payments.push_back({amounts, events::payment_id(run, payments.size() + 1)});
    }
    return payments;
}

events::PayrollDraft draft_of(DataSetInput const& input, RunRow const& row,
                              std::vector<events::TimesheetRecord const*> const& logs) {
    events::PayrollDraft draft;
    static_cast<events::PayrollPeriod&>(draft) = {data_set_day(input, row.first), data_set_day(input, row.last),
                                                  data_set_day(input, row.last + 5)};
    draft.totals.staffCount = std::ssize(logs);
    for (auto const* log : logs) {
        draft.timesheetIds.push_back(log->id);
        draft.totals.regularMinutes += log->workedMinutes;
        draft.totals.grossAmount.hundredths += log->grossAmount.hundredths;
    }
    std::ranges::sort(draft.timesheetIds);
    draft.totals.netAmount = draft.totals.grossAmount;
    return draft;
}

/// Adds the approval of the run and all that came of it.
void add_payment_of(DataSetInput const& input, Id run, std::vector<events::TimesheetRecord const*> const& logs,
                    std::vector<NewEvent>& events) {
    auto const add = [&](events::PayrollRunEvent event) {
        events.push_back(run_event(run, input.facility, std::move(event)));
    };
    auto const payments = payments_of_logs(logs, run);
    events::PayrollRunPaymentsSettled settled;
    for (auto const& payment : payments) {
        settled.payments.push_back({payment.paymentId, events::PaymentStatus::paid,
                                    core::Nullable<std::string>(fmt::format("sim_pay_{}", payment.paymentId))});
    }
    add(events::PayrollRunPaymentsCreated{input.currency, payments});
    add(events::PayrollRunApproved{1});
    add(events::PayrollRunSubmitted{1, fmt::format("sim_pr_{}", run), events::PayrollRunStatus::processing});
    add(std::move(settled));
    add(events::PayrollRunPaid{});
    events::PayrollRunTimesheetsReleased released;
    for (auto const* log : logs) {
        released.timesheetIds.push_back(log->id);
        events.push_back(
            {{Kind::timesheet, log->id}, input.facility, events::TimesheetEvent(events::TimesheetPaid{run})});
    }
    add(std::move(released));
}

}  // namespace

void add_pay(DataSetInput const& input, std::vector<NewEvent>& events) {
    std::vector<events::TimesheetRecord> logs;
    for (std::size_t i = 0; i < kLogs.size(); ++i) logs.push_back(log_of(input, i, events));
    for (auto const& log : logs) add_log(log, events);
    auto const draw_up = [&](Id run, RunRow const& row) {
        std::vector<events::TimesheetRecord const*> paid;
        for (auto const& log : logs) {
            if (log.status == row.of) paid.push_back(&log);
        }
        events.push_back(run_event(
            run, input.facility,
            events::PayrollRunCreated{
                {input.facility, input.currency}, draft_of(input, row, paid), events::PayrollRunType::regular}));
        return paid;
    };
    auto const paid = input.id(Kind::payroll_run);
    add_payment_of(input, paid, draw_up(paid, kPaidRun), events);
    draw_up(input.id(Kind::payroll_run, 1), kDraftRun);
}

}  // namespace workforce::commands
