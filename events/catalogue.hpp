// All events there are: a new event joins its aggregate's variant, a new aggregate joins here.
#pragma once

#include "events/api_key.hpp"
#include "events/command.hpp"
#include "events/facility.hpp"
#include "events/organization.hpp"
#include "events/shift.hpp"
#include "events/staff.hpp"
#include "events/user.hpp"

namespace workforce::events {

/// One event's data, by aggregate and then by type.
using AnyEvent =
    std::variant<OrganizationEvent, FacilityEvent, UserEvent, ApiKeyEvent, StaffEvent, ShiftEvent, CommandEvent>;

/// The aggregates that AnyEvent's alternatives belong to, in the same order.
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
    return std::visit([&](auto const& of_kind) -> decltype(auto) { return std::visit(f, of_kind); }, event);
}

/// Whether the event is an E.
template <class E>
bool is(AnyEvent const& event) {
    return visit_data(event, [](auto const& data) { return std::same_as<std::remove_cvref_t<decltype(data)>, E>; });
}

/// Whether the event erases the person who is its subject.
inline bool erases(AnyEvent const& event) {
    return visit_data(event, [](auto const& data) { return Erasing<std::remove_cvref_t<decltype(data)>>; });
}

}  // namespace workforce::events
