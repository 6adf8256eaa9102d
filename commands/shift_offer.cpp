// Rules of offers (decision 143).
#include "commands/shift_offer.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace workforce::commands {
namespace {

using events::ShiftOfferRecord;
using events::ShiftOfferStatus;
using events::ShiftOfferSubject;

constexpr std::string_view kOffer = "shift offer";

NewEvent offer_event(Id id, ShiftOfferSubject const& subject, events::ShiftOfferEvent event) {
    return {{events::Kind::shift_offer, id}, subject.facilityId, event};
}

Decision offer_decision(ShiftOfferRecord const& offer, events::ShiftOfferEvent event) {
    return {{offer_event(offer.id, offer, event)}, {}};
}

tl::unexpected<core::Problem> refuse_offer_move(ShiftOfferRecord const& offer, std::string_view command,
                                                std::string const& reason = {}) {
    std::vector<std::string> allowed;
    if (offer.status == ShiftOfferStatus::offered) allowed = {"decline", "withdraw"};  // accept, unless that is refused
    return invalid_transition(kOffer, core::enum_name(offer.status), command, allowed, reason);
}

/// Whether the time until which it stands is over.
bool has_lapsed(ShiftOfferRecord const& offer, Timestamp now) {
    return offer.expiresAt.value && *offer.expiresAt.value <= now;
}

/// The offer, where it is the caller's own. Errors: NOT_FOUND.
Result<ShiftOfferRecord const*> find_own_offer(View const& view, Id id, Context const& context) {
    auto const* offer = view.get<ShiftOfferRecord>(id);
    if (!offer || offer->deleted || !is_own(offer->staffId, offer->facilityId, context)) return not_found(kOffer, id);
    return offer;
}

std::vector<Id> each_once(std::vector<Id> const& ids) {
    std::vector<Id> once;
    for (Id const id : ids) {
        if (std::ranges::find(once, id) == once.end()) once.push_back(id);
    }
    return once;
}

/// DUPLICATE_RESOURCE where the person is on the shift, or one of the offers is theirs and stands.
Result<void> require_unasked(events::Shift const& shift, Id staff, std::vector<ShiftOfferRecord const*> const& offers,
                             Timestamp now) {
    if (auto free = require_not_on(shift, staff); !free) return free;
    auto const standing = std::ranges::find_if(
        offers, [&](auto const* offer) { return offer->staffId == staff && !has_lapsed(*offer, now); });
    if (standing == offers.end()) return {};
    return refuse(Code::duplicate_resource,
                  "Staff member " + std::to_string(staff) + " has an offer of the shift that stands.",
                  R"({"existingId":)" + std::to_string((*standing)->id) + "}",
                  "Wait for an answer to the offer in details.existingId, or withdraw it.");
}

ShiftOfferAnswer shown_offer(View const& view, Id id, Decision const& decision) {
    return {*view.get<ShiftOfferRecord>(id), staffed_by(view, decision), decision.warnings};
}

}  // namespace

void OfferShift::check(core::FieldCheck& fields) const {
    if (!fields.sound("staffIds")) return;
    if (staffIds.empty()) fields.fail("staffIds", "min_items", "must name at least one person");
    if (staffIds.size() > kMost) fields.fail("staffIds", "max_items", "must name at most 50 people");
}

Result<Decision> decide(View const& view, OfferShift const& command, Context const& context) {
    auto const wanted = each_once(command.staffIds);
    required_people(view, wanted, context.now)
        .rows<events::ShiftRecord>(std::array{command.shiftId})
        .ask([&] { std::ignore = view.by<events::StandingOffersOfShift>(command.shiftId); })
        .require();
    auto const* record = visible_shift(view, command.shiftId, context);
    if (!record) return not_found("shift", command.shiftId);
    auto const& shift = record->shift;
    if (auto ahead = require_ahead(shift, "offer", context.now); !ahead) return tl::unexpected(ahead.error());
    if (command.expiresAt && (*command.expiresAt <= context.now || shift.startsAt < *command.expiresAt)) {
        return invalid_field("expiresAt", "range", "must be ahead, and no later than the shift's beginning");
    }
    auto const offers = view.by<events::StandingOffersOfShift>(shift.id);
    for (Id const staff : wanted) {
        if (auto unasked = require_unasked(shift, staff, offers, context.now); !unasked) {
            return tl::unexpected(unasked.error());
        }
    }
    auto const findings = findings_of(view, shift, wanted, context, {});
    if (!findings) return tl::unexpected(findings.error());
    if (shift.openSpots <= 0) return refuse_full(shift, 1);
    auto verdict = judge(*findings, false, {});
    if (!verdict) return tl::unexpected(verdict.error());
    Decision decision{{}, std::move(verdict->warnings)};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        ShiftOfferSubject const subject{shift.facilityId, shift.id, wanted[i]};
        events::ShiftOfferMade made{subject, {}};
        if (command.expiresAt) made.expiresAt = *command.expiresAt;
        decision.events.push_back(offer_event(context.new_ids.at(i), subject, made));
    }
    return decision;
}
ShiftOfferList answer(View const& view, OfferShift const&, Decision const& decision) {
    ShiftOfferList made{{}, decision.warnings};
    for (auto const& event : decision.events) made.data.push_back(*view.get<ShiftOfferRecord>(event.subject.id));
    return made;
}

Result<Decision> decide(View const& view, AcceptShiftOffer const& command, Context const& context) {
    auto const found = find_own_offer(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& offer = **found;
    if (offer.status == ShiftOfferStatus::accepted) return Decision{};
    if (offer.status != ShiftOfferStatus::offered) return refuse_offer_move(offer, "accept");
    if (has_lapsed(offer, context.now)) return refuse_offer_move(offer, "accept", "its time is over");
    required_people(view, std::array{offer.staffId}, context.now)
        .rows<events::ShiftRecord>(std::array{offer.shiftId})
        .require();
    auto const* record = view.get<events::ShiftRecord>(offer.shiftId);
    if (!record || record->deleted) return not_found("shift", offer.shiftId);
    auto const& shift = record->shift;
    if (auto ahead = require_ahead(shift, "accept", context.now); !ahead) {
        return tl::unexpected(ahead.error());
    }
    StaffingPlan plan;
    plan.source = events::AssignmentSource::offer;
    plan.decision = offer_decision(offer, events::ShiftOfferAccepted{offer});
    if (auto staffed = plan_staffing(view, shift, {offer.staffId}, {}, for_oneself(context), plan); !staffed) {
        return tl::unexpected(staffed.error());
    }
    return std::move(plan.decision);
}
ShiftOfferAnswer answer(View const& view, AcceptShiftOffer const& command, Decision const& decision) {
    return shown_offer(view, command.id, decision);
}

Result<Decision> decide(View const& view, DeclineShiftOffer const& command, Context const& context) {
    auto const found = find_own_offer(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& offer = **found;
    if (offer.status == ShiftOfferStatus::declined) return Decision{};
    if (offer.status != ShiftOfferStatus::offered) return refuse_offer_move(offer, "decline");
    return offer_decision(offer, events::ShiftOfferDeclined{offer});
}
ShiftOfferAnswer answer(View const& view, DeclineShiftOffer const& command, Decision const& decision) {
    return shown_offer(view, command.id, decision);
}

Result<Decision> decide(View const& view, WithdrawShiftOffer const& command, Context const& context) {
    auto const* offer = view.get<ShiftOfferRecord>(command.id);
    bool const seen = offer && !offer->deleted && context.reaches(offer->facilityId);
    if (!seen) return not_found(kOffer, command.id);
    if (offer->status == ShiftOfferStatus::withdrawn) return Decision{};
    if (offer->status != ShiftOfferStatus::offered) return refuse_offer_move(*offer, "withdraw");
    return offer_decision(*offer, events::ShiftOfferWithdrawn{*offer});
}
ShiftOfferAnswer answer(View const& view, WithdrawShiftOffer const& command, Decision const& decision) {
    return shown_offer(view, command.id, decision);
}

Result<Decision> decide(View const& view, ExpireShiftOffers const& command, Context const& context) {
    Requirements(view).rows<ShiftOfferRecord>(command.ids).require();
    std::vector<Id> shifts;
    for (Id const id : command.ids) {
        if (auto const* offer = view.get<ShiftOfferRecord>(id)) shifts.push_back(offer->shiftId);
    }
    Requirements(view).rows<events::ShiftRecord>(shifts).require();
    Decision decision;
    for (Id const id : command.ids) {
        auto const* offer = view.get<ShiftOfferRecord>(id);
        auto ended = offer ? end_offer(*offer) : std::nullopt;
        if (!ended) continue;
        bool const stands = !has_lapsed(*offer, context.now) &&
                            takes_people(view.get<events::ShiftRecord>(offer->shiftId), context.now);
        if (!stands) decision.events.push_back(*std::move(ended));
    }
    return decision;
}

std::optional<NewEvent> end_offer(ShiftOfferRecord const& offer) {
    if (offer.deleted || offer.status != ShiftOfferStatus::offered) return std::nullopt;
    return offer_event(offer.id, offer, events::ShiftOfferExpired{offer});
}

}  // namespace workforce::commands
