// Fields that were typed, on their way to an operation.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/comma_list.hpp"
#include "core/sql_values.hpp"
#include "operations/dashboard/form_inputs.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kZone = "timezone";
constexpr std::size_t kDateLength = 10;

/// A number as it was typed, else text.
void write_number(core::JsonWriter& w, std::string_view text) {
    auto const number = core::parse_json(text);
    if (number && number->IsNumber()) {
        w.raw(text);
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

/// A form's body as it is written.
struct BodyWriter {
    FormFields const& fields;
    bool changes;
    std::string zone;
    core::JsonWriter w{};
    std::vector<core::FieldError> faults{};

    void write_list(FormField const& input, std::string const& name, std::string_view text) {
        w.begin_array();
        if (input.kind == FieldKind::texts) {
            for (auto const one : core::texts_between_commas(text)) w.string(one);
        } else {
            auto const prefix = name + ":";
            for (auto const& [each, value] : fields) {
                if (each.starts_with(prefix)) write_number(w, std::string_view(each).substr(prefix.size()));
            }
        }
        w.end_array();
    }

    /// The member `key` of the open object, from the field of that name.
    void write_member(FormField const& input, std::string const& name, std::string_view key) {
        auto const text = field(fields, name);
        bool const is_list = input.kind == FieldKind::ids || input.kind == FieldKind::texts;
        bool const is_text =
            input.kind == FieldKind::text || input.kind == FieldKind::area || input.kind == FieldKind::email;
        if (!is_list && input.kind != FieldKind::box && text.empty()) {
            if (changes && input.nullable) {
                w.key(key);
                w.null();
            } else if ((changes && is_text) || input.required) {
                w.member(key, "");
            }
            return;
        }
        w.key(key);
        if (is_list) return write_list(input, name, text);
        if (input.kind == FieldKind::box) return w.boolean(!text.empty());
        if (input.kind == FieldKind::number || input.kind == FieldKind::id) return write_number(w, text);
        if (input.kind != FieldKind::moment) return w.string(text);
        auto const moment = typed_moment(fields, name, zone);
        if (!moment) faults.push_back({name, "format", "must be a date and a time"});
        w.string(moment ? core::to_string(*moment) : "");
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
