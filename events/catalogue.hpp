// All events there are: a new event joins its aggregate's variant, a new aggregate joins here.
#pragma once

#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/bind.hpp>
#include <concepts>
#include <utility>
#include <variant>

#include "events/api_key.hpp"
#include "events/command.hpp"
#include "events/facility.hpp"
#include "events/organization.hpp"
#include "events/shift.hpp"
#include "events/staff.hpp"
#include "events/user.hpp"

namespace workforce::events {

/// The events of all aggregates, a variant for each.
using EventGroups =
    std::variant<OrganizationEvent, FacilityEvent, UserEvent, ApiKeyEvent, StaffEvent, ShiftEvent, CommandEvent>;

/// The group that E belongs to.
template <class E>
using GroupOf = boost::mp11::mp_front<
    boost::mp11::mp_copy_if_q<EventGroups, boost::mp11::mp_bind_back<boost::mp11::mp_contains, E>>>;

/// One event's data, by aggregate and then by type. A class, so that copies, moves and ends of it are compiled once
/// and not in every source that an event passes through.
class AnyEvent {
   public:
    AnyEvent();
    AnyEvent(AnyEvent const&);
    AnyEvent(AnyEvent&&) noexcept;
    AnyEvent& operator=(AnyEvent const&);
    AnyEvent& operator=(AnyEvent&&) noexcept;
    ~AnyEvent();

    template <class Group>
        requires boost::mp11::mp_contains<EventGroups, Group>::value
    AnyEvent(Group group) : groups_(std::move(group)) {}  // NOLINT(google-explicit-constructor)
    template <class E>
        requires std::constructible_from<GroupOf<E>, E>
    AnyEvent(E data) : groups_(GroupOf<E>(std::move(data))) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] EventGroups const& groups() const { return groups_; }

   private:
    EventGroups groups_;
};

/// The aggregates that the groups belong to.
template <class T>
inline constexpr Kind kKindOf = Kind::command;
template <>
inline constexpr Kind kKindOf<OrganizationEvent> = Kind::organization;
template <>
inline constexpr Kind kKindOf<FacilityEvent> = Kind::facility;
template <>
inline constexpr Kind kKindOf<UserEvent> = Kind::user;
template <>
inline constexpr Kind kKindOf<ApiKeyEvent> = Kind::api_key;
template <>
inline constexpr Kind kKindOf<StaffEvent> = Kind::staff;
template <>
inline constexpr Kind kKindOf<ShiftEvent> = Kind::shift;

/// An event as everyone but the log sees it.
struct Event {
    Envelope meta;
    AnyEvent data;
};

/// Calls f(data) with the concrete struct of an event.
template <class F>
decltype(auto) visit_data(AnyEvent const& event, F&& f) {
    return std::visit([&](auto const& of_kind) -> decltype(auto) { return std::visit(f, of_kind); }, event.groups());
}

/// The event's data if it is a T, which is one aggregate's events or one type of event; else null.
template <class T>
T const* get_if(AnyEvent const& event) {
    if constexpr (boost::mp11::mp_contains<EventGroups, T>::value) {
        return std::get_if<T>(&event.groups());
    } else {
        auto const* const group = std::get_if<GroupOf<T>>(&event.groups());
        return group ? std::get_if<T>(group) : nullptr;
    }
}

/// As get_if. Errors: std::bad_variant_access.
template <class T>
T const& get(AnyEvent const& event) {
    auto const* const found = get_if<T>(event);
    if (!found) throw std::bad_variant_access();
    return *found;
}

/// Whether the event is an E.
template <class E>
bool is(AnyEvent const& event) {
    return get_if<E>(event) != nullptr;
}

/// Whether the event erases the person who is its subject.
bool erases(AnyEvent const& event);

}  // namespace workforce::events
