// What holds of events of all aggregates.
#include "events/catalogue.hpp"

#include <array>
#include <memory>
#include <string>

#include "core/json.hpp"

namespace workforce::events {
namespace {

/// For each kind what f(constant) gives.
template <class T, class F>
constexpr std::array<T, kKinds> table_of(F f) {
    std::array<T, kKinds> table{};
    for_each_kind<Kinds>([&](Kind kind, auto constant) { table[static_cast<std::size_t>(kind)] = f(constant); });
    return table;
}

constexpr auto kPersons = table_of<bool>([](auto k) { return kIsPerson<decltype(k)::value>; });
constexpr auto kSandboxed = table_of<bool>([](auto k) { return Aggregate<decltype(k)::value>::kSandboxed; });
constexpr auto kInActivity = table_of<bool>([](auto k) { return Aggregate<decltype(k)::value>::kInActivity; });
constexpr auto kInCounts = table_of<bool>([](auto k) { return kIsCounted<decltype(k)::value>; });
constexpr auto kResidences = table_of<Residence>([](auto k) { return Aggregate<decltype(k)::value>::kResidence; });

/// Whether what names its kind names the one that declares it.
template <Kind K, class... E>
consteval bool is_declared_right(std::variant<E...> const* /*events*/) {
    using State = typename Aggregate<K>::State;
    if constexpr (!std::is_void_v<State>) static_assert(kKindOfState<State> == K, "the state has another kKind");
    static_assert(((kKindOfEvent<E> == K) && ...), "the type of an event begins with the name of another kind");
    return true;
}
static_assert([]<template <class...> class List, Kind... K>(List<std::integral_constant<Kind, K>...>) {
    return (is_declared_right<K>(static_cast<typename Aggregate<K>::Events const*>(nullptr)) && ...);
}(Kinds()));

/// Calls f(constant) with the type of the group of that kind.
template <class F>
void with_group(Kind kind, F f) {
    boost::mp11::mp_with_index<kKinds>(static_cast<std::size_t>(kind), [&](auto place) {
        f(std::type_identity<boost::mp11::mp_at_c<EventGroups, decltype(place)::value>>());
    });
}

}  // namespace

AnyEvent::AnyEvent() : AnyEvent(boost::mp11::mp_front<EventGroups>()) {}

AnyEvent::AnyEvent(AnyEvent const& other) : kind_(other.kind_) {
    with_group(kind_,
               [&]<class Group>(std::type_identity<Group>) { ::new (bytes_.data()) Group(other.group<Group>()); });
}

AnyEvent::AnyEvent(AnyEvent&& other) noexcept : kind_(other.kind_) {
    with_group(kind_, [&]<class Group>(std::type_identity<Group>) {
        ::new (bytes_.data()) Group(std::move(other.group<Group>()));
    });
}

AnyEvent& AnyEvent::operator=(AnyEvent const& other) {
    if (this != &other) *this = AnyEvent(other);
    return *this;
}

AnyEvent& AnyEvent::operator=(AnyEvent&& other) noexcept {
    if (this == &other) return *this;
    std::destroy_at(this);
    return *std::construct_at(this, std::move(other));
}

AnyEvent::~AnyEvent() {
    with_group(kind_, [&]<class Group>(std::type_identity<Group>) { std::destroy_at(&group<Group>()); });
}

bool erases(AnyEvent const& event) {
    return visit_data(event, []<class E>(E const&) { return Erasing<E>; });
}

bool ends(AnyEvent const& event) {
    return visit_data(event, []<class E>(E const&) { return Ending<E>; });
}

bool is_person(Kind kind) { return kPersons.at(static_cast<std::size_t>(kind)); }
bool is_sandboxed(Kind kind) { return kSandboxed.at(static_cast<std::size_t>(kind)); }
bool is_in_activity(Kind kind) { return kInActivity.at(static_cast<std::size_t>(kind)); }
bool is_counted(Kind kind) { return kInCounts.at(static_cast<std::size_t>(kind)); }
Residence residence_of(Kind kind) { return kResidences.at(static_cast<std::size_t>(kind)); }

std::string_view person_names() {
    static std::string const names = [] {
        std::string all;
        for (auto const kind : kAllKinds) {
            if (is_person(kind)) all += (all.empty() ? "" : ", ") + std::string(core::enum_name(kind)) + "/ID";
        }
        return all;
    }();
    return names;
}

}  // namespace workforce::events
