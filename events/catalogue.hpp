// All aggregates and events there are: a new event joins its aggregate's variant, a new aggregate is included here.
#pragma once

#include <array>
#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/bind.hpp>
#include <boost/mp11/list.hpp>
#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "events/aggregate.hpp"
#include "events/api_key.hpp"
#include "events/command.hpp"
#include "events/credential.hpp"
#include "events/facility.hpp"
#include "events/index.hpp"
#include "events/lead.hpp"
#include "events/notification.hpp"
#include "events/organization.hpp"
#include "events/sandbox.hpp"
#include "events/shift.hpp"
#include "events/staff.hpp"
#include "events/timesheet.hpp"
#include "events/user.hpp"
#include "events/webhook.hpp"

namespace workforce::events {

template <class Enumerator>
using KindOf = std::integral_constant<Kind, Enumerator::value>;
/// All kinds as constants, in the order of Kind.
using Kinds = boost::mp11::mp_transform<KindOf, boost::describe::describe_enumerators<Kind>>;
inline constexpr std::size_t kKinds = boost::mp11::mp_size<Kinds>::value;

template <class K>
using EventsOf = typename Aggregate<K::value>::Events;
template <class K>
using StateOf = typename Aggregate<K::value>::State;
template <class K>
using HasState = std::bool_constant<!std::is_void_v<StateOf<K>>>;
/// The kinds that have a state: all but the stream of answers.
using StatefulKinds = boost::mp11::mp_copy_if<Kinds, HasState>;
/// The states of these, in their order.
using States = boost::mp11::mp_transform<StateOf, StatefulKinds>;

template <class K>
using IsResidentAlone = std::bool_constant<Aggregate<K::value>::kResidence == Residence::alone>;
template <class K>
using IsResidentWithOrganization = std::bool_constant<Aggregate<K::value>::kResidence == Residence::with_organization>;
using KindsAlone = boost::mp11::mp_copy_if<Kinds, IsResidentAlone>;
using KindsWithOrganization = boost::mp11::mp_copy_if<Kinds, IsResidentWithOrganization>;

/// The events of all aggregates, a variant for each.
using EventGroups = boost::mp11::mp_rename<boost::mp11::mp_transform<EventsOf, Kinds>, std::variant>;

/// The group that E belongs to.
template <class E>
using GroupOf = boost::mp11::mp_front<
    boost::mp11::mp_copy_if_q<EventGroups, boost::mp11::mp_bind_back<boost::mp11::mp_contains, E>>>;

/// The kind whose events these are, and the one whose state that is.
template <class Group>
inline constexpr Kind kKindOfEvents = boost::mp11::mp_at<Kinds, boost::mp11::mp_find<EventGroups, Group>>::value;
template <class State>
inline constexpr Kind kKindOfState = boost::mp11::mp_at<StatefulKinds, boost::mp11::mp_find<States, State>>::value;

template <class K>
using IndexesOf = typename Aggregate<K::value>::Indexes;
/// The indexes of all kinds, and the number of one among them.
using Indexes = boost::mp11::mp_apply<boost::mp11::mp_append, boost::mp11::mp_transform<IndexesOf, Kinds>>;
template <class I>
inline constexpr std::size_t kIndexNumber = boost::mp11::mp_find<Indexes, I>::value;

/// Whether aggregates of the kind are a person's.
template <Kind K>
inline constexpr bool kIsHeld = !std::is_same_v<typename Aggregate<K>::Holder, NoHolder>;
/// Whether they are those of persons of that kind.
template <Kind K, Kind Person>
inline constexpr bool kIsHeldBy = false;
template <Kind K, Kind Person>
    requires kIsHeld<K>
inline constexpr bool kIsHeldBy<K, Person> = Aggregate<K>::Holder::kKind == Person;
/// The person whose the aggregate is; nothing for kinds that are nobody's.
template <class State>
std::optional<AggregateRef> holder_of(State const& state) {
    using Holder = typename Aggregate<kKindOfState<State>>::Holder;
    if constexpr (std::is_same_v<Holder, NoHolder>) {
        return std::nullopt;
    } else {
        return AggregateRef{Holder::kKind, resource_of(state).*Holder::kMember};
    }
}

template <class Holder>
struct IsByHolder {
    template <class I>
    using fn =
        std::bool_constant<std::is_same_v<typename I::Key, boost::mp11::mp_list<Value<Holder::kMember>>> &&
                           boost::mp11::mp_empty<typename I::Where>::value && I::kDeleted && I::kFinds == Finds::rows>;
};
/// The index that finds all aggregates of the kind that a holder has.
template <Kind K>
using OfHolder = boost::mp11::mp_front<
    boost::mp11::mp_copy_if_q<typename Aggregate<K>::Indexes, IsByHolder<typename Aggregate<K>::Holder>>>;

template <class I>
using IsOfFacility = std::bool_constant<I::kOfFacility>;
/// The index that finds a facility's rows of the kind in its sandbox: one, or none.
template <Kind K>
using FacilityIndexes = boost::mp11::mp_copy_if<typename Aggregate<K>::Indexes, IsOfFacility>;
/// Whether a reset of a sandbox deletes rows of the kind by an event that the aggregate declares.
template <Kind K>
inline constexpr bool kIsCleared = !std::is_void_v<typename Aggregate<K>::Deleted>;
/// Whether a sandbox has rows of the kind that its facility or its facility's people have: what its counts tell.
template <Kind K>
inline constexpr bool kIsCounted = kIsCleared<K> || !boost::mp11::mp_empty<FacilityIndexes<K>>::value;

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
/// Whether the event is one that Ending describes.
bool ends(AnyEvent const& event);

template <class E>
using IsErasing = std::bool_constant<Erasing<E>>;
/// The events of a kind that erase its subject: none, or one.
template <Kind K>
using ErasingEvents = boost::mp11::mp_copy_if<typename Aggregate<K>::Events, IsErasing>;

/// Calls f(kind, constant) for each kind of the list, with the kind as a value and as an integral constant.
template <class List, class F>
constexpr void for_each_kind(F&& f) {
    boost::mp11::mp_for_each<List>([&](auto constant) { f(constant.value, constant); });
}

namespace detail {

/// For each kind what f(constant) gives.
template <class T, class F>
constexpr std::array<T, kKinds> table_of(F f) {
    std::array<T, kKinds> table{};
    for_each_kind<Kinds>([&](Kind kind, auto constant) { table[static_cast<std::size_t>(kind)] = f(constant); });
    return table;
}

inline constexpr auto kPersons =
    table_of<bool>([](auto k) { return boost::mp11::mp_size<ErasingEvents<decltype(k)::value>>::value > 0; });
inline constexpr auto kSandboxed = table_of<bool>([](auto k) { return Aggregate<decltype(k)::value>::kSandboxed; });
inline constexpr auto kInActivity = table_of<bool>([](auto k) { return Aggregate<decltype(k)::value>::kInActivity; });
inline constexpr auto kResidence =
    table_of<Residence>([](auto k) { return Aggregate<decltype(k)::value>::kResidence; });

}  // namespace detail

/// Whether an aggregate of that kind is a person, with a key of their own and personal fields: it can be erased.
constexpr bool is_person(Kind kind) { return detail::kPersons[static_cast<std::size_t>(kind)]; }
/// What Declared says of a kind.
constexpr bool is_sandboxed(Kind kind) { return detail::kSandboxed[static_cast<std::size_t>(kind)]; }
constexpr bool is_in_activity(Kind kind) { return detail::kInActivity[static_cast<std::size_t>(kind)]; }
constexpr Residence residence_of(Kind kind) { return detail::kResidence[static_cast<std::size_t>(kind)]; }

/// The kinds of persons as people type them, each with "/ID", with commas between them.
std::string_view person_names();

}  // namespace workforce::events
