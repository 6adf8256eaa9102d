// Examples of requests and answers, from the declarations of their types: what a member is called says what its value
// looks like, else its type does.
#pragma once

#include <concepts>
#include <optional>
#include <span>
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
template <core::DescribedEnum T>
struct ApiExample<core::EnumText<T>> {
    static void write(core::JsonWriter& w, Side, core::EnumText<T> const&) {
        w.string(core::kEnumerators<T>.front().name);
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
template <class T, std::size_t Most>
struct ApiExample<core::LongList<T, Most>> : ApiExample<std::vector<T>> {};

/// How an example shows a member.
struct ExampleField {
    std::string_view name;
    bool in_request;  ///< whether every request has it
    bool in_answer;   ///< whether every answer has it
    core::MemberAt at;
    void (*write)(core::JsonWriter&, Side, void const* member);
};

/// Writes the example of an object that has all defaults.
void write_object_example(core::JsonWriter& w, Side side, void const* object, std::span<ExampleField const> fields);

template <class Member, class As>
void write_member_example(core::JsonWriter& w, Side side, void const* member) {
    if constexpr (std::same_as<As, Member>) {
        ApiExample<Member>::write(w, side, *static_cast<Member const*>(member));
    } else {
        ApiExample<As>::write(w, side, As{});
    }
}

template <core::DescribedStruct T>
inline constexpr auto kExampleFields = core::table_of<T, ExampleField>([]<class D>() {
    using Member = core::MemberType<T, D>;
    constexpr auto kName = core::wire_name(D::name);
    return ExampleField{kName, core::is_required<T, Member>(kName), kInAnswer<Member>, &core::at_member<T, D>,
                        &write_member_example<Member, Shown<T, D>>};
});

template <core::DescribedStruct T>
struct ApiExample<T> {
    static void write(core::JsonWriter& w, Side side, T const& value) {
        write_object_example(w, side, &value, kExampleFields<T>);
    }
};

}  // namespace workforce::operations
