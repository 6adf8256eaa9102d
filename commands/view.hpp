// What a decision sees of an organization. Where memory can't tell it throws NotResident, and the decision is made
// again once what it needs was looked up.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "commands/engine/state.hpp"

namespace workforce::commands {

/// A shift in memory at the facility, neither cancelled nor completed, that ends after `now`.
std::optional<Id> shift_ahead(OrganizationState const& state, bool sandbox, Id facility, Timestamp now);

/// How many aggregates of the kind there are in memory that are of that facility alone (needs.hpp).
std::size_t count_of_facility(OrganizationState const& state, bool sandbox, events::Kind kind, Id facility);

/// One organization, from live or from sandbox. Refers to what it is made of. All functions may throw NotResident.
class View {
   public:
    /// `absent`, if given, is what was looked up and is not there; `taken` are reservations that somebody else has.
    View(Id id, OrganizationState const& state, bool sandbox, Needs const* absent = nullptr,
         Needs const* taken = nullptr)
        : id_(id), state_(state), sandbox_(sandbox), absent_(absent), taken_(taken) {}

    [[nodiscard]] events::Organization const& organization() const;
    /// The aggregate with that state, or null. Live and sandbox see their own; what has no sandbox is shared by both.
    template <class State>
    [[nodiscard]] State const* get(Id id) const;
    /// All aggregates of a kind that is resident with its organization.
    template <class State>
        requires(events::residence_of(events::kKindOfState<State>) == events::Residence::with_organization)
    [[nodiscard]] Table<State> const& all() const {
        require_organization();
        return state_.rows<State>();
    }

    [[nodiscard]] std::optional<Id> staff_by_email(std::string const& email) const;
    /// The person's bookings that overlap [starts, ends), oldest first; touching ends don't overlap.
    [[nodiscard]] std::vector<Booking> bookings_within(Id staff, Timestamp starts, Timestamp ends) const;
    /// The person's bookings that end after `now`, oldest first.
    [[nodiscard]] std::vector<Booking> bookings_after(Id staff, Timestamp now) const;
    /// A shift at the facility, neither cancelled nor completed, that ends after `now`.
    [[nodiscard]] std::optional<Id> shift_ahead(Id facility, Timestamp now) const;
    /// The person's credentials, deleted ones too, oldest first.
    [[nodiscard]] std::vector<events::CredentialRecord const*> credentials_of(Id staff) const;
    /// Has the credentials of all of these looked up at once.
    void require_credentials(std::span<Id const> staff) const;
    /// The organization's webhook subscriptions that were not deleted, oldest first.
    [[nodiscard]] std::vector<events::WebhookRecord const*> webhooks() const;

    /// The aggregates that are of that facility alone, oldest first. Where there are more than kMostOfFacility, it may
    /// be any of them that are more than that.
    template <OfFacility State>
    [[nodiscard]] std::vector<State const*> of_facility(Id facility) const;

    /// Has the texts reserved for the aggregate on the whole platform, until the command's events say that it has them.
    /// False: somebody else has one of them. The last that a decision asks for, since it takes what others may want.
    [[nodiscard]] bool reserve(events::AggregateRef const& ref, std::vector<events::UniqueText> const& texts) const;

    /// Has everything that a decision is going to look at looked up at once, not one after the other: shifts, persons,
    /// and these persons' bookings where `booked` says from when on they are of interest.
    void require(std::span<Id const> shifts, std::span<Id const> staff, std::optional<Timestamp> booked = {}) const;
    /// The same for aggregates of one kind.
    template <class State>
    void require(std::span<Id const> ids) const;

    /// The aggregate's version, 0 when there is none; whether the person was erased, false for what is no person.
    [[nodiscard]] std::int64_t version(events::AggregateRef const& ref) const;
    [[nodiscard]] bool erased(events::AggregateRef const& ref) const;

    /// What is in memory of the organization.
    [[nodiscard]] OrganizationState const& state() const { return state_; }
    [[nodiscard]] bool sandbox() const { return sandbox_; }

   private:
    /// Whether that may be there though it is not in memory.
    [[nodiscard]] bool unknown(Need const& need) const;
    [[nodiscard]] Need aggregate_need(events::Kind kind, Id id) const {
        return {.kind = kind, .organization = id_, .id = id, .sandbox = sandbox_};
    }
    [[nodiscard]] bool knows_bookings(Id staff, Timestamp from) const;
    void require_organization() const;
    /// The row, whether live or sandbox; null where there is none.
    template <class State>
    Held<State> const* find(Id id) const;

    Id id_;
    OrganizationState const& state_;
    bool sandbox_;
    Needs const* absent_;
    Needs const* taken_;
};

template <class State>
Held<State> const* View::find(Id id) const {
    constexpr auto kKind = events::kKindOfState<State>;
    constexpr bool kAlone = events::residence_of(kKind) == events::Residence::alone;
    if constexpr (!kAlone) require_organization();
    auto const& table = state_.rows<State>();
    auto const found = table.find(id);
    if (found != table.end()) {
        found->second.used = true;
        return &found->second;
    }
    if constexpr (kAlone) {
        auto need = aggregate_need(kKind, id);
        if (unknown(need)) throw NotResident{{std::move(need)}};
    }
    return nullptr;
}

template <class State>
State const* View::get(Id id) const {
    auto const* held = find<State>(id);
    bool const shared = !events::is_sandboxed(events::kKindOfState<State>);
    return held && (shared || held->sandbox == sandbox_) ? &held->value : nullptr;
}

template <class State>
void View::require(std::span<Id const> ids) const {
    Needs needs;
    for (Id const id : ids) {
        auto wanted = aggregate_need(events::kKindOfState<State>, id);
        if (!state_.rows<State>().contains(id) && unknown(wanted)) needs.insert(std::move(wanted));
    }
    if (!needs.empty()) throw NotResident{std::move(needs)};
}

template <OfFacility State>
std::vector<State const*> View::of_facility(Id facility) const {
    std::vector<State const*> found;
    for (auto const& [id, held] : state_.rows<State>()) {
        if (held.sandbox != sandbox_ || !is_of(held.value, facility)) continue;
        held.used = true;
        found.push_back(&held.value);
    }
    auto need = aggregate_need(events::kKindOfState<State>, facility);
    need.what = Need::What::of_facility;
    if (found.size() <= kMostOfFacility && unknown(need)) throw NotResident{{std::move(need)}};
    std::ranges::sort(found, {}, [](State const* state) { return resource_of(*state).id; });
    return found;
}

}  // namespace workforce::commands
