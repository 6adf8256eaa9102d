// Ids in requests and their schemas: members that hold integers are ids by their names.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/long_list.hpp"
#include "core/text.hpp"

namespace workforce::operations {

/// Whether members of that name hold ids where they hold integers: `id`, `ids`, `staffId`, `staffIds`, `shiftIdA`;
/// `assigned` lists people; `_id` ends aliases.
constexpr bool names_ids(std::string_view name) {
    return name == "id" || name == "ids" || name == "assigned" || name.ends_with("Id") || name.ends_with("Ids") ||
           name.ends_with("IdA") || name.ends_with("IdB") || name.ends_with("_id");
}

template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <class T, std::size_t Most>
inline constexpr bool kIsVector<core::LongList<T, Most>> = true;
template <class T>
inline constexpr bool kIsNullable = false;
template <class T>
inline constexpr bool kIsNullable<core::Nullable<T>> = true;

/// Whether values of T may hold ids. Structs are said to.
template <class T>
inline constexpr bool kMayHoldIds = std::same_as<T, core::Id> || core::DescribedStruct<T>;
template <class T>
    requires(core::kIsOptional<T> || kIsVector<T>)
inline constexpr bool kMayHoldIds<T> = kMayHoldIds<typename T::value_type>;
template <class T>
inline constexpr bool kMayHoldIds<core::Nullable<T>> = kMayHoldIds<T>;

/// How a member's ids are checked; `named` says whether it is named as one.
struct IdField {
    std::string_view name;
    core::MemberAt at;
    void (*check)(void const* member, core::JsonReader& reader, bool named);  ///< null of those that hold none
};

/// Records an id that none can be, where nothing is wrong with it already.
void check_id(core::Id id, core::JsonReader& reader);
/// Checks the ids of an object's members.
void check_fields(void const* object, core::JsonReader& reader, std::span<IdField const> fields);

template <class T>
void check_ids(T const& value, core::JsonReader& reader, bool named = false);

template <class T>
constexpr auto id_check_of() -> void (*)(void const*, core::JsonReader&, bool) {
    if constexpr (kMayHoldIds<T>) {
        return [](void const* member, core::JsonReader& reader, bool named) {
            check_ids(*static_cast<T const*>(member), reader, named);
        };
    } else {
        return nullptr;
    }
}

template <core::DescribedStruct T>
inline constexpr auto kIdFields = core::table_of<T, IdField>([]<class D>() {
    return IdField{core::wire_name(D::name), &core::at_member<T, D>, id_check_of<core::MemberType<T, D>>()};
});

/// Records each id that none can be in a value that was read from outside; `named` says whether its member is named as
/// one. What is wrong already is left alone.
template <class T>
void check_ids(T const& value, core::JsonReader& reader, bool named) {
    if constexpr (std::same_as<T, core::Id>) {
        if (named) check_id(value, reader);
    } else if constexpr (core::kIsOptional<T>) {
        if (value) check_ids(*value, reader, named);
    } else if constexpr (kIsNullable<T>) {
        check_ids(value.value, reader, named);
    } else if constexpr (kIsVector<T>) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            core::PathGuard const at(reader.path(), i);
            check_ids(value[i], reader, named);
        }
    } else if constexpr (core::DescribedStruct<T>) {
        check_fields(&value, reader, kIdFields<T>);
    }
}

}  // namespace workforce::operations
