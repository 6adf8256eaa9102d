// When people do not work: they ask for it, and who plans shifts decides.
#include "commands/time_off.hpp"

#include "operations/declare.hpp"
#include "operations/words/words.hpp"
#include "projections/time_off/time_off.hpp"

namespace workforce::operations {

std::vector<Operation> time_off_operations() {
    using enum net::Method;
    using events::Kind;
    using projections::time_off;
    return {
        list<time_off>("time_off.list", "List time off")
            .says("Returns a page of time off, asked for and decided, the earliest first. Narrow it by person, status, "
                  "type or days (from, to).")
            .needs("scheduling.view")
            .reaches_own_rows()
            .at(get, "/api/time-off"),
        one<time_off>("time_off.get", "Read a request for time off")
            .says("Returns one request for time off, and what came of it.")
            .needs("scheduling.view")
            .reaches_own_rows()
            .at(get, "/api/time-off/{id:int}"),
        command<commands::RequestTimeOff>("time_off.create", "Ask for time off")
            .says("Asks for days off and returns the request, which is pending. Who may not plan shifts asks for "
                  "themselves. Refused where another request of the person that stands overlaps.")
            .refuses({core::Code::staff_inactive, core::Code::duplicate_resource})
            .needs("scheduling.edit")
            .or_own("scheduling.request")
            .creates(Kind::time_off)
            .about_named(Kind::staff, "staffId")
            .at(post, "/api/time-off"),
        command<commands::ApproveTimeOff>("time_off.approve", "Approve time off")
            .says("Approves pending time off: from then on {shifts.assign} finds STAFF_ON_TIME_OFF. Shifts that the "
                  "person is on stay, and warnings name them. Nobody but an admin approves their own.")
            .refuses({core::Code::self_approval_forbidden})
            .needs("scheduling.edit")
            .on(Kind::time_off)
            .at(post, "/api/time-off/{id:int}/approve"),
        command<commands::DeclineTimeOff>("time_off.decline", "Decline time off")
            .says("Declines pending time off, and says why.")
            .needs("scheduling.edit")
            .on(Kind::time_off)
            .at(post, "/api/time-off/{id:int}/decline"),
        command<commands::CancelTimeOff>("time_off.cancel", "Cancel time off")
            .says("Gives pending time off up, or takes approved time off back. Who may not plan shifts cancels their "
                  "own, "
                  "and nothing approved that has begun.")
            .needs("scheduling.edit")
            .or_own("scheduling.request")
            .on(Kind::time_off)
            .at(post, "/api/time-off/{id:int}/cancel"),
    };
}

std::vector<StructWords> time_off_words() {
    return {
        {{"time-off/"}, {{"id", "The request's id, from {time_off.list}"}}},
        {{"TimeOffHolder"}, {{"staffId", "Who does not work"}}},
        {{"TimeOffDays"},
         {{"type", "Sort of absence"},
          {"startDate", "First day, by the clocks of timezone"},
          {"endDate", "Last day, included; at most 366 days in all"},
          {"startTime", "When it begins on the first day; null: with the day"},
          {"endTime", "When it ends on the last day; null: with the day"}}},
        {{"TimeOffSpan"},
         {{"timezone", "Zone of the days: of the facility where the person works alone, else the organization's"},
          {"startsAt", "When that begins"},
          {"endsAt", "When that ends"}}},
        {{"TimeOffStanding"},
         {{"status", "Where it stands"},
          {"requestedBy", "User who asked for it; null: a key without one"},
          {"decidedBy", "User who approved or declined it; null: nobody, or a key without one"},
          {"decidedAt", "When that was; null: it was not"},
          {"declineReason", "Why it was declined; else empty"}}},
        {{"TimeOffStanding", "RequestTimeOff"}, {{"note", "What whoever decides should know"}}},
        {{"RequestTimeOff"}, {{"staffId", "Who does not work, an id from {staff.list}; you where it is not given"}}},
        {{"TimeOffAnswer"}, {{"warnings", "Shifts of that time that the person is on, and stays on; absent: none"}}},
        {{"DeclineTimeOff"}, {{"reason", "Why not"}}},
        {{"TimeOffFilter"},
         {{"staffId", "Only of this person, an id from {staff.list}"},
          {"status", "Only what stands so"},
          {"type", "Only these sorts"},
          {"from", "First day: what ends before is left out"},
          {"to", "Last day, included: what begins later is left out"}}},
        {{"TimeOffType"}, {{"", "Sort of absence"}}},
        {{"TimeOffStatus"},
         {{"",
           "pending: nobody has decided; approved: no shifts are assigned then; cancelled: given up or taken back"}}},
    };
}

}  // namespace workforce::operations
