// Cells as JSON.
#include "operations/import_columns.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/json_values.hpp"

namespace workforce::operations {
namespace {

using Allocator = rapidjson::Document::AllocatorType;

core::JsonValue cell_text(std::string_view text, Allocator& allocator) {
    return {text.data(), static_cast<rapidjson::SizeType>(text.size()), allocator};
}

/// The JSON value that the text is, where it is one that will do; else the text.
template <class WillDo>
core::JsonValue json_value(std::string_view text, Allocator& allocator, WillDo will_do) {
    auto const document = core::parse_json(text);
    if (!document || !will_do(*document)) return cell_text(text, allocator);
    core::JsonValue value;
    value.CopyFrom(*document, allocator);
    return value;
}

core::JsonValue cell_value(std::string_view text, CellForm form, Allocator& allocator) {
    auto const is_number = [](core::JsonValue const& value) { return value.IsNumber(); };
    switch (form) {
        case CellForm::text:
            return cell_text(text, allocator);
        case CellForm::number:
            return json_value(text, allocator, is_number);
        case CellForm::boolean: {
            auto const word = core::ascii_lower(text);  // spreadsheets write TRUE
            return word == "true" || word == "false" ? core::JsonValue(word == "true") : cell_text(text, allocator);
        }
        case CellForm::json:
            return json_value(text, allocator, [](core::JsonValue const&) { return true; });
        case CellForm::texts:
        case CellForm::numbers:
            break;
    }
    core::JsonValue items(rapidjson::kArrayType);
    while (!text.empty()) {
        auto const end = std::min(text.find(kListSeparator), text.size());
        auto const item = core::without_blanks(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        auto const of_item = form == CellForm::numbers ? CellForm::number : CellForm::text;
        if (!item.empty()) items.PushBack(cell_value(item, of_item, allocator), allocator);
    }
    return items;
}

}  // namespace

rapidjson::Document object_of_row(std::span<std::string const> cells, std::span<ImportColumn const* const> columns) {
    rapidjson::Document object;
    object.SetObject();
    auto& allocator = object.GetAllocator();
    auto const name_value = [](std::string_view name) {
        return core::JsonValue(rapidjson::StringRef(name.data(), name.size()));
    };
    for (std::size_t i = 0; i < std::min(cells.size(), columns.size()); ++i) {
        auto const text = core::without_blanks(cells[i]);
        if (text.empty()) continue;
        auto const& column = *columns[i];
        auto value = cell_value(text, column.form, allocator);
        if (column.part.empty()) {
            object.AddMember(name_value(column.member), value, allocator);
            continue;
        }
        if (core::find_member(&object, column.member) == nullptr) {
            object.AddMember(name_value(column.member), core::JsonValue(rapidjson::kObjectType), allocator);
        }
        object[name_value(column.member)].AddMember(name_value(column.part), value, allocator);
    }
    return object;
}

}  // namespace workforce::operations
