// How an aggregate declares what decisions find it by, other than its id: indexes over the write side's memory. From a
// declaration follow what memory keeps and evicts, and the statement that looks up what memory lacks.
//
// Members are those of the resource (resource.hpp), or of a state that derives from it; a key may have those of any
// state. Each has a column of its name in the read model: `staffId` is looked up by `staff_id`.
#pragma once

#include <array>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/json.hpp"
#include "core/text.hpp"
#include "core/time.hpp"
#include "events/aggregate.hpp"

namespace workforce::events {

namespace detail {

template <class Pointer>
struct MemberPointer;
template <class Class, class Value>
struct MemberPointer<Value Class::*> {
    using Owner = Class;
    using Type = Value;
};

/// The member's name as its class describes it.
template <auto Member>
constexpr std::string_view member_name() {
    using Owner = typename MemberPointer<decltype(Member)>::Owner;
    std::string_view name;
    boost::mp11::mp_for_each<boost::describe::describe_members<Owner, boost::describe::mod_public>>([&](auto each) {
        if constexpr (std::is_same_v<std::remove_cv_t<decltype(each.pointer)>, decltype(Member)>) {
            if (each.pointer == Member) name = each.name;
        }
    });
    return name;
}

/// What T holds, without the types that say its rules, that seal it, or that let it be missing.
template <class T>
struct Unwrapped {
    using Type = T;
};
template <class T>
    requires requires(T const& value) { value.value; }
struct Unwrapped<T> : Unwrapped<std::remove_cvref_t<decltype(std::declval<T const&>().value)>> {};
template <class T>
struct Unwrapped<std::optional<T>> : Unwrapped<T> {};

}  // namespace detail

/// What a member holds, without the types around it that give it rules.
template <auto Member>
using IndexedType = typename detail::Unwrapped<typename detail::MemberPointer<decltype(Member)>::Type>::Type;

/// The kinds of values that a key is made of.
template <class T>
concept Keyed = std::same_as<T, Id> || std::same_as<T, bool> || std::same_as<T, core::Date> ||
                std::same_as<T, std::string> || std::is_enum_v<T>;

/// How a part of a key follows from its member.
enum class PartOf : std::uint8_t { value, each_element, only_element };

/// A part of a key. An aggregate with a part that is 0, empty or null is not in the index.
template <auto Member, PartOf Of, class T>
struct Part {
    static constexpr auto kMember = Member;
    static constexpr PartOf kOf = Of;
    using Type = T;
};
/// The member's value.
template <auto Member>
    requires Keyed<IndexedType<Member>>
struct Value : Part<Member, PartOf::value, IndexedType<Member>> {};
/// An entry for each element of a list of ids: the only part of its key.
template <auto Member>
    requires std::same_as<IndexedType<Member>, std::vector<Id>>
struct Each : Part<Member, PartOf::each_element, Id> {};
/// The element of a list of ids that has one: longer lists, and empty ones, are not in the index.
template <auto Member>
    requires std::same_as<IndexedType<Member>, std::vector<Id>>
struct Only : Part<Member, PartOf::only_element, Id> {};

/// A condition: the member, of an enumeration, is one of these.
template <auto Member, auto... Values>
struct OneOf {
    static constexpr auto kMember = Member;
    static constexpr std::array kValues{Values...};
};

/// The order of the entries of a key, and the time that each takes: [Starts, Ends), at most `LongestMs` milliseconds;
/// where Ends is null, that long.
template <auto Starts, auto Ends, std::int64_t LongestMs>
struct Span {
    static constexpr auto kStarts = Starts;
    static constexpr auto kEnds = Ends;
    static constexpr std::int64_t kLongestMs = LongestMs;
};
/// Entries have no time.
struct NoSpan {};

/// What a look-up of a key brings.
enum class Finds : std::uint8_t {
    rows,     ///< the aggregates
    entries,  ///< their ids and times alone, of a key with a Span
    any,  ///< one aggregate that ends after a moment, of a key with a Span: whether there is one is all that is asked
};

inline constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

/// An index over the aggregates of a kind by key, with the defaults of what it can say.
template <Kind K, class... Parts>
struct Index {
    static constexpr Kind kKind = K;
    using Key = boost::mp11::mp_list<Parts...>;
    using Where = boost::mp11::mp_list<>;  ///< conditions, all of which hold
    using Time = NoSpan;
    static constexpr bool kDeleted = true;  ///< whether what was deleted is in it
    static constexpr bool kSandboxOnly = false;
    static constexpr bool kOfFacility = false;  ///< OfFacility
    static constexpr Finds kFinds = Finds::rows;
    /// Of a key with more entries than that, not all are looked up.
    static constexpr std::size_t kMost = kAll;
    /// The read model's column of the first part, where it is not of the member's name.
    static constexpr std::string_view kColumn{};
};

/// Whether the key is of the elements of a list, and thus of nothing else.
template <class I>
inline constexpr bool kIsOfElements = false;
template <class I>
    requires(boost::mp11::mp_size<typename I::Key>::value == 1 &&
             boost::mp11::mp_front<typename I::Key>::kOf == PartOf::each_element)
inline constexpr bool kIsOfElements<I> = true;

/// Past so many rows of a facility alone no decision looks for more of them.
inline constexpr std::size_t kMostOfFacility = 400;

/// What is of a facility alone, was not deleted, and lies in its sandbox: live rows have no database index for that.
template <Kind K, class FacilityPart>
struct OfFacility : Index<K, FacilityPart> {
    static constexpr bool kDeleted = false;
    static constexpr bool kSandboxOnly = true;
    static constexpr bool kOfFacility = true;
    static constexpr std::size_t kMost = kMostOfFacility;
};

/// Whose an aggregate is: a person of kind K, whose id is `Member` of its resource. What happens to it is told with the
/// person's facilities, unless it is of a facility itself, and an answer about it is sealed under the person's key.
/// Where it has personal fields, `Erased` is the event that empties them when the person is erased.
template <Kind K, auto Member, class Erased = void>
struct HeldBy {
    static constexpr Kind kKind = K;
    static constexpr auto kMember = Member;
    using ErasedEvent = Erased;
};

/// One aggregate under a key: in the order of their times, then of their ids.
struct IndexEntry {
    core::Timestamp starts{};
    Id id = 0;
    core::Timestamp ends{};
    bool operator<(IndexEntry const& other) const {
        return starts != other.starts ? starts < other.starts : id < other.id;
    }
    bool operator==(IndexEntry const&) const = default;
};

}  // namespace workforce::events
