// How events of timesheets fold: the one definition, for the write side's memory and for read models.
#include "events/timesheet.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {
namespace {

void move_to(TimesheetRecord& log, TimesheetStatus status) {
    log.status = status;
    log.rejectionReason = {};
    log.approvedBy = {};
    log.approvedAt = {};
}

void open(TimesheetRecord& log, TimesheetOpened const& opened) {
    static_cast<TimesheetPlace&>(log) = opened;
    log.date = opened.date;
    log.clockIn = opened.clockIn;
    log.notes = opened.notes;
    log.internals.holderErased = opened.notes.erased;
}

void submit(TimesheetRecord& log, TimesheetSubmitted const& submitted) {
    static_cast<TimesheetPlace&>(log) = submitted;
    static_cast<TimesheetTime&>(log) = submitted;
    static_cast<TimesheetPay&>(log) = submitted;
    log.notes = submitted.notes;
    log.internals.holderErased = submitted.notes.erased;
    move_to(log, TimesheetStatus::submitted);
}

void edit(TimesheetRecord& log, TimesheetEdited const& edited) {
    static_cast<TimesheetTime&>(log) = edited;
    static_cast<TimesheetPay&>(log) = edited;
    log.notes = edited.notes;
    move_to(log, edited.status);
}

void approve(TimesheetRecord& log, TimesheetApproved const& approved, Envelope const& meta) {
    static_cast<TimesheetPay&>(log) = approved;
    move_to(log, TimesheetStatus::approved);
    log.approvedAt = meta.time;
    if (meta.actor.user != 0) log.approvedBy = meta.actor.user;
}

}  // namespace

void evolve(TimesheetRecord& timesheet, TimesheetEvent const& event, Envelope const& meta) {
    auto& log = timesheet;
    std::visit(Overloaded{[&](TimesheetOpened const& e) { open(log, e); },
                          [&](TimesheetSubmitted const& e) { submit(log, e); },
                          [&](TimesheetEdited const& e) { edit(log, e); },
                          [&](TimesheetRecalculated const& e) { static_cast<TimesheetPay&>(log) = e; },
                          [&](TimesheetApproved const& e) { approve(log, e, meta); },
                          [&](TimesheetRejected const& e) {
                              move_to(log, TimesheetStatus::rejected);
                              log.rejectionReason = e.reason;
                          },
                          [&](TimesheetUnapproved const&) { move_to(log, TimesheetStatus::submitted); },
                          [&](TimesheetVoided const&) { move_to(log, TimesheetStatus::void_); },
                          [&](TimesheetHolderErased const&) {
                              erase_personal(static_cast<TimesheetStanding&>(log));
                              log.internals.holderErased = true;
                          },
                          [&](TimesheetDeleted const&) { log.deleted = true; },
                          [&](TimesheetPaid const& e) {
                              log.status = TimesheetStatus::paid;
                              log.payrollRunId = e.payrollRunId;
                          }},
               event);
    stamp(timesheet, meta);
}

template struct DataCodec<TimesheetEvent>;

}  // namespace workforce::events
