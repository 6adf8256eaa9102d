// What an event changed of its resource, as audit entries tell it: {field: {from, to}}.
//
// It is told from the resource's states before and after the event, both without personal fields: so an entry, and the
// state that is kept for the next one, are the same whether or not the person's key still stands when the event is
// folded.
#pragma once

#include <boost/mp11.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/text.hpp"
#include "core/web_origin.hpp"
#include "events/event.hpp"

namespace workforce::projections {

/// What stands for a value that is personal, and for one that belongs to a secret.
inline constexpr std::string_view kPersonalValue = R"("[personal]")";
inline constexpr std::string_view kSecretValue = R"("[redacted]")";

/// Whether a field belongs to a secret: that it changed is told, and not how.
constexpr bool is_secret_field(std::string_view field) { return field == "secrets"; }
/// Whether a field is the address of somebody's receiver, whose path or query often is a secret: its origin alone is
/// told.
constexpr bool is_address_field(std::string_view field) { return field == "url"; }
/// Whether entries leave a field out: what they tell elsewhere, and what a secret looks like.
constexpr bool is_untold_field(std::string_view field) {
    return field == "id" || field == "organizationId" || field == "createdAt" || field == "updatedAt" ||
           field == "lastLoginAt" || field == "prefix" || field == "last4";
}

/// Whether a field is none that callers see: that it changed makes another state, and no change that is told.
constexpr bool is_internal_field(std::string_view field) { return field == "internals" || field == "deleted"; }

/// Writes the object. Values are JSON.
class ChangeWriter {
   public:
    ChangeWriter() { writer_.begin_object(); }

    void add(std::string_view field, std::string_view from, std::string_view to) {
        any_ = true;
        writer_.key(field);
        writer_.begin_object();
        writer_.key("from");
        writer_.raw(from);
        writer_.key("to");
        writer_.raw(to);
        writer_.end_object();
    }
    /// There is a change that is not told.
    void note() { any_ = true; }
    /// Whether there is a change, told or not.
    [[nodiscard]] bool any() const { return any_; }
    std::string take() {
        writer_.end_object();
        return writer_.take();
    }

   private:
    core::JsonWriter writer_;
    bool any_ = false;
};

/// A value as entries tell it, as JSON.
template <class T>
std::string told_value(std::string_view field, T const& value) {
    if constexpr (requires { std::string_view(value.value); }) {
        if (is_address_field(field)) return core::to_json(core::origin_of(value.value));
    }
    return core::to_json(value);
}

/// Adds what differs between two states, but for personal fields; those of a part are named `part.field`. A resource
/// that is new was nothing before.
template <class State>
void add_differences(ChangeWriter& changes, std::string const& path, State const* before, State const& after) {
    boost::mp11::mp_for_each<core::Members<State>>([&](auto d) {
        using Member = std::remove_cvref_t<decltype(after.*d.pointer)>;
        auto const field = path + std::string(core::wire_name(d.name));
        if (is_internal_field(field)) {
            auto const from = before == nullptr ? "" : core::to_json(before->*d.pointer);
            if (from != core::to_json(after.*d.pointer)) changes.note();
            return;
        }
        if constexpr (core::DescribedStruct<Member>) {
            add_differences(changes, field + '.', before == nullptr ? nullptr : &(before->*d.pointer),
                            after.*d.pointer);
        } else if constexpr (!core::IsPersonal<Member>) {
            if (is_untold_field(field)) return;
            auto const from = before == nullptr ? "null" : core::to_json(before->*d.pointer);
            auto const to = core::to_json(after.*d.pointer);
            if (from == to) return;
            if (is_secret_field(field)) return changes.add(field, kSecretValue, kSecretValue);
            changes.add(field, before == nullptr ? "null" : told_value(field, before->*d.pointer),
                        told_value(field, after.*d.pointer));
        }
    });
}

/// Adds the personal fields that an event sets; of one that erases a person all that the resource has.
template <class State, class E>
void add_personal(ChangeWriter& changes, E const& event) {
    using Source = std::conditional_t<events::Erasing<E>, State, E>;
    boost::mp11::mp_for_each<core::Members<Source>>([&](auto d) {
        using Member = std::remove_cvref_t<decltype(std::declval<Source const&>().*d.pointer)>;
        bool set = core::IsPersonal<Member>;
        if constexpr (core::kIsOptional<Member> && !events::Erasing<E>) {
            set = core::IsPersonal<typename Member::value_type> && (event.*d.pointer).has_value();
        }
        if (set) changes.add(core::wire_name(d.name), kPersonalValue, kPersonalValue);
    });
}

/// The event as if its personal fields had been empty.
template <class E>
E without_personal(E event) {
    boost::mp11::mp_for_each<core::Members<E>>([&](auto d) {
        auto& field = event.*d.pointer;
        using Member = std::remove_cvref_t<decltype(field)>;
        if constexpr (core::IsPersonal<Member>) {
            field = {};
        } else if constexpr (core::kIsOptional<Member>) {
            if constexpr (core::IsPersonal<typename Member::value_type>) {
                if (field) *field = {};
            }
        }
    });
    return event;
}

/// Folds an event into a state without personal fields, and adds what it changed.
template <class State, class Group>
void fold_changes(ChangeWriter& changes, State& state, Group const& group, events::Envelope const& meta) {
    std::visit(
        [&](auto const& event) {
            auto const before = state;
            evolve(state, Group(without_personal(event)), meta);
            add_personal<State>(changes, event);
            add_differences(changes, "", meta.seq == 1 ? nullptr : &before, state);
        },
        group);
}

}  // namespace workforce::projections
