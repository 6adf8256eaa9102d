// What follows from the declaration of one kind of aggregates, whichever others there are.
#pragma once

#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/bind.hpp>
#include <boost/mp11/list.hpp>
#include <optional>
#include <type_traits>

#include "events/aggregate.hpp"
#include "events/index.hpp"
#include "events/resource.hpp"

namespace workforce::events {

template <class E>
using IsErasing = std::bool_constant<Erasing<E>>;
/// The events of a kind that erase its subject: none, or one.
template <Kind K>
using ErasingEvents = boost::mp11::mp_copy_if<typename Aggregate<K>::Events, IsErasing>;
/// As is_person().
template <Kind K>
inline constexpr bool kIsPerson = boost::mp11::mp_size<ErasingEvents<K>>::value > 0;

/// The number of an index, which no other has: its kind, and its place among the indexes of that.
template <class I>
inline constexpr std::size_t kIndexNumber =
    (static_cast<std::size_t>(I::kKind) << 8) + boost::mp11::mp_find<typename Aggregate<I::kKind>::Indexes, I>::value;

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

template <class I, class Holder>
using IsByHolder =
    std::bool_constant<std::is_same_v<typename I::Key, boost::mp11::mp_list<Value<Holder::kMember>>> &&
                       boost::mp11::mp_empty<typename I::Where>::value && I::kDeleted && I::kFinds == Finds::rows>;
template <Kind K>
struct HolderIndex {
    using All = boost::mp11::mp_copy_if_q<typename Aggregate<K>::Indexes,
                                          boost::mp11::mp_bind_back<IsByHolder, typename Aggregate<K>::Holder>>;
    static_assert(!boost::mp11::mp_empty<All>::value,
                  "an aggregate with a Holder declares an Index of the holder's member alone, without conditions");
    using type = boost::mp11::mp_front<All>;
};
/// The index that finds all aggregates of the kind that a holder has.
template <Kind K>
using OfHolder = typename HolderIndex<K>::type;

template <class I>
using IsOfFacility = std::bool_constant<I::kOfFacility>;
/// The index that finds a facility's rows of the kind in its sandbox: one, or none.
template <Kind K>
using FacilityIndexes = boost::mp11::mp_copy_if<typename Aggregate<K>::Indexes, IsOfFacility>;
/// Whether a reset of a sandbox deletes rows of the kind by an event that the aggregate declares.
template <Kind K>
inline constexpr bool kIsCleared = !std::is_void_v<typename Aggregate<K>::Deleted>;
/// As is_counted().
template <Kind K>
inline constexpr bool kIsCounted = kIsCleared<K> || !boost::mp11::mp_empty<FacilityIndexes<K>>::value;

}  // namespace workforce::events
