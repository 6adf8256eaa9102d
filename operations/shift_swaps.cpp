// Two people who change places on their shifts: one asks, the other agrees, and who plans shifts approves.
#include "commands/shift_swap_request.hpp"

#include <algorithm>
#include <iterator>

#include "operations/assigning.hpp"
#include "operations/declare.hpp"
#include "operations/words/words.hpp"
#include "projections/shift_swaps/shift_swaps.hpp"

namespace workforce::operations {
namespace {

using events::Kind;

/// What the swap itself refuses with, and these.
std::vector<core::Code> swap_refusals(std::vector<core::Code> codes) {
    using enum core::Code;
    codes.insert(codes.end(), {duplicate_resource, timesheet_exists, shift_full});
    return assignment_refusals(std::move(codes));
}

/// What people say to a swap that they take part in.
std::vector<Operation> peer_operations() {
    using enum net::Method;
    return {
        command<commands::AcceptShiftSwap>("shift_swaps.accept", "Agree to a shift swap")
            .says("Agrees to change places, by the peer alone; then a planner decides. Refused where a shift has begun "
                  "or closed, or somebody is no longer on theirs.")
            .needs("scheduling.edit")
            .or_own("scheduling.request")
            .on(Kind::shift_swap)
            .at(post, "/api/shift-swaps/{id:int}/accept"),
        command<commands::DeclineShiftSwap>("shift_swaps.decline", "Decline a shift swap")
            .says("Declines to change places, by the peer alone, while nobody has decided; also after they agreed.")
            .needs("scheduling.edit")
            .or_own("scheduling.request")
            .on(Kind::shift_swap)
            .at(post, "/api/shift-swaps/{id:int}/decline"),
    };
}

/// What planners decide, and how a request is given up.
std::vector<Operation> decision_operations() {
    using enum net::Method;
    return {
        command<commands::ApproveShiftSwap>("shift_swaps.approve", "Approve a shift swap")
            .says("Approves a swap that the peer agreed to and carries it out as {shifts.swap} does, by all that holds "
                  "now. Returns the request with both shifts and warnings. Nobody but an admin approves a swap that "
                  "they take part in.")
            .refuses(swap_refusals({core::Code::self_approval_forbidden}))
            .needs("scheduling.edit")
            .on(Kind::shift_swap)
            .at(post, "/api/shift-swaps/{id:int}/approve"),
        command<commands::RejectShiftSwap>("shift_swaps.reject", "Reject a shift swap")
            .says("Rejects a pending request, whether the peer agreed or not, and says why.")
            .needs("scheduling.edit")
            .on(Kind::shift_swap)
            .at(post, "/api/shift-swaps/{id:int}/reject"),
        command<commands::CancelShiftSwap>("shift_swaps.cancel", "Cancel a shift swap")
            .says("Gives a pending request up. Who may not plan shifts cancels what they requested.")
            .needs("scheduling.edit")
            .or_own("scheduling.request")
            .on(Kind::shift_swap)
            .at(post, "/api/shift-swaps/{id:int}/cancel"),
    };
}

}  // namespace

std::vector<Operation> shift_swap_operations() {
    using enum net::Method;
    using projections::shift_swaps;
    std::vector<Operation> all{
        list<shift_swaps>("shift_swaps.list", "List shift swaps")
            .says("Returns a page of requests to change places on shifts, pending and decided, the earliest first. "
                  "Narrow it by status, person or shift, on either side.")
            .needs("scheduling.view")
            .reaches_own_rows()
            .at(get, "/api/shift-swaps"),
        one<shift_swaps>("shift_swaps.get", "Read a shift swap")
            .says("Returns one request to change places on shifts, and what came of it.")
            .needs("scheduling.view")
            .reaches_own_rows()
            .at(get, "/api/shift-swaps/{id:int}"),
        command<commands::RequestShiftSwap>("shift_swaps.create", "Ask for a shift swap")
            .says(
                "Asks a peer to change places on two shifts and returns the request, which waits for the peer, with "
                "warnings. Who may not plan shifts asks for themselves. Refused where {shifts.swap} would refuse, and "
                "where either stands with that shift in another pending request.")
            .refuses(swap_refusals({}))
            .needs("scheduling.edit")
            .or_own("scheduling.request")
            .creates(Kind::shift_swap)
            .about_named(Kind::shift, "shiftId")
            .at(post, "/api/shift-swaps"),
    };
    std::ranges::move(peer_operations(), std::back_inserter(all));
    std::ranges::move(decision_operations(), std::back_inserter(all));
    return all;
}

std::vector<StructWords> shift_swap_words() {
    return {
        {{"shift-swaps/"}, {{"id", "The request's id, from {shift_swaps.list}"}}},
        {{"ShiftSwapSides"},
         {{"shiftId", "Shift that the requester leaves"},
          {"staffId", "The requester, who is on shiftId"},
          {"otherShiftId", "Shift that the peer leaves"},
          {"otherStaffId", "The peer, who is on otherShiftId"}}},
        {{"RequestShiftSwap"},
         {{"shiftId", "Shift that the requester leaves, an id from {shifts.list}"},
          {"otherShiftId", "Shift that the peer leaves; of a facility where you work"},
          {"otherStaffId", "The peer, who is on otherShiftId"},
          {"staffId", "The requester, who is on shiftId, an id from {staff.list}; you where it is not given"}}},
        {{"ShiftSwapPlace"}, {{"facilityId", "Facility of shiftId"}}},
        {{"ShiftSwapStanding"},
         {{"status", "Where it stands"},
          {"decidedBy", "User who approved, rejected or declined it; null: nobody, or a key without one"},
          {"decidedAt", "When that was; null: it was not"},
          {"rejectReason", "Why it was rejected; else empty"}}},
        {{"ShiftSwapAnswer"}, {{"warnings", "Rules that the swap would break without being refused; absent: none"}}},
        {{"ApprovedShiftSwap"},
         {{"shifts", "shiftId and otherShiftId as they are now"},
          {"filled", "Whether this filled one of the shifts"},
          {"warnings", "Rules that the swap broke without being refused"}}},
        {{"RejectShiftSwap"}, {{"reason", "Why not; requester and peer read it"}}},
        {{"ShiftSwapFilter"},
         {{"status", "Only what stands so"},
          {"staffId", "Only of this person, on either side, an id from {staff.list}"},
          {"shiftId", "Only about this shift, on either side, an id from {shifts.list}"}}},
        {{"ShiftSwapStatus"},
         {{"",
           "pending_peer: the peer has not answered; pending_approval: they agreed, nobody has decided; declined: by "
           "the peer; rejected: by a planner; cancelled: given up; expired: it can't happen any more"}}},
    };
}

}  // namespace workforce::operations
