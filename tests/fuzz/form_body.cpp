// Fields of a form: the body that they make is JSON, whatever was typed, and a page can show them again.
#include "core/json_values.hpp"
#include "operations/dashboard/form_inputs.hpp"
#include "operations/dashboard/staff_forms.hpp"
#include "operations/dashboard/work_forms.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {
namespace {

using namespace workforce::operations;

void take(FormShape const& shape, FormFields const& fields) {
    auto const shown = core::parse_json(shown_fields(shape.inputs, fields, {}, "in"));
    require(shown && shown->IsArray(), "what was typed can be shown");
    auto const body = body_from(shape, fields);
    if (!body) return require(is_utf8(body.error().message), "what is wrong is said");
    auto const read = core::parse_json(*body);
    require(read && read->IsObject(), "a body is an object");
    auto const again = body_from(shape, held_fields(shape, *read));
    require(again && core::parse_json(*again)->IsObject(), "a body can be changed by the same form");
}

/// Kinds of fields that the other forms lack.
FormShape json_form(bool changes) {
    return {.form = "form",
            .inputs = {{.name = "plan", .label = "Plan", .kind = FieldKind::jsons},
                       {.name = "limits.window", .label = "Window", .kind = FieldKind::json, .nullable = true},
                       {.name = "tags", .label = "Tags", .kind = FieldKind::lines},
                       {.name = "open", .label = "Open", .kind = FieldKind::flag},
                       {.name = "roles", .label = "Roles", .kind = FieldKind::ids, .values = {"viewer", "staff"}}},
            .changes = changes};
}

}  // namespace

/// A line for each field, "name=value".
void fuzz(std::string_view input) {
    if (!is_utf8(input)) return;
    FormFields fields;
    while (!input.empty()) {
        auto line = take_until(input, '\n');
        auto const name = take_until(line, '=');
        fields.insert_or_assign(std::string(name), std::string(line));
    }
    take(staff_form("form", false), fields);
    take(staff_form("form", true), fields);
    take(log_form("form"), fields);
    take(json_form(false), fields);
    take(json_form(true), fields);
}

}  // namespace workforce::tests
