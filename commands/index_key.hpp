// A key of an index, as memory and look-ups have it: bytes that say which index it is of, whether it is the sandbox's,
// and then its parts. And the entries that a state has in an index.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "events/index.hpp"
#include "events/kind_traits.hpp"

namespace workforce::commands {

using core::Id;
using core::Timestamp;
using events::IndexEntry;
using IndexKey = std::string;

/// Before every moment: where entries have no time, all count.
inline constexpr Timestamp kEver{std::numeric_limits<std::int64_t>::min()};

template <class I>
inline constexpr bool kHasTime = !std::is_same_v<typename I::Time, events::NoSpan>;
/// How long an entry can last; 0 where entries have no time.
template <class I>
inline constexpr std::int64_t kLongestMs = 0;
template <class I>
    requires kHasTime<I>
inline constexpr std::int64_t kLongestMs<I> = I::Time::kLongestMs;

/// What the engine knows of an index without its type.
struct IndexTraits {
    events::Kind kind = events::Kind::organization;
    events::Finds finds = events::Finds::rows;
    bool some = false;  ///< its look-ups may leave rows out, so that they are told which rows are here
    std::int64_t longest_ms = 0;
};
template <class I>
inline constexpr IndexTraits kTraitsOf{.kind = I::kKind,
                                       .finds = I::kFinds,
                                       .some = I::kFinds == events::Finds::any || I::kMost != events::kAll,
                                       .longest_ms = kLongestMs<I>};
/// Of the index that a key is of: its number, which the key begins with, and what is known of it.
inline std::size_t index_number(IndexKey const& key) {
    return (std::size_t{static_cast<unsigned char>(key[0])} << 8) + static_cast<unsigned char>(key[1]);
}
IndexTraits const& traits_of(IndexKey const& key);

template <class P>
using PartType = typename P::Type;
/// The values of a key's parts.
template <class I>
using KeyParts = boost::mp11::mp_rename<boost::mp11::mp_transform<PartType, typename I::Key>, std::tuple>;

namespace detail {

template <class T>
void append_part(IndexKey& key, T const& value) {
    if constexpr (std::is_same_v<T, std::string>) {
        key += value;
    } else {
        std::array<char, sizeof(T)> bytes;
        std::memcpy(bytes.data(), &value, sizeof(T));
        key.append(bytes.data(), sizeof(T));
    }
}

template <class T>
void take_part(std::string_view& bytes, T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
        value = std::exchange(bytes, {});
    } else {
        std::array<char, sizeof(T)> part{};
        bytes.copy(part.data(), part.size());
        value = std::bit_cast<T>(part);
        bytes.remove_prefix(part.size());
    }
}

/// Appends the value without the types around it; false where there is none: it is 0, empty or null.
template <class T>
bool append_present(IndexKey& key, T const& value) {
    if constexpr (core::kIsOptional<T>) {
        return value && append_present(key, *value);
    } else if constexpr (requires { value.value; }) {
        return append_present(key, value.value);
    } else {
        append_part(key, value);
        if constexpr (std::is_same_v<T, std::string>) return !value.empty();
        return !std::is_same_v<T, Id> || value != T{};
    }
}

/// The object that has the member: the state itself, or the part of it that callers see.
template <auto Member, class State>
auto const& owner_of(State const& state) {
    using Owner = typename events::detail::MemberPointer<decltype(Member)>::Owner;
    if constexpr (std::derived_from<State, Owner>) {
        return state;
    } else {
        return resource_of(state);
    }
}

template <class P, class State>
bool append_part_of(IndexKey& key, State const& state) {
    auto const& member = owner_of<P::kMember>(state).*P::kMember;
    if constexpr (P::kOf == events::PartOf::only_element) {
        return member.size() == 1 && append_present(key, member.front());
    } else {
        return append_present(key, member);
    }
}

template <class Condition, class Resource>
bool meets(Resource const& resource) {
    auto const& value = resource.*Condition::kMember;
    for (auto const each : Condition::kValues) {
        if (value == each) return true;
    }
    return false;
}

template <class I>
IndexKey key_head(bool sandbox) {
    constexpr auto kNumber = events::kIndexNumber<I>;
    return {static_cast<char>(kNumber >> 8), static_cast<char>(kNumber & 0xFF), static_cast<char>(sandbox ? 1 : 0)};
}

/// What has the members that indexes of the state's kind name: the state, which may have more than callers see.
template <class State>
auto const& indexed(State const& state) {
    if constexpr (std::derived_from<State, std::remove_cvref_t<decltype(resource_of(state))>>) {
        return state;
    } else {
        return resource_of(state);
    }
}

/// When an entry ends; one without an end lasts as long as an entry can.
template <class I, class Resource>
Timestamp end_of(Resource const& resource) {
    auto const& end = resource.*I::Time::kEnds;
    if constexpr (requires { end.value; }) {
        return end.value.value_or(Timestamp{(resource.*I::Time::kStarts).ms + I::Time::kLongestMs});
    } else {
        return end;
    }
}

}  // namespace detail

/// The key with these parts, of which a text is the last.
template <class I, class... Parts>
IndexKey index_key(bool sandbox, Parts const&... parts) {
    static_assert(std::is_same_v<std::tuple<Parts...>, KeyParts<I>>, "the parts of the index are others");
    auto key = detail::key_head<I>(sandbox);
    (detail::append_part(key, parts), ...);
    return key;
}

/// The parts of a key that index_key() made.
template <class I>
KeyParts<I> parts_of(IndexKey const& key) {
    KeyParts<I> parts;
    std::string_view bytes(key);
    bytes.remove_prefix(detail::key_head<I>(false).size());
    std::apply([&](auto&... part) { (detail::take_part(bytes, part), ...); }, parts);
    return parts;
}
inline bool is_of_sandbox(IndexKey const& key) { return key[2] != 0; }

/// Calls take(key, entry) for each entry that the aggregate has in the index; of an index over the elements of a list,
/// for `only` that element where it is given.
template <class I, class State, class Take>
void for_each_entry(State const& state, bool sandbox, std::optional<Id> only, Take take) {
    if (I::kSandboxOnly && !sandbox) return;
    if constexpr (!I::kDeleted) {
        if (state.deleted) return;
    }
    auto const& resource = detail::indexed(state);
    bool meets = true;
    boost::mp11::mp_for_each<typename I::Where>(
        [&]<class Condition>(Condition) { meets = meets && detail::meets<Condition>(resource); });
    if (!meets) return;
    IndexEntry entry{.starts = {}, .id = resource.id, .ends = {}};
    if constexpr (kHasTime<I>) {
        entry.starts = resource.*I::Time::kStarts;
        entry.ends = detail::end_of<I>(resource);
    }
    if constexpr (events::kIsOfElements<I>) {
        for (Id const element : resource.*boost::mp11::mp_front<typename I::Key>::kMember) {
            if (!only || *only == element) take(index_key<I>(sandbox, element), entry);
        }
    } else {
        auto key = detail::key_head<I>(sandbox);
        bool whole = true;
        boost::mp11::mp_for_each<typename I::Key>(
            [&]<class P>(P) { whole = whole && detail::append_part_of<P>(key, state); });
        if (whole) take(std::move(key), entry);
    }
}

}  // namespace workforce::commands
