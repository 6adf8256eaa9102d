// An event as everyone but the log sees it: its envelope, and the data of whichever aggregate it is of. A source that
// looks at some kinds of events includes the headers of these; events/catalogue.hpp has all.
#pragma once

#include <array>
#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>
#include <concepts>
#include <cstddef>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "events/aggregate.hpp"
#include "events/envelope.hpp"

namespace workforce::events {

namespace detail {

/// The kind whose name the type of an event begins with. Does not compile where there is none.
consteval Kind kind_of_type(std::string_view type) {
    auto kind = Kind::command;
    bool found = false;
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<Kind>>([&](auto each) {
        if (type.substr(0, type.find('.')) != each.name) return;
        kind = each.value;
        found = true;
    });
    if (!found) throw "the type of an event begins with the name of its kind";
    return kind;
}

}  // namespace detail

/// The kind that the events of a type are of.
template <class E>
inline constexpr Kind kKindOfEvent = detail::kind_of_type(E::kType);
/// The events of the aggregate that E is an event of.
template <class E>
using GroupOf = typename Aggregate<kKindOfEvent<E>>::Events;
/// The kind whose events these are.
template <class Group>
inline constexpr Kind kKindOfEvents = kKindOfEvent<boost::mp11::mp_front<Group>>;

/// One event's data: a variant of its aggregate's types, which lies in this very object. What copies, moves and ends it
/// is compiled once (events/catalogue.cpp), for no source that an event passes through knows all variants.
class AnyEvent {
   public:
    /// Bytes of the largest variant, at least.
    static constexpr std::size_t kBytes = 768;

    AnyEvent();
    AnyEvent(AnyEvent const&);
    AnyEvent(AnyEvent&&) noexcept;
    AnyEvent& operator=(AnyEvent const&);
    AnyEvent& operator=(AnyEvent&&) noexcept;
    ~AnyEvent();

    template <class... E>
    // NOLINTNEXTLINE(google-explicit-constructor)
    AnyEvent(std::variant<E...> group) : kind_(kKindOfEvents<std::variant<E...>>) {
        using Group = std::variant<E...>;
        static_assert(std::same_as<Group, typename Aggregate<kKindOfEvents<Group>>::Events>, "no aggregate's events");
        static_assert(sizeof(Group) <= kBytes, "AnyEvent::kBytes has to grow");
        static_assert(alignof(Group) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<Group>);
        ::new (bytes_.data()) Group(std::move(group));
    }
    template <class E>
        requires requires { E::kType; }
    AnyEvent(E data) : AnyEvent(GroupOf<E>(std::move(data))) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] Kind kind() const { return kind_; }
    /// The variant, which is that of its kind.
    template <class Group>
    [[nodiscard]] Group const& group() const {
        return *std::launder(static_cast<Group const*>(static_cast<void const*>(bytes_.data())));
    }

   private:
    template <class Group>
    [[nodiscard]] Group& group() {
        return *std::launder(static_cast<Group*>(static_cast<void*>(bytes_.data())));
    }

    Kind kind_;
    alignas(std::max_align_t) std::array<std::byte, kBytes> bytes_;
};

struct Event {
    Envelope meta;
    AnyEvent data;
};

namespace detail {

template <class T>
inline constexpr bool kIsVariant = false;
template <class... E>
inline constexpr bool kIsVariant<std::variant<E...>> = true;

}  // namespace detail

/// The event's data if it is a T, which is one aggregate's events or one type of event; else null.
template <class T>
T const* get_if(AnyEvent const& event) {
    if constexpr (detail::kIsVariant<T>) {
        return event.kind() == kKindOfEvents<T> ? &event.template group<T>() : nullptr;
    } else {
        auto const* const group = get_if<GroupOf<T>>(event);
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

}  // namespace workforce::events
