// Examples of requests and answers, from the declarations of their types: what a member is called says what its value
// looks like, else its type does.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "operations/schema/api_schema.hpp"

namespace workforce::operations {

/// The example of members of that name, as JSON, or nothing where the type tells enough. A request's example has the
/// members that are required and those that are known here.
std::optional<std::string_view> example_of(std::string_view member);

/// Writes an example; `value` is the type's default.
template <class T>
struct ApiExample {
    static void write(core::JsonWriter& w, Side, T const& value) { core::write_json(w, value); }
};

template <std::size_t Min, std::size_t Max, core::TextForm Form>
struct ApiExample<core::Text<Min, Max, Form>> {
    static void write(core::JsonWriter& w, Side, core::Text<Min, Max, Form> const&) {
        w.string(Min == 0 ? std::string_view() : "text");
    }
};
template <>
struct ApiExample<core::Timestamp> {
    static void write(core::JsonWriter& w, Side, core::Timestamp) { w.string("2026-07-24T10:00:00.000Z"); }
};
template <>
struct ApiExample<core::Date> {
    static void write(core::JsonWriter& w, Side, core::Date) { w.string("2026-07-24"); }
};
template <core::Id Least>
struct ApiExample<IdOf<Least>> {
    static void write(core::JsonWriter& w, Side, IdOf<Least>) { w.integer(1); }
};

template <class T>
struct ApiExample<std::optional<T>> {
    static void write(core::JsonWriter& w, Side side, std::optional<T> const&) { ApiExample<T>::write(w, side, T{}); }
};
template <class T>
struct ApiExample<core::Nullable<T>> {
    static void write(core::JsonWriter& w, Side, core::Nullable<T> const&) { w.null(); }
};
template <class T>
struct ApiExample<core::AbsentOrNull<T>> {
    static void write(core::JsonWriter& w, Side side, core::AbsentOrNull<T> const&) {
        ApiExample<T>::write(w, side, T{});
    }
};
template <class T>
struct ApiExample<core::Personal<T>> {
    static void write(core::JsonWriter& w, Side side, core::Personal<T> const&) { ApiExample<T>::write(w, side, T{}); }
};
template <class T>
struct ApiExample<std::vector<T>> {
    static void write(core::JsonWriter& w, Side side, std::vector<T> const&) {
        w.begin_array();
        if constexpr (core::DescribedStruct<T>) ApiExample<T>::write(w, side, T{});
        w.end_array();
    }
};

template <core::DescribedStruct T>
struct ApiExample<T> {
    static void write(core::JsonWriter& w, Side side, T const& value) {
        w.begin_object();
        boost::mp11::mp_for_each<core::Members<T>>([&](auto d) {
            using Member = std::remove_cvref_t<decltype(value.*d.pointer)>;
            auto const name = core::wire_name(d.name);
            auto const known = example_of(name);
            bool const stands = side == Side::answer ? !core::kIsOptional<Member> : core::is_required<T, Member>(name);
            if (!stands && !known) return;
            w.key(name);
            using As = Shown<T, decltype(d)>;
            if (known) {
                w.raw(*known);
            } else if constexpr (std::same_as<As, Member>) {
                ApiExample<Member>::write(w, side, value.*d.pointer);
            } else {
                ApiExample<As>::write(w, side, As{});
            }
        });
        w.end_object();
    }
};

}  // namespace workforce::operations
