// How much memory a value holds besides itself, from the sizes of its texts and lists.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/json.hpp"

namespace workforce::core {

/// Bytes on the heap that a value of a field's type, or a struct of such, holds, as far as they follow from sizes.
/// Costs a look at each text and list.
template <class T>
std::size_t heap_bytes(T const& value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
        return 0;
    } else if constexpr (std::is_same_v<T, std::string>) {
        static std::size_t const in_place = std::string().capacity();
        return value.capacity() > in_place ? value.capacity() + 1 : 0;
    } else if constexpr (kIsOptional<T>) {
        return value ? heap_bytes(*value) : 0;
    } else if constexpr (requires { typename T::mapped_type; }) {
        constexpr std::size_t kNode = 4 * sizeof(void*);  // of a tree, beside its value
        std::size_t bytes = 0;
        for (auto const& [key, item] : value) {
            bytes += kNode + sizeof(typename T::value_type) + heap_bytes(key) + heap_bytes(item);
        }
        return bytes;
    } else if constexpr (requires { value.capacity(); }) {
        using Item = typename T::value_type;
        auto bytes = value.capacity() * sizeof(Item);
        if constexpr (!std::is_trivially_copyable_v<Item>) {
            for (auto const& item : value) bytes += heap_bytes(item);
        }
        return bytes;
    } else if constexpr (DescribedStruct<T>) {
        std::size_t bytes = 0;
        boost::mp11::mp_for_each<Members<T>>([&](auto member) { bytes += heap_bytes(value.*member.pointer); });
        return bytes;
    } else if constexpr (requires { value.text.capacity(); }) {
        return heap_bytes(value.text);  // JSON that is kept as it came
    } else {
        return heap_bytes(value.value);  // a field type around its value
    }
}

}  // namespace workforce::core
