// Rules of claims (decision 143).
#include "commands/shift_claim.hpp"

#include <array>
#include <tuple>

#include "commands/staff.hpp"
#include "events/facility.hpp"

namespace workforce::commands {
namespace {

using events::ShiftClaimRecord;
using events::ShiftClaimStatus;
using events::ShiftClaimSubject;

constexpr std::string_view kClaim = "shift claim";

NewEvent claim_event(Id id, ShiftClaimSubject const& subject, events::ShiftClaimEvent event) {
    return {{events::Kind::shift_claim, id}, subject.facilityId, std::move(event)};
}

Decision claim_decision(ShiftClaimRecord const& claim, events::ShiftClaimEvent event) {
    return {{claim_event(claim.id, claim, std::move(event))}, {}};
}

tl::unexpected<core::Problem> refuse_claim_move(ShiftClaimRecord const& claim, std::string_view command) {
    bool const pending = claim.status == ShiftClaimStatus::pending;
    std::vector<std::string> allowed;
    if (pending) allowed = {"approve", "decline", "withdraw"};
    return invalid_transition(kClaim, core::enum_name(claim.status), command, allowed);
}

/// The claim that the command names, whoever sees it. Errors: NOT_FOUND.
Result<ShiftClaimRecord const*> find_claim(View const& view, NamedClaim const& named) {
    auto const* claim = view.get<ShiftClaimRecord>(named.id);
    if (!claim || claim->deleted || claim->shiftId != named.shiftId) return not_found(kClaim, named.id);
    return claim;
}

/// The same, of a shift in the caller's facilities.
Result<ShiftClaimRecord const*> find_claim_to_decide(View const& view, NamedClaim const& named,
                                                     Context const& context) {
    auto found = find_claim(view, named);
    if (found && !context.reaches((*found)->facilityId)) return not_found(kClaim, named.id);
    return found;
}

/// Whether people come to shifts of the facility only once somebody approves.
bool claims_need_approval(View const& view, Id facility) {
    auto const* where = view.get<events::Facility>(facility);
    return !where || where->claimsNeedApproval;
}

ShiftClaimAnswer shown_claim(View const& view, Id id, Decision const& decision) {
    return {*view.get<ShiftClaimRecord>(id), staffed_by(view, decision), decision.warnings};
}

}  // namespace

Result<Decision> decide(View const& view, ClaimShift const& command, Context const& context) {
    if (context.staff != 0) {
        required_people(view, std::array{context.staff}, context.now)
            .rows<events::ShiftRecord>(std::array{command.shiftId})
            .ask([&] { std::ignore = view.first_by<events::PendingClaimOfShift>(command.shiftId, context.staff); })
            .require();
    }
    auto const* record = visible_shift(view, command.shiftId, context);
    if (!record) return not_found("shift", command.shiftId);
    auto const own = require_own_staff(context);
    if (!own) return tl::unexpected(own.error());
    auto const& shift = record->shift;
    auto const* person = view.get<events::StaffRecord>(*own);
    if (!person || !works_at(*person, shift.facilityId)) return not_found("shift", command.shiftId);
    if (auto ahead = require_ahead(shift, "claim", context.now); !ahead) return tl::unexpected(ahead.error());
    if (auto free = require_not_on(shift, *own); !free) return tl::unexpected(free.error());
    if (auto const* pending = view.first_by<events::PendingClaimOfShift>(shift.id, *own)) {
        return refuse(Code::duplicate_resource, "You have claimed the shift, and nobody has decided on it yet.",
                      R"({"existingId":)" + std::to_string(pending->id) + "}",
                      "Wait for a decision on the claim in details.existingId, or withdraw it.");
    }
    StaffingPlan plan;
    plan.source = events::AssignmentSource::claim;
    auto const placement = place(view, shift, {*own}, for_oneself(context), plan);
    if (!placement) return tl::unexpected(placement.error());
    auto const id = context.new_ids.at(0);
    ShiftClaimSubject const subject{shift.facilityId, shift.id, *own};
    plan.decision.events.push_back(claim_event(id, subject, events::ShiftClaimRequested{subject}));
    if (claims_need_approval(view, shift.facilityId)) {
        auto verdict = judge(placement->findings, false, {});
        if (!verdict) return tl::unexpected(verdict.error());
        plan.decision.warnings = std::move(verdict->warnings);
        return std::move(plan.decision);
    }
    plan.decision.events.push_back(claim_event(id, subject, events::ShiftClaimApproved{subject, true}));
    if (auto done = carry_out({&*placement, 1}, {}, plan); !done) return tl::unexpected(done.error());
    return std::move(plan.decision);
}
ShiftClaimAnswer answer(View const& view, ClaimShift const&, Decision const& decision) {
    return shown_claim(view, decision.events.at(0).subject.id, decision);
}

Result<Decision> decide(View const& view, ApproveShiftClaim const& command, Context const& context) {
    auto const how = override_of(command.override_, command.overrideComment, context);
    if (!how) return tl::unexpected(how.error());
    auto const found = find_claim_to_decide(view, command, context);
    if (!found) return tl::unexpected(found.error());
    auto const& claim = **found;
    if (claim.status == ShiftClaimStatus::approved) return Decision{};
    if (claim.status != ShiftClaimStatus::pending) return refuse_claim_move(claim, "approve");
    if (decides_on_own(claim.staffId, context)) {
        return refuse(Code::self_approval_forbidden, "Nobody but an admin approves their own claim.");
    }
    required_people(view, std::array{claim.staffId}, context.now)
        .rows<events::ShiftRecord>(std::array{claim.shiftId})
        .require();
    auto const* record = view.get<events::ShiftRecord>(claim.shiftId);
    if (!record || record->deleted) return not_found("shift", claim.shiftId);
    auto const& shift = record->shift;
    if (auto ahead = require_ahead(shift, "claim", context.now); !ahead) {
        return tl::unexpected(ahead.error());
    }
    StaffingPlan plan;
    plan.source = events::AssignmentSource::claim;
    plan.decision = claim_decision(claim, events::ShiftClaimApproved{claim, false});
    if (auto staffed = plan_staffing(view, shift, {claim.staffId}, *how, context, plan); !staffed) {
        return tl::unexpected(staffed.error());
    }
    return std::move(plan.decision);
}
ShiftClaimAnswer answer(View const& view, ApproveShiftClaim const& command, Decision const& decision) {
    return shown_claim(view, command.id, decision);
}

Result<Decision> decide(View const& view, DeclineShiftClaim const& command, Context const& context) {
    auto const found = find_claim_to_decide(view, command, context);
    if (!found) return tl::unexpected(found.error());
    auto const& claim = **found;
    if (claim.status == ShiftClaimStatus::declined) return Decision{};
    if (claim.status != ShiftClaimStatus::pending) return refuse_claim_move(claim, "decline");
    auto const key = to_string(events::AggregateRef{events::Kind::staff, claim.staffId});
    return claim_decision(claim, events::ShiftClaimDeclined{claim, command.reason.value_or(core::LongText{}), key});
}
ShiftClaimAnswer answer(View const& view, DeclineShiftClaim const& command, Decision const& decision) {
    return shown_claim(view, command.id, decision);
}

Result<Decision> decide(View const& view, WithdrawShiftClaim const& command, Context const& context) {
    auto const found = find_claim(view, command);
    if (!found) return tl::unexpected(found.error());
    auto const& claim = **found;
    if (!is_own(claim.staffId, claim.facilityId, context)) return not_found(kClaim, command.id);
    if (claim.status == ShiftClaimStatus::withdrawn) return Decision{};
    if (claim.status != ShiftClaimStatus::pending) return refuse_claim_move(claim, "withdraw");
    return claim_decision(claim, events::ShiftClaimWithdrawn{claim});
}
ShiftClaimAnswer answer(View const& view, WithdrawShiftClaim const& command, Decision const& decision) {
    return shown_claim(view, command.id, decision);
}

Result<Decision> decide(View const& view, ExpireShiftClaims const& command, Context const& context) {
    Requirements(view).rows<ShiftClaimRecord>(command.ids).require();
    std::vector<Id> shifts;
    for (Id const id : command.ids) {
        if (auto const* claim = view.get<ShiftClaimRecord>(id)) shifts.push_back(claim->shiftId);
    }
    Requirements(view).rows<events::ShiftRecord>(shifts).require();
    Decision decision;
    for (Id const id : command.ids) {
        auto const* claim = view.get<ShiftClaimRecord>(id);
        bool const waits = claim && !claim->deleted && claim->status == ShiftClaimStatus::pending;
        if (!waits || takes_people(view.get<events::ShiftRecord>(claim->shiftId), context.now)) continue;
        decision.events.push_back(claim_event(id, *claim, events::ShiftClaimExpired{*claim}));
    }
    return decision;
}

std::optional<NewEvent> end_claim(ShiftClaimRecord const& claim) {
    if (claim.deleted || claim.status != ShiftClaimStatus::pending) return std::nullopt;
    return claim_event(claim.id, claim, events::ShiftClaimExpired{claim});
}

}  // namespace workforce::commands
