// Reading what was filled into forms.
#include <rapidjson/pointer.h>

#include <algorithm>
#include <utility>

#include "core/json_values.hpp"
#include "operations/dashboard/form_view.hpp"

namespace workforce::operations {
namespace {

core::JsonValue text_value(std::string_view text, Allocator& allocator) {
    return core::JsonValue(text.data(), static_cast<rapidjson::SizeType>(text.size()), allocator);
}

/// An id where the text is a number, else the text.
core::JsonValue id_or_text(std::string_view text, Allocator& allocator) {
    if (auto const id = core::parse_integer(text)) return core::JsonValue(*id);
    return text_value(text, allocator);
}

core::JsonValue ticked(FormInput const& input, FormFields const& fields, Allocator& allocator) {
    core::JsonValue list(rapidjson::kArrayType);
    auto const prefix = std::string(input.member) + ":";
    for (auto const& [name, value] : fields) {
        if (!name.starts_with(prefix)) continue;
        list.PushBack(id_or_text(std::string_view(name).substr(prefix.size()), allocator), allocator);
    }
    return list;
}

/// What the empty field stands for; nothing where it says nothing.
std::optional<core::JsonValue> value_of_nothing(FormInput const& input, Emptied emptied) {
    if (emptied == Emptied::left_out) return std::nullopt;
    switch (input.kind) {
        case InputKind::text:
        case InputKind::area:
            return core::JsonValue("");
        case InputKind::boxes:
        case InputKind::lines:
            return core::JsonValue(rapidjson::kArrayType);
        case InputKind::id:
        case InputKind::name:
            return core::JsonValue(rapidjson::kNullType);
        case InputKind::json:
            return core::JsonValue(input.nothing == "[]" ? rapidjson::kArrayType : rapidjson::kNullType);
        default:
            return std::nullopt;
    }
}

/// What the text, which is not empty, stands for. Errors: VALIDATION_ERROR.
core::Result<core::JsonValue> value_of_text(FormInput const& input, std::string const& text, Allocator& allocator) {
    auto const refuse = [&](std::string_view rule, std::string message) {
        return tl::unexpected(
            core::validation_problem({{std::string(input.member), std::string(rule), std::move(message)}}));
    };
    if (input.kind == InputKind::json || input.kind == InputKind::number) {
        auto const parsed = core::parse_json(text);
        bool const number = input.kind == InputKind::number;
        if (number && !(parsed && parsed->IsNumber())) return refuse("type", "must be a number");
        if (!parsed) return refuse("json", "is no JSON: " + parsed.error().message);
        return core::JsonValue(*parsed, allocator);
    }
    if (input.kind == InputKind::flag) return core::JsonValue(text == "true");
    if (input.kind == InputKind::id) return id_or_text(text, allocator);
    if (input.kind == InputKind::lines) {
        core::JsonValue list(rapidjson::kArrayType);
        for (auto const& line : lines_of(text)) list.PushBack(text_value(line, allocator), allocator);
        return list;
    }
    return text_value(text, allocator);
}

}  // namespace

/// The lines of what a browser sends, which ends them by CR LF.
std::string unix_lines(std::string_view text) {
    std::string lines(text);
    std::erase(lines, '\r');
    return lines;
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    auto const all = unix_lines(text);
    for (std::size_t at = 0; at < all.size();) {
        auto const end = std::min(all.find('\n', at), all.size());
        auto line = all.substr(at, end - at);
        line.erase(0, line.find_first_not_of(" \t"));
        line.erase(line.find_last_not_of(" \t") + 1);
        if (!line.empty()) lines.push_back(std::move(line));
        at = end + 1;
    }
    return lines;
}

rapidjson::Pointer place_of(FormInput const& input) {
    auto const text = "/" + std::string(input.member);
    return rapidjson::Pointer(text.data(), text.size());
}

core::Result<std::string> body_of(std::span<FormInput const> inputs, FormFields const& fields, Emptied emptied) {
    rapidjson::Document body(rapidjson::kObjectType);
    auto& allocator = body.GetAllocator();
    for (auto const& input : inputs) {
        bool const is_boxes = input.kind == InputKind::boxes;
        if (!is_boxes && !fields.contains(input.member)) continue;
        std::optional<core::JsonValue> value;
        auto const text = unix_lines(field(fields, input.member));
        if (is_boxes) value = ticked(input, fields, allocator);
        if (value && value->Empty()) value.reset();
        if (!value && text.empty()) value = value_of_nothing(input, emptied);
        if (!value && !text.empty()) {
            auto read = value_of_text(input, text, allocator);
            if (!read) return tl::unexpected(read.error());
            value = *std::move(read);
        }
        if (value) place_of(input).Set(body, *value, allocator);
    }
    return core::json_of(body);
}

}  // namespace workforce::operations
