// Looking into memory, and telling what it lacks.
#include "commands/view.hpp"

#include <algorithm>

namespace workforce::commands {
namespace {

constexpr std::int64_t kDayMs = 24 * 3'600'000LL;
constexpr std::int64_t kMaxShiftMs = kDayMs;    // how far back a booking can start and still overlap
constexpr std::int64_t kMarginMs = 7 * kDayMs;  // bookings are looked up from so much earlier, for the next question

Timestamp reaching_into(Timestamp moment) { return {moment.ms - kMaxShiftMs}; }

bool is_ahead(events::Shift const& shift, Timestamp now) {
    return shift.status != events::ShiftStatus::cancelled && shift.status != events::ShiftStatus::completed &&
           shift.endsAt > now;
}

}  // namespace

bool View::unknown(Need const& need) const { return !state_.complete && !(absent_ && absent_->contains(need)); }

void View::require_organization() const {
    state_.used = true;
    auto need = organization_need(id_);
    if (!state_.resident && unknown(need)) throw NotResident{{std::move(need)}};
}

events::Organization const& View::organization() const {
    static events::Organization const none;
    auto const* found = get<events::Organization>(id_);
    return found ? *found : none;
}

std::optional<Id> View::staff_by_email(std::string const& email) const {
    auto const found = state_.staff_emails.find({sandbox_, email});
    if (found != state_.staff_emails.end()) return found->second;
    auto wanted = aggregate_need(events::Kind::staff, 0);
    wanted.what = Need::What::unique;
    wanted.text = email;
    if (unknown(wanted)) throw NotResident{{std::move(wanted)}};
    return std::nullopt;
}

bool View::knows_bookings(Id staff, Timestamp from) const {
    if (state_.complete) return true;
    auto const found = state_.bookings.find(staff);
    if (found == state_.bookings.end() || !found->second.complete_from) return false;
    found->second.used = true;
    return *found->second.complete_from <= from;
}

bool View::reserve(events::AggregateRef const& ref, std::vector<events::UniqueText> const& texts) const {
    Needs needs;
    for (auto const& unique : texts) {
        auto need = reservation_need(id_, ref, unique);
        if (taken_ && taken_->contains(need)) return false;
        if (!absent_ || !absent_->contains(need)) needs.insert(std::move(need));
    }
    if (!needs.empty()) throw NotResident{std::move(needs)};
    return true;
}

void View::require(std::span<Id const> shifts, std::span<Id const> staff, std::optional<Timestamp> booked) const {
    Needs needs;
    for (Id const id : shifts) {
        auto wanted = aggregate_need(events::Kind::shift, id);
        if (!state_.rows<events::ShiftRecord>().contains(id) && unknown(wanted)) needs.insert(std::move(wanted));
    }
    for (Id const id : staff) {
        auto wanted = aggregate_need(events::Kind::staff, id);
        if (!state_.rows<events::StaffRecord>().contains(id) && unknown(wanted)) needs.insert(wanted);
        if (!booked || knows_bookings(id, reaching_into(*booked))) continue;
        wanted.what = Need::What::bookings;
        wanted.sandbox = false;  // whoever asks: a person's shifts are all of the person's own side
        wanted.from = {reaching_into(*booked).ms - kMarginMs};
        needs.insert(std::move(wanted));
    }
    if (!needs.empty()) throw NotResident{std::move(needs)};
}

std::vector<Booking> View::bookings_within(Id staff, Timestamp starts, Timestamp ends) const {
    require({}, std::array{staff}, starts);
    std::vector<Booking> within;
    auto const found = state_.bookings.find(staff);
    if (found == state_.bookings.end()) return within;
    auto const& all = found->second.known;
    for (auto it = all.lower_bound({reaching_into(starts), 0, {}}); it != all.end() && it->starts < ends; ++it) {
        if (it->ends > starts) within.push_back(*it);
    }
    return within;
}

std::vector<Booking> View::bookings_after(Id staff, Timestamp now) const {
    require({}, std::array{staff}, now);
    std::vector<Booking> after;
    auto const found = state_.bookings.find(staff);
    if (found == state_.bookings.end()) return after;
    auto const& all = found->second.known;
    for (auto it = all.lower_bound({reaching_into(now), 0, {}}); it != all.end(); ++it) {
        if (it->ends > now) after.push_back(*it);
    }
    return after;
}

std::optional<Id> shift_ahead(OrganizationState const& state, bool sandbox, Id facility, Timestamp now) {
    for (auto const& [id, held] : state.rows<events::ShiftRecord>()) {
        auto const& shift = held.value.shift;
        if (shift.facilityId == facility && held.sandbox == sandbox && is_ahead(shift, now)) return id;
    }
    return std::nullopt;
}

std::optional<Id> View::shift_ahead(Id facility, Timestamp now) const {
    if (auto const found = commands::shift_ahead(state_, sandbox_, facility, now)) return found;
    if (state_.complete) return std::nullopt;
    auto wanted = aggregate_need(events::Kind::facility, facility);
    wanted.what = Need::What::shift_ahead;
    if (absent_) {
        // Who looked from an earlier moment on, which sorts first, looked for this one too.
        auto const looked = absent_->lower_bound(wanted);
        auto const same = looked != absent_->end() && looked->what == wanted.what && looked->id == facility &&
                          looked->organization == id_ && looked->sandbox == sandbox_;
        if (same && looked->from <= now) return std::nullopt;
    }
    wanted.from = now;
    throw NotResident{{std::move(wanted)}};
}

void View::require_credentials(std::span<Id const> staff) const {
    Needs needs;
    for (Id const id : staff) {
        auto wanted = aggregate_need(events::Kind::credential, id);
        wanted.what = Need::What::credentials;
        if (unknown(wanted)) needs.insert(std::move(wanted));
    }
    if (!needs.empty()) throw NotResident{std::move(needs)};
}

std::vector<events::CredentialRecord const*> View::credentials_of(Id staff) const {
    require_credentials(std::array{staff});
    std::vector<events::CredentialRecord const*> held;
    auto const found = state_.credentials.find(staff);
    if (found == state_.credentials.end()) return held;
    for (Id const id : found->second) {
        if (auto const* record = get<events::CredentialRecord>(id)) held.push_back(record);
    }
    return held;
}

std::vector<events::WebhookRecord const*> View::webhooks() const {
    auto wanted = aggregate_need(events::Kind::webhook, 0);
    wanted.what = Need::What::webhooks;
    if (unknown(wanted)) throw NotResident{{std::move(wanted)}};
    std::vector<events::WebhookRecord const*> held;
    for (Id const id : state_.webhooks) {
        if (auto const* record = get<events::WebhookRecord>(id)) held.push_back(record);
    }
    return held;
}

std::size_t count_of_facility(OrganizationState const& state, bool sandbox, events::Kind kind, Id facility) {
    std::size_t count = 0;
    events::for_each_kind<events::KindsAlone>([&](events::Kind each, auto constant) {
        using State = events::StateOf<decltype(constant)>;
        if constexpr (OfFacility<State>) {
            if (each != kind) return;
            for (auto const& [id, held] : state.rows<State>()) {
                if (held.sandbox == sandbox && is_of(held.value, facility)) ++count;
            }
        }
    });
    return count;
}

std::int64_t View::version(events::AggregateRef const& ref) const {
    events::for_each_kind<events::StatefulKinds>([&](events::Kind kind, auto constant) {
        if (kind == ref.kind) std::ignore = find<events::StateOf<decltype(constant)>>(ref.id);
    });
    return state_.version(ref);
}

bool View::erased(events::AggregateRef const& ref) const {
    if (!is_person(ref.kind)) return false;
    std::ignore = version(ref);  // which looks whether that can be told
    return state_.erased(ref);
}

}  // namespace workforce::commands
