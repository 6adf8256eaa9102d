// Ids in requests and their schemas: members that hold integers are ids by their names.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "core/text.hpp"

namespace workforce::operations {

/// Whether members of that name hold ids where they hold integers: `id`, `staffId`, `staffIds`, `shiftIdA`;
/// `assigned` lists people; `_id` ends aliases.
constexpr bool names_ids(std::string_view name) {
    return name == "id" || name == "assigned" || name.ends_with("Id") || name.ends_with("Ids") ||
           name.ends_with("IdA") || name.ends_with("IdB") || name.ends_with("_id");
}

template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsNullable = false;
template <class T>
inline constexpr bool kIsNullable<core::Nullable<T>> = true;

/// Records each id that none can be in a value that was read from outside; `named` says whether its member is named as
/// one. What is wrong already is left alone.
template <class T>
void check_ids(T const& value, core::JsonReader& reader, bool named = false) {
    if constexpr (std::same_as<T, core::Id>) {
        if (!named || (value >= 1 && value <= core::kMaxId)) return;
        auto const& errors = reader.errors();
        bool const known = std::any_of(errors.begin(), errors.end(),
                                       [&](core::FieldError const& error) { return error.field == reader.path(); });
        if (!known) reader.fail("range", "must be a positive integer");
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
        boost::mp11::mp_for_each<core::Members<T>>([&](auto d) {
            core::PathGuard const at(reader.path(), core::wire_name(d.name));
            check_ids(value.*d.pointer, reader, names_ids(core::wire_name(d.name)));
        });
    }
}

}  // namespace workforce::operations
