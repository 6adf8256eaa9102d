// The columns of an imported file, from the members of the command that makes what its rows are: what a cell holds
// follows from the member's type.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "operations/schema/ids.hpp"

namespace workforce::operations {

/// How the text of a cell is read.
enum class CellForm : std::uint8_t {
    text,
    number,
    boolean,
    texts,    ///< texts between `|`
    numbers,  ///< numbers between `|`
    json,     ///< a JSON value
};

struct ImportColumn {
    std::string name;           ///< `email`, `emergencyContact.phone`
    std::string_view member{};  ///< of the command
    std::string_view part{};    ///< of that member, where it is an object; else empty
    CellForm form = CellForm::text;
};

/// Separates the items of a list within a cell.
inline constexpr char kListSeparator = '|';

/// The type of a member's value without those that let it be missing or seal it.
template <class T>
struct ValueOf {
    using Type = T;
};
template <class T>
struct ValueOf<std::optional<T>> : ValueOf<T> {};
template <class T>
struct ValueOf<core::Nullable<T>> : ValueOf<T> {};
template <class T>
struct ValueOf<core::AbsentOrNull<T>> : ValueOf<T> {};
template <class T>
struct ValueOf<core::Personal<T>> : ValueOf<T> {};

template <class T>
consteval CellForm form_of() {
    if constexpr (std::same_as<T, bool>) {
        return CellForm::boolean;
    } else if constexpr (
        std::integral<T> || requires(T t) { t.hundredths; } ||
        requires(T t) { requires std::same_as<decltype(t.value), std::int64_t>; }) {
        return CellForm::number;
    } else if constexpr (kIsVector<T>) {
        using Item = typename T::value_type;
        if constexpr (core::DescribedStruct<Item>) return CellForm::json;
        return form_of<Item>() == CellForm::number ? CellForm::numbers : CellForm::texts;
    } else {
        return CellForm::text;
    }
}

/// A column for each member of T, and for each part of a member that is an object.
template <class T>
std::vector<ImportColumn> columns_of() {
    std::vector<ImportColumn> columns;
    boost::mp11::mp_for_each<core::Members<T>>([&]<class D>(D) {
        using Value = typename ValueOf<core::MemberType<T, D>>::Type;
        constexpr auto kName = core::wire_name(D::name);
        if constexpr (core::DescribedStruct<Value>) {
            for (auto const& part : columns_of<Value>()) {
                columns.push_back({std::string(kName) + '.' + part.name, kName, part.member, part.form});
            }
        } else {
            columns.push_back({std::string(kName), kName, {}, form_of<Value>()});
        }
    });
    return columns;
}

/// The cells of a row as the JSON object that a request would have as its body; those that are blank are no members.
/// `columns` has the one of each cell. A cell that is not written as its column wants it stays a text, which whoever
/// reads the object refuses.
rapidjson::Document object_of_row(std::span<std::string const> cells, std::span<ImportColumn const* const> columns);

}  // namespace workforce::operations
