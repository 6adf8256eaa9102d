// What all resources share: their ids, and merging of partial updates.
#pragma once

#include <boost/describe.hpp>
#include <boost/mp11.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/json.hpp"
#include "events/envelope.hpp"

namespace workforce::events {

/// The leading members of every resource.
struct Identified {
    Id id = 0;
    Id organizationId = 0;
};
BOOST_DESCRIBE_STRUCT(Identified, (), (id, organizationId))

/// The trailing members of every resource.
struct Stamped {
    Timestamp createdAt;
    Timestamp updatedAt;
};
BOOST_DESCRIBE_STRUCT(Stamped, (), (createdAt, updatedAt))

/// What callers see of a state: itself, unless its aggregate says otherwise by an overload.
template <class State>
State const& resource_of(State const& state) {
    return state;  // NOLINT(bugprone-return-const-ref-from-parameter): states are kept by those who ask
}

/// The organization of a state: organizations are rows of themselves.
template <class State>
Id organization_of(State const& state) {
    auto const& resource = resource_of(state);
    if constexpr (requires { resource.organizationId; }) {
        return resource.organizationId;
    } else {
        return resource.id;
    }
}

/// The place of T's member of that name among all; their number where there is none.
template <class T>
consteval std::size_t member_index(std::string_view name) {
    constexpr auto kNames = core::table_of<T, std::string_view>([]<class D>() { return std::string_view(D::name); });
    return static_cast<std::size_t>(std::ranges::find(kNames, name) - kNames.begin());
}

/// Calls f(change, member) for each engaged member of `changes` with the member of the same name in `target`.
template <class Target, class Changes, class F>
void for_each_change(Target& target, Changes& changes, F f) {
    using Resource = std::remove_const_t<Target>;
    boost::mp11::mp_for_each<core::Members<std::remove_const_t<Changes>>>([&](auto c) {
        constexpr auto kIndex = member_index<Resource>(decltype(c)::name);
        if constexpr (kIndex < boost::mp11::mp_size<core::Members<Resource>>::value) {
            auto& change = changes.*c.pointer;
            if (change) f(change, target.*boost::mp11::mp_at_c<core::Members<Resource>, kIndex>::pointer);
        }
    });
}

/// Assigns what `changes` (a struct of optionals) holds to the members of the same names.
template <class Target, class Changes>
void merge(Target& target, Changes const& changes) {
    for_each_change(target, changes, [](auto const& change, auto& member) {
        using Change = std::remove_cvref_t<decltype(*change)>;
        if constexpr (requires { typename Change::PartOf; }) {
            merge(member, *change);
        } else {
            member = *change;
        }
    });
}

/// Drops from `changes` what already holds in `target`. Returns whether anything is left.
template <class Target, class Changes>
bool keep_changed(Target const& target, Changes& changes) {
    bool any = false;
    for_each_change(target, changes, [&](auto& change, auto const& member) {
        using Change = std::remove_cvref_t<decltype(*change)>;
        bool changed = false;
        if constexpr (requires { typename Change::PartOf; }) {
            changed = keep_changed(member, *change);
        } else {
            // Compared as text: the one notion of equality that every field type has.
            changed = core::to_json(*change) != core::to_json(member);
        }
        if (changed) {
            any = true;
        } else {
            change.reset();
        }
    });
    return any;
}

/// What an operator said when a person was to be forgotten. It stands in clear and for ever: nothing of the person.
struct ErasureDetails {
    core::Text<1, 500> reason;
    core::ShortText requestedBy;  ///< account of the operator

    static constexpr std::array<std::string_view, 1> kRequired{"reason"};
};
BOOST_DESCRIBE_STRUCT(ErasureDetails, (), (reason, requestedBy))

/// An event that erases the person who is its subject: declares kErases.
template <class E>
concept Erasing = requires { E::kErases; };

/// An event that ends its subject for good and says nothing of a person, so that who was erased can end too: declares
/// kEnds.
template <class E>
concept Ending = requires { E::kEnds; };

/// Makes every personal field of the struct read as it does once its key is destroyed.
template <class Details>
void erase_personal(Details& details) {
    boost::mp11::mp_for_each<core::Members<Details>>([&](auto member) {
        auto& field = details.*member.pointer;
        if constexpr (core::IsPersonal<std::remove_cvref_t<decltype(field)>>) {
            field = {};
            field.erased = true;
        }
    });
}

}  // namespace workforce::events
