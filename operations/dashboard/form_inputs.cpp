// Inputs on their way to a page, and what was typed on its way to an operation.
#include "operations/dashboard/form_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/json_values.hpp"
#include "core/local_time.hpp"

namespace workforce::operations {
namespace {

constexpr std::size_t kFewBoxes = 4;    // are never folded
constexpr std::int64_t kMoreRows = 3;   // of an area than its text has
constexpr std::int64_t kMostRows = 24;  // of an area

/// HTML's type of an input of one line; empty for other fields.
std::string_view html_type(FieldKind kind) {
    switch (kind) {
        case FieldKind::text:
            return "text";
        case FieldKind::email:
            return "email";
        case FieldKind::url:
            return "url";
        case FieldKind::date:
            return "date";
        case FieldKind::time:
            return "time";
        case FieldKind::number:
            return "number";
        case FieldKind::moment:
            return "datetime-local";
        default:
            return "";
    }
}

std::string text_of_list_item(core::JsonValue const& value) {
    return value.IsString() ? std::string(core::text_of(value)) : core::json_of(value);
}

std::string items_as_lines(core::JsonValue const& list) {
    std::string all;
    for (auto const& item : list.GetArray()) {
        if (!all.empty()) all += '\n';
        all += text_of_list_item(item);
    }
    return all;
}

bool is_chosen_of(FieldKind kind) {
    return kind == FieldKind::choice || kind == FieldKind::id || kind == FieldKind::flag;
}
bool is_code_kind(FieldKind kind) { return kind == FieldKind::json || kind == FieldKind::jsons; }

void hold_input(FormFields& fields, std::string const& name, FieldKind kind, core::JsonValue const& value,
                std::string_view zone) {
    if (kind == FieldKind::ids && value.IsArray()) {
        std::size_t place = 0;  // what is ticked still is sent with it, so that the list keeps its order
        for (auto const& id : value.GetArray()) {
            fields.emplace(fmt::format("{}:{}", name, text_of_list_item(id)), std::to_string(++place));
        }
    } else if (kind == FieldKind::lines && value.IsArray()) {
        fields.emplace(name, items_as_lines(value));
    } else if (is_code_kind(kind)) {
        if (!value.IsNull()) fields.emplace(name, indented_json(value));
    } else if (kind == FieldKind::flag && value.IsBool()) {
        fields.emplace(name, value.IsTrue() ? "true" : "false");
    } else if (kind == FieldKind::box) {
        if (value.IsTrue()) fields.emplace(name, "on");
    } else if (kind == FieldKind::moment && value.IsString()) {
        auto const moment = core::parse_timestamp(value.GetString());
        if (!moment) return;
        fields.emplace(name, local_text(*moment, zone));
        fields.emplace(name + std::string(kExact), std::to_string(moment->ms));
    } else if (value.IsString()) {
        fields.emplace(name, value.GetString());
    } else if (value.IsNumber()) {
        fields.emplace(name, core::json_of(value));
    }
}

/// Writes the options. Returns whether they are few, or any is chosen.
bool write_input_options(core::JsonWriter& w, FormField const& input, std::string_view name, FormFields const& values,
                         InputOptions const& options) {
    static std::vector<std::string_view> const yes_no{"true=yes", "false=no"};
    auto const held = field(values, name);
    std::size_t count = 0;
    bool any = false;
    auto const chosen_by = [&](std::string_view value) {
        return input.kind == FieldKind::ids ? values.contains(fmt::format("{}:{}", name, value)) : held == value;
    };
    auto const write = [&](std::string_view value, std::string_view text) {
        bool const chosen = chosen_by(value);
        ++count;
        any = any || chosen;
        w.begin_object();
        w.member("value", value);
        w.member("text", text);
        w.member("chosen", chosen);
        w.member("field", fmt::format("{}:{}", name, value));
        if (input.kind == FieldKind::ids) {
            auto const place = field(values, fmt::format("{}:{}", name, value));
            w.member("place", place.empty() ? "on" : place);
        }
        w.end_object();
    };
    auto const given = options.find(input.name);
    w.key(input.kind == FieldKind::ids ? "boxes" : "options");
    w.begin_array();
    if (!input.blank.empty()) write("", input.blank);
    for (auto const declared : input.kind == FieldKind::flag ? yes_no : input.values) {
        auto const equals = declared.find('=');
        auto const value = declared.substr(0, equals);
        auto const text = equals == std::string_view::npos ? spoken(value) : std::string(declared.substr(equals + 1));
        write(value, text);
    }
    if (given != options.end()) {
        for (auto const& [value, text] : given->second) write(value, text);
    }
    if (is_chosen_of(input.kind) && !any && !held.empty()) write(held, spoken(held));
    w.end_array();
    return count <= kFewBoxes || any;
}

/// Boxes that are ticked and not among the options: the caller does not see them, and they stay.
void write_kept_boxes(core::JsonWriter& w, FormField const& input, FormFields const& values,
                      InputOptions const& options) {
    auto const given = options.find(input.name);
    auto const prefix = std::string(input.name) + ":";
    w.key("kept");
    w.begin_array();
    for (auto const& [name, value] : values) {
        if (input.kind != FieldKind::ids || !name.starts_with(prefix)) continue;
        auto const ticked = std::string_view(name).substr(prefix.size());
        bool const shown =
            std::ranges::count(input.values, ticked) > 0 ||
            (given != options.end() && std::ranges::count(given->second, ticked, &InputOption::value) > 0);
        if (shown) continue;
        w.begin_object();
        w.member("name", name);
        w.member("place", value);
        w.end_object();
    }
    w.end_array();
}

void write_form_input(core::JsonWriter& w, FormField const& input, std::string const& name, FormFields const& values,
                      InputOptions const& options, std::string_view id_prefix) {
    auto const value = field(values, name);
    bool const is_area = input.kind == FieldKind::area || input.kind == FieldKind::lines || is_code_kind(input.kind);
    w.begin_object();
    w.member("name", name);
    w.member("id", fmt::format("{}-{}", id_prefix, name));
    w.member("label", input.label);
    w.member("hint", input.hint);
    w.member("value", value);
    w.member("required", input.required);
    w.member("exact", field(values, name + std::string(kExact)));
    w.member("type", html_type(input.kind));
    w.member("step", input.kind == FieldKind::number ? "any" : "");
    w.member("is_area", is_area);
    w.member("is_code", is_code_kind(input.kind));
    w.member("rows", std::clamp<std::int64_t>(std::ranges::count(value, '\n') + kMoreRows, kMoreRows, kMostRows));
    w.member("is_select", is_chosen_of(input.kind));
    w.member("is_ids", input.kind == FieldKind::ids);
    w.member("is_box", input.kind == FieldKind::box);
    w.member("is_kept", input.kind == FieldKind::kept && !value.empty());
    w.member("ticked", !value.empty());
    bool const opened = write_input_options(w, input, name, values, options);
    w.member("opened", opened);
    write_kept_boxes(w, input, values, options);
    w.end_object();
}

}  // namespace

core::JsonValue const* member_at(core::JsonValue const& object, std::string_view name) {
    auto const dot = name.find('.');
    auto const* const found = core::find_member(&object, name.substr(0, dot));
    if (found == nullptr || dot == std::string_view::npos) return found;
    return member_at(*found, name.substr(dot + 1));
}

std::string spoken(std::string_view name) {
    std::string words(name);
    std::ranges::replace(words, '_', ' ');
    return words;
}

std::string local_text(core::Timestamp moment, std::string_view zone) {
    auto const local = core::local_time(moment, zone.empty() ? "UTC" : zone);
    return fmt::format("{}T{}", core::to_string(local.date), core::to_string(local.time));
}

bool has_row(FormFields const& fields, std::string const& prefix) {
    auto const next = fields.lower_bound(prefix);
    return next != fields.end() && next->first.starts_with(prefix);
}

std::string row_prefix(InputRows const& rows, std::size_t place) { return fmt::format("{}.{}.", rows.name, place); }

std::vector<InputOption> options_of(core::JsonValue const& list, std::initializer_list<char const*> called) {
    std::vector<InputOption> options;
    for (auto const& row : list["data"].GetArray()) {
        std::string text;
        for (auto const* member : called) text += (text.empty() ? "" : " ") + std::string(row[member].GetString());
        options.push_back({core::json_of(row["id"]), std::move(text)});
    }
    return options;
}

FormFields held_fields(FormShape const& shape, core::JsonValue const& held, std::string_view zone) {
    FormFields fields;
    for (auto const& input : shape.inputs) {
        auto const* const value = member_at(held, input.name);
        if (value != nullptr) hold_input(fields, std::string(input.name), input.kind, *value, zone);
    }
    for (auto const& rows : shape.rows) {
        auto const* const list = core::find_member(&held, rows.name);
        for (std::size_t place = 0; list != nullptr && place < list->Size(); ++place) {
            auto const& row = (*list)[static_cast<rapidjson::SizeType>(place)];
            for (auto const& input : rows.inputs) {
                auto const* const value = core::find_member(&row, input.name);
                if (value == nullptr) continue;
                hold_input(fields, row_prefix(rows, place) + std::string(input.name), input.kind, *value, zone);
            }
        }
    }
    return fields;
}

std::string shown_fields(std::span<FormField const> inputs, FormFields const& values, InputOptions const& options,
                         std::string_view id_prefix) {
    core::JsonWriter w;
    w.begin_array();
    for (auto const& input : inputs) write_form_input(w, input, std::string(input.name), values, options, id_prefix);
    w.end_array();
    return w.take();
}

std::string shown_form(Call const& page, FormShape const& shape, FormFields values, InputOptions const& options) {
    bool const refused = page.operation.name == shape.form && page.input.body && *page.input.body;
    if (refused) values = fields_of(**page.input.body);
    core::JsonWriter w;
    w.begin_object();
    w.member("refused", refused);
    w.key("inputs");
    w.raw(shown_fields(shape.inputs, values, options, shape.form));
    w.key("groups");
    w.begin_array();
    for (auto const& rows : shape.rows) {
        bool more = true;  // there is room for one more
        for (std::size_t place = 0; more && place < kMostInputRows; ++place) {
            auto const prefix = row_prefix(rows, place);
            more = has_row(values, prefix);
            w.begin_object();
            w.member("legend", fmt::format("{} {}", rows.legend, place + 1));
            w.key("inputs");
            w.begin_array();
            for (auto const& input : rows.inputs) {
                auto optional = input;
                optional.required = false;
                write_form_input(w, optional, prefix + std::string(input.name), values, options, shape.form);
            }
            w.end_array();
            w.end_object();
        }
    }
    w.end_array();
    w.end_object();
    return w.take();
}

std::string wall_clock(core::JsonValue const& moment, std::string_view zone) {
    auto const known = moment.IsString() ? core::parse_timestamp(moment.GetString()) : std::nullopt;
    if (!known) return {};
    auto text = local_text(*known, zone);
    std::ranges::replace(text, 'T', ' ');
    return text;
}

}  // namespace workforce::operations
