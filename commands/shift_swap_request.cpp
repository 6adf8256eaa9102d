// Rules of shift swap requests (decision 145).
#include "commands/shift_swap_request.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

#include "commands/shift_states.hpp"
#include "commands/shift_swap.hpp"
#include "commands/staff.hpp"

namespace workforce::commands {
namespace {

using events::ShiftRecord;
using events::ShiftStatus;
using events::ShiftSwapRecord;
using events::ShiftSwapStatus;

constexpr std::string_view kShiftSwap = "shift swap";

NewEvent swap_event(Id id, Id facility, events::ShiftSwapEvent event) {
    return {{events::Kind::shift_swap, id}, facility, std::move(event)};
}

template <class Event>
Decision swap_decision(ShiftSwapRecord const& record, Event event) {
    static_cast<events::ShiftSwapSides&>(event) = record;
    return {{swap_event(record.id, record.facilityId, std::move(event))}, {}};
}

bool is_pending(ShiftSwapRecord const& record) {
    return record.status == ShiftSwapStatus::pending_peer || record.status == ShiftSwapStatus::pending_approval;
}

/// The commands that the state permits, as details.allowed lists them.
std::vector<std::string> allowed(ShiftSwapStatus status) {
    if (status == ShiftSwapStatus::pending_peer) return {"accept", "decline", "reject", "cancel"};
    if (status == ShiftSwapStatus::pending_approval) return {"approve", "decline", "reject", "cancel"};
    return {};
}

tl::unexpected<core::Problem> refuse_swap_move(ShiftSwapRecord const& record, std::string_view command,
                                               std::string const& reason = {}) {
    auto permitted = allowed(record.status);
    std::erase(permitted, command);
    return invalid_transition(kShiftSwap, core::enum_name(record.status), command, permitted, reason);
}

SwapStaff swap_of(events::ShiftSwapSides const& sides) {
    return {sides.shiftId, sides.staffId, sides.otherShiftId, sides.otherStaffId};
}

bool contains_id(std::vector<Id> const& ids, Id id) { return std::ranges::find(ids, id) != ids.end(); }

/// Whether the person is on the shift, or was when it was cancelled.
bool is_or_was_on(ShiftRecord const& record, Id staff) {
    bool const cancelled = record.shift.status == ShiftStatus::cancelled;
    return contains_id(cancelled ? record.formerStaffIds : record.shift.assignedStaffIds, staff);
}

/// Whether somebody could be swapped onto the shift and off it: it is ahead.
bool is_ahead(events::Shift const& shift, Timestamp now) {
    return (shift.status == ShiftStatus::open || shift.status == ShiftStatus::assigned) && shift.startsAt > now;
}

/// Whether one side of a swap can still happen.
bool side_stands(View const& view, Id shift, Id staff, Timestamp now) {
    auto const* record = view.get<ShiftRecord>(shift);
    return record && !record->deleted && is_ahead(record->shift, now) &&
           contains_id(record->shift.assignedStaffIds, staff);
}

bool both_stand(View const& view, events::ShiftSwapSides const& sides, Timestamp now) {
    return side_stands(view, sides.shiftId, sides.staffId, now) &&
           side_stands(view, sides.otherShiftId, sides.otherStaffId, now);
}

/// Errors: INVALID_STATE_TRANSITION where the swap can't happen any more.
Result<void> require_both_stand(View const& view, ShiftSwapRecord const& record, std::string_view command,
                                Timestamp now) {
    Requirements(view).rows<ShiftRecord>(std::array{record.shiftId, record.otherShiftId}).require();
    if (both_stand(view, record, now)) return {};
    return refuse_swap_move(record, command, "one of the shifts has begun or closed, or lost its person");
}

bool is_side_of(ShiftSwapRecord const& record, Id staff) {
    return staff != 0 && (record.staffId == staff || record.otherStaffId == staff);
}

/// Whether a person acts on what is their own, wherever that is.
bool is_unbound(Context const& context) { return context.own_only && acts_as_person(context); }

/// The request that a command is about, where the caller sees it. Errors: NOT_FOUND.
Result<ShiftSwapRecord const*> find_swap(View const& view, Id id, Context const& context) {
    auto const* record = view.get<ShiftSwapRecord>(id);
    bool const seen = record && !record->deleted && (!context.own_only || is_side_of(*record, context.staff)) &&
                      (is_unbound(context) || context.reaches(record->facilityId));
    if (!seen) return not_found(kShiftSwap, id);
    return record;
}

/// The request that asks the caller. Errors: NOT_FOUND for everybody else, whether they see it or not.
Result<ShiftSwapRecord const*> find_asking(View const& view, Id id, Context const& context) {
    auto const* record = view.get<ShiftSwapRecord>(id);
    bool const asked = record && !record->deleted && context.staff != 0 && record->otherStaffId == context.staff &&
                       (acts_as_person(context) || context.reaches(record->facilityId));
    if (asked) return record;
    return refuse(Code::not_found, "No shift swap " + std::to_string(id) + " asks you.");
}

/// The shifts of a request.
struct SwapShifts {
    ShiftRecord const* own = nullptr;
    ShiftRecord const* other = nullptr;
};

/// The shift of one side, of a caller who asks for themselves alone: whatever they may not know of looks as if it were
/// not there.
Result<ShiftRecord const*> own_side(View const& view, Id shift, Id staff, events::StaffRecord const& requester,
                                    Context const& context) {
    auto const* record = view.get<ShiftRecord>(shift);
    bool const known = record && !record->deleted && is_or_was_on(*record, staff) &&
                       (is_unbound(context) || context.reaches(record->shift.facilityId)) &&
                       (staff == requester.id || works_at(requester, record->shift.facilityId));
    if (!known) return not_found("shift", shift);
    return record;
}

Result<ShiftRecord const*> planner_side(View const& view, Id shift, Id staff, Context const& context) {
    auto const* record = visible_shift(view, shift, context);
    if (!record) return not_found("shift", shift);
    if (is_or_was_on(*record, staff)) return record;
    return refuse(Code::not_found,
                  "Staff member " + std::to_string(staff) + " is not assigned to shift " + std::to_string(shift) + ".");
}

/// Errors: NOT_FOUND; INVALID_STATE_TRANSITION of a shift that has begun or closed.
Result<SwapShifts> shifts_of(View const& view, SwapStaff const& swap, events::StaffRecord const& requester,
                             Context const& context) {
    SwapShifts found;
    for (auto const& [id, staff, side] : {std::tuple{swap.shiftIdA, swap.staffIdA, &found.own},
                                          std::tuple{swap.shiftIdB, swap.staffIdB, &found.other}}) {
        auto const record =
            context.own_only ? own_side(view, id, staff, requester, context) : planner_side(view, id, staff, context);
        if (!record) return tl::unexpected(record.error());
        *side = *record;
    }
    for (auto const* record : {found.own, found.other}) {
        auto const& shift = record->shift;
        bool const open = shift.status == ShiftStatus::open || shift.status == ShiftStatus::assigned;
        if (!is_ahead(shift, context.now)) return refuse_move(shift, "swap", open ? "it has begun" : "");
    }
    return found;
}

/// DUPLICATE_RESOURCE where a person of the swap stands with their shift in another pending request, on either side.
/// The caller is told of which where they see it.
Result<void> require_no_pending(View const& view, SwapStaff const& swap, Context const& context) {
    std::vector<ShiftSwapRecord const*> pending;
    Requirements questions(view);
    for (auto const& [shift, staff] :
         {std::pair{swap.shiftIdA, swap.staffIdA}, std::pair{swap.shiftIdB, swap.staffIdB}}) {
        questions.ask([&] {
            std::ranges::copy(view.by<events::PendingSwapsOfRequester>(shift, staff), std::back_inserter(pending));
        });
        questions.ask(
            [&] { std::ranges::copy(view.by<events::PendingSwapsOfPeer>(shift, staff), std::back_inserter(pending)); });
    }
    questions.require();
    if (pending.empty()) return {};
    constexpr std::string_view kMessage =
        "One of the people stands with their shift in another request that is pending.";
    constexpr std::string_view kSuggestion = "Wait until that one is decided, or have it cancelled.";
    std::ranges::sort(pending, {}, &ShiftSwapRecord::id);
    for (auto const* record : pending) {
        if (!find_swap(view, record->id, context)) continue;
        core::JsonWriter details;
        details.begin_object();
        details.member("existingId", record->id);
        details.end_object();
        return refuse(Code::duplicate_resource, std::string(kMessage), details.take(), std::string(kSuggestion));
    }
    return refuse(Code::duplicate_resource, std::string(kMessage), {}, std::string(kSuggestion));
}

/// Takes from findings what the requester may not learn of the peer: all that warns, and of what blocks all but its
/// code.
void hide_peer(std::vector<Finding>& findings, Id peer) {
    std::erase_if(findings, [&](Finding const& finding) {
        return finding.violation.staffId == peer && finding.level != events::RuleLevel::block;
    });
    for (auto& finding : findings) {
        if (finding.violation.staffId != peer) continue;
        finding.violation.message = "A rule of assignments keeps the other person from the shift.";
        finding.violation.shiftId.reset();
    }
}

/// The rules that the swap would break now and that only warn. Errors: as plan_swap(), and the first blocking rule's
/// code.
Result<std::vector<Violation>> swap_warnings(View const& view, SwapStaff const& swap, SwapShifts const& shifts,
                                             Context const& context) {
    auto judging = context;
    if (is_unbound(context)) judging.facilities.clear();  // the requester's own shifts may be anywhere
    auto planned = plan_swap(view, shifts.own->shift, shifts.other->shift, swap, judging);
    if (!planned && context.own_only && planned.error().code == Code::timesheet_exists) {
        return refuse(Code::timesheet_exists, "Somebody has logged work on one of the shifts.");
    }
    if (!planned) return tl::unexpected(planned.error());
    if (context.own_only) {
        for (auto& placement : planned->placements) hide_peer(placement.findings, swap.staffIdB);
    }
    auto decision = carry_out(*std::move(planned));
    if (!decision) return tl::unexpected(decision.error());
    return std::move(decision->warnings);
}

events::ShiftSwap shown_swap(View const& view, Id id) { return *view.get<ShiftSwapRecord>(id); }

}  // namespace

void RequestShiftSwap::check(core::FieldCheck& fields) const {
    if (fields.sound("shiftId") && fields.sound("otherShiftId") && shiftId == otherShiftId)
        fields.fail("otherShiftId", "differs", "must differ from shiftId");
    if (fields.sound("staffId") && fields.sound("otherStaffId") && staffId == otherStaffId)
        fields.fail("otherStaffId", "differs", "must differ from staffId");
}

Result<Decision> decide(View const& view, RequestShiftSwap const& command, Context const& context) {
    auto const staff = command.staffId.value_or(context.staff);
    if (staff == 0 && context.own_only)
        return refuse(Code::not_found, "You are no staff member, so that no shift is yours.");
    if (staff == 0) return invalid_field("staffId", "required", "must name the staff member who is on shiftId");
    if (staff == command.otherStaffId) return invalid_field("otherStaffId", "differs", "must be somebody else");
    events::ShiftSwapSides const sides{command.shiftId, staff, command.otherShiftId, command.otherStaffId};
    auto const swap = swap_of(sides);
    require_swap(view, swap, context.now);
    auto const* requester = reached_person(view, staff, context);
    if (!requester) return not_found("staff member", staff);
    auto const shifts = shifts_of(view, swap, *requester, context);
    if (!shifts) return tl::unexpected(shifts.error());
    if (auto alone = require_no_pending(view, swap, context); !alone) return tl::unexpected(alone.error());
    auto warnings = swap_warnings(view, swap, *shifts, context);
    if (!warnings) return tl::unexpected(warnings.error());
    auto const facility = shifts->own->shift.facilityId;
    return Decision{{swap_event(context.new_ids.at(0), facility, events::ShiftSwapRequested{{facility}, sides})},
                    *std::move(warnings)};
}
ShiftSwapAnswer answer(View const& view, RequestShiftSwap const&, Decision const& decision) {
    return {shown_swap(view, decision.events.at(0).subject.id),
            decision.warnings.empty() ? std::nullopt : std::optional(decision.warnings)};
}

Result<Decision> decide(View const& view, AcceptShiftSwap const& command, Context const& context) {
    auto const found = find_asking(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& record = **found;
    if (record.status == ShiftSwapStatus::pending_approval) return Decision{};
    if (record.status != ShiftSwapStatus::pending_peer) return refuse_swap_move(record, "accept");
    auto const live = require_both_stand(view, record, "accept", context.now);
    if (!live) return tl::unexpected(live.error());
    return swap_decision(record, events::ShiftSwapAccepted{});
}
events::ShiftSwap answer(View const& view, AcceptShiftSwap const& command, Decision const&) {
    return shown_swap(view, command.id);
}

Result<Decision> decide(View const& view, DeclineShiftSwap const& command, Context const& context) {
    auto const found = find_asking(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& record = **found;
    if (record.status == ShiftSwapStatus::declined) return Decision{};
    if (!is_pending(record)) return refuse_swap_move(record, "decline");
    return swap_decision(record, events::ShiftSwapDeclined{});
}
events::ShiftSwap answer(View const& view, DeclineShiftSwap const& command, Decision const&) {
    return shown_swap(view, command.id);
}

Result<Decision> decide(View const& view, ApproveShiftSwap const& command, Context const& context) {
    auto const found = find_swap(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& record = **found;
    auto const swap = swap_of(record);
    require_swap(view, swap, context.now);
    for (Id const id : {record.shiftId, record.otherShiftId}) {
        auto const* shift = view.get<ShiftRecord>(id);
        if (!shift || !context.reaches(shift->shift.facilityId)) return not_found("shift", id);
    }
    if (record.status == ShiftSwapStatus::approved) return Decision{};
    if (record.status != ShiftSwapStatus::pending_approval) return refuse_swap_move(record, "approve");
    if (decides_on_own(record.staffId, context) || decides_on_own(record.otherStaffId, context)) {
        return refuse(Code::self_approval_forbidden, "Nobody but an admin approves a swap that they take part in.");
    }
    auto const live = require_both_stand(view, record, "approve", context.now);
    if (!live) return tl::unexpected(live.error());
    auto planned = plan_swap(view, view.get<ShiftRecord>(record.shiftId)->shift,
                             view.get<ShiftRecord>(record.otherShiftId)->shift, swap, context);
    if (!planned) return tl::unexpected(planned.error());
    auto swapped = carry_out(*std::move(planned));
    if (!swapped) return tl::unexpected(swapped.error());
    auto decision = swap_decision(record, events::ShiftSwapApproved{});
    std::ranges::move(swapped->events, std::back_inserter(decision.events));
    decision.warnings = std::move(swapped->warnings);
    return decision;
}
ApprovedShiftSwap answer(View const& view, ApproveShiftSwap const& command, Decision const& decision) {
    ApprovedShiftSwap result{shown_swap(view, command.id), {}, fills(decision), decision.warnings};
    for (Id const id : {result.shiftId, result.otherShiftId}) {
        auto const* record = view.get<ShiftRecord>(id);
        if (record && !record->deleted) result.shifts.push_back(record->shift);
    }
    return result;
}

Result<Decision> decide(View const& view, RejectShiftSwap const& command, Context const& context) {
    auto const found = find_swap(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& record = **found;
    if (record.status == ShiftSwapStatus::rejected) return Decision{};
    if (!is_pending(record)) return refuse_swap_move(record, "reject");
    events::ShiftSwapRejected rejected;
    rejected.reason = command.reason.value_or(core::LongText{});
    rejected.sealedFor = to_string(events::AggregateRef{events::Kind::staff, record.staffId});
    return swap_decision(record, std::move(rejected));
}
events::ShiftSwap answer(View const& view, RejectShiftSwap const& command, Decision const&) {
    return shown_swap(view, command.id);
}

Result<Decision> decide(View const& view, CancelShiftSwap const& command, Context const& context) {
    auto const found = find_swap(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& record = **found;
    if (context.own_only && record.staffId != context.staff) {
        return refuse(Code::not_found, "You did not request shift swap " + std::to_string(command.id) + ".", {},
                      "Decline it where it asks you.");
    }
    if (record.status == ShiftSwapStatus::cancelled) return Decision{};
    if (!is_pending(record)) return refuse_swap_move(record, "cancel");
    return swap_decision(record, events::ShiftSwapCancelled{});
}
events::ShiftSwap answer(View const& view, CancelShiftSwap const& command, Decision const&) {
    return shown_swap(view, command.id);
}

Result<Decision> decide(View const& view, ExpireShiftSwaps const& command, Context const& context) {
    Requirements(view).rows<ShiftSwapRecord>(command.ids).require();
    std::vector<ShiftSwapRecord const*> pending;
    std::vector<Id> shifts;
    for (Id const id : command.ids) {
        auto const* record = view.get<ShiftSwapRecord>(id);
        if (!record || record->deleted || !is_pending(*record)) continue;
        pending.push_back(record);
        shifts.insert(shifts.end(), {record->shiftId, record->otherShiftId});
    }
    Requirements(view).rows<ShiftRecord>(shifts).require();
    Decision decision;
    for (auto const* record : pending) {
        if (both_stand(view, *record, context.now)) continue;
        std::ranges::move(swap_decision(*record, events::ShiftSwapExpired{}).events,
                          std::back_inserter(decision.events));
    }
    return decision;
}

}  // namespace workforce::commands
