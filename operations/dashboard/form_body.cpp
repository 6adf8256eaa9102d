// Fields that were typed, on their way to an operation.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/json_values.hpp"
#include "core/sql_values.hpp"
#include "operations/dashboard/form_inputs.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kZone = "timezone";
constexpr std::size_t kDateLength = 10;

/// A number, else text.
void write_number(core::JsonWriter& w, std::string_view text) {
    auto const number = core::parse_json(text);
    if (number && number->IsNumber()) {
        w.raw(core::json_of(*number));
    } else {
        w.string(text);
    }
}

/// The moment that was typed; the exact one where its minute is what the page showed. Nothing for what is none.
std::optional<core::Timestamp> typed_moment(FormFields const& fields, std::string const& name, std::string_view zone) {
    auto const text = field(fields, name);
    auto const sent = core::parse_integer(field(fields, name + std::string(kExact)));
    auto const exact = sent ? core::parse_timestamp(core::to_string(core::Timestamp{*sent})) : std::nullopt;
    if (exact && local_text(*exact, zone) == text) return exact;
    auto const date = core::parse_date(text.substr(0, kDateLength));
    auto const time = text.size() > kDateLength ? core::parse_time_of_day(text.substr(kDateLength + 1)) : std::nullopt;
    if (!date || !time) return std::nullopt;
    return core::to_utc(*date, *time, zone);
}

/// The lines of a text, without blanks around them and without those that are blank.
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

/// The JSON that was typed, written anew. Errors: as parse_json(), and for what a body can't hold, for it is too deep.
core::Result<std::string> json_as_typed(std::string_view text) {
    auto const value = core::parse_json(text);
    if (!value) return tl::unexpected(value.error());
    auto written = core::json_of(*value);
    auto const within = core::parse_json("[[" + written + "]]");
    if (!within) return tl::unexpected(within.error());
    return written;
}

/// The ticked ids of a list: those that stood there in their order, then new ones.
std::vector<std::string> ticked_items(FormFields const& fields, std::string const& prefix) {
    constexpr auto kNew = std::numeric_limits<std::int64_t>::max();
    std::vector<std::pair<std::int64_t, std::string>> placed;
    for (auto const& [name, value] : fields) {
        if (!name.starts_with(prefix)) continue;
        placed.emplace_back(core::parse_integer(value).value_or(kNew), name.substr(prefix.size()));
    }
    std::ranges::stable_sort(placed, {}, &std::pair<std::int64_t, std::string>::first);
    std::vector<std::string> items;
    for (auto& [place, item] : placed) items.push_back(std::move(item));
    return items;
}

bool is_list_of(FieldKind kind) { return kind == FieldKind::ids || kind == FieldKind::lines; }

/// A form's body as it is written.
struct BodyWriter {
    FormFields const& fields;
    bool changes;
    std::string zone;
    core::JsonWriter w{};
    std::vector<core::FieldError> faults{};

    /// Something new has no member of an empty list.
    void write_list(FormField const& input, std::string const& name, std::string_view text, std::string_view key) {
        auto const items = input.kind == FieldKind::lines ? lines_of(text) : ticked_items(fields, name + ":");
        if (items.empty() && !changes) return;
        w.key(key);
        w.begin_array();
        for (auto const& item : items) input.kind == FieldKind::ids ? write_number(w, item) : w.string(item);
        w.end_array();
    }

    void write_moment(std::string const& name) {
        auto const moment = typed_moment(fields, name, zone);
        if (!moment) faults.push_back({name, "format", "must be a date and a time"});
        w.string(moment ? core::to_string(*moment) : "");
    }

    void write_json(std::string const& name, std::string_view text) {
        auto const typed = json_as_typed(text);
        if (!typed) faults.push_back({name, "json", "is no JSON: " + typed.error().message});
        w.raw(typed ? *typed : "null");
    }

    /// The member of a field with nothing in it.
    void write_nothing(FormField const& input, std::string_view key) {
        bool const is_text =
            input.kind == FieldKind::text || input.kind == FieldKind::area || input.kind == FieldKind::email;
        if (changes && input.kind == FieldKind::jsons) {
            w.key(key);
            w.raw("[]");
        } else if (changes && input.nullable) {
            w.key(key);
            w.null();
        } else if ((changes && is_text) || input.required) {
            w.member(key, "");
        }
    }

    /// The member `key` of the open object, from the field of that name.
    void write_member(FormField const& input, std::string const& name, std::string_view key) {
        auto const text = field(fields, name);
        if (is_list_of(input.kind)) return write_list(input, name, text, key);
        if (input.kind != FieldKind::box && text.empty()) return write_nothing(input, key);
        w.key(key);
        switch (input.kind) {
            case FieldKind::box:
                return w.boolean(!text.empty());
            case FieldKind::flag:
                return w.boolean(text == "true");
            case FieldKind::number:
            case FieldKind::id:
                return write_number(w, text);
            case FieldKind::moment:
                return write_moment(name);
            case FieldKind::json:
            case FieldKind::jsons:
                return write_json(name, text);
            default:
                return w.string(unix_lines(text));
        }
    }

    /// Whether nothing was typed into the row; something is chosen in any.
    [[nodiscard]] bool is_blank(InputRows const& rows, std::string const& prefix) const {
        return std::ranges::all_of(rows.inputs, [&](FormField const& input) {
            bool const typed = input.kind != FieldKind::choice && input.kind != FieldKind::box;
            return !typed || field(fields, prefix + std::string(input.name)).empty();
        });
    }

    void write_rows(InputRows const& rows) {
        w.key(rows.name);
        w.begin_array();
        for (std::size_t place = 0; place <= kMostInputRows && has_row(fields, row_prefix(rows, place)); ++place) {
            auto const prefix = row_prefix(rows, place);
            if (is_blank(rows, prefix)) continue;
            w.begin_object();
            for (auto const& input : rows.inputs) write_member(input, prefix + std::string(input.name), input.name);
            w.end_object();
        }
        w.end_array();
    }

    void write_inputs(std::span<FormField const> inputs) {
        std::string_view open;  // the member whose members are being written
        for (auto const& input : inputs) {
            auto const dot = input.name.find('.');
            auto const of = dot == std::string_view::npos ? std::string_view() : input.name.substr(0, dot);
            if (of != open && !open.empty()) w.end_object();
            if (of != open && !of.empty()) {
                w.key(of);
                w.begin_object();
            }
            open = of;
            write_member(input, std::string(input.name), of.empty() ? input.name : input.name.substr(dot + 1));
        }
        if (!open.empty()) w.end_object();
    }
};

}  // namespace

std::string unix_lines(std::string_view text) {
    std::string lines(text);
    std::erase(lines, '\r');
    return lines;
}

core::Result<std::string> body_from(FormShape const& shape, FormFields const& fields) {
    auto const zone = field(fields, kZone);
    BodyWriter body{fields, shape.changes, core::is_time_zone(zone) ? std::string(zone) : "UTC"};
    body.w.begin_object();
    body.write_inputs(shape.inputs);
    for (auto const& rows : shape.rows) body.write_rows(rows);
    body.w.end_object();
    if (!body.faults.empty()) return tl::unexpected(core::validation_problem(body.faults));
    return body.w.take();
}

}  // namespace workforce::operations
