// Types first, then values.
#include "events/condition.hpp"

#include <algorithm>
#include <compare>

#include "core/glob.hpp"
#include "core/json_path.hpp"
#include "core/json_values.hpp"

namespace workforce::events {
namespace {

using core::JsonValue;

constexpr rapidjson::SizeType kMostListed = 100;

bool is_scalar(JsonValue const& value) { return value.IsString() || value.IsNumber() || value.IsBool(); }

bool are_of_one_type(JsonValue const& a, JsonValue const& b) {
    return (a.IsString() && b.IsString()) || (a.IsNumber() && b.IsNumber()) || (a.IsBool() && b.IsBool());
}

std::partial_ordering order(JsonValue const& a, JsonValue const& b) {
    if (a.IsString()) return core::text_of(a) <=> core::text_of(b);
    if (a.IsBool()) return a.GetBool() <=> b.GetBool();
    if (a.IsInt64() && b.IsInt64()) return a.GetInt64() <=> b.GetInt64();
    if (a.IsUint64() && b.IsUint64()) return a.GetUint64() <=> b.GetUint64();
    return a.GetDouble() <=> b.GetDouble();
}

/// Whether the value is in the list; nothing where the list has none of its type.
std::optional<bool> is_listed(JsonValue const& list, JsonValue const& value) {
    bool known = false;
    for (auto const& each : list.GetArray()) {
        if (!are_of_one_type(each, value)) continue;
        if (order(each, value) == 0) return true;
        known = true;
    }
    return known ? std::optional(false) : std::nullopt;
}

bool holds(ConditionOp op, std::partial_ordering found) {
    using enum ConditionOp;
    switch (op) {
        case eq:
            return found == 0;
        case ne:
            return found != 0;
        case gt:
            return found > 0;
        case gte:
            return found >= 0;
        case lt:
            return found < 0;
        case lte:
            return found <= 0;
        case in:
        case not_in:
        case matches:
        case exists:
            break;
    }
    return false;
}

}  // namespace

std::string_view fault_of(ConditionOp op, JsonValue const& value) {
    using enum ConditionOp;
    switch (op) {
        case exists:
            return value.IsBool() ? "" : "must be true or false for exists";
        case matches:
            return value.IsString() && value.GetStringLength() > 0 && value.GetStringLength() <= kLongestPattern
                       ? ""
                       : "must be a pattern of at most 200 bytes for matches";
        case in:
        case not_in: {
            bool const list = value.IsArray() && !value.Empty() && value.Size() <= kMostListed &&
                              std::all_of(value.Begin(), value.End(), is_scalar);
            return list ? "" : "must be a list of 1 to 100 texts, numbers or booleans for in and not_in";
        }
        case gt:
        case gte:
        case lt:
        case lte:
            return value.IsNumber() || value.IsString() ? "" : "must be a number or a text for an order";
        case eq:
        case ne:
            break;
    }
    return is_scalar(value) ? "" : "must be a text, a number or a boolean for eq and ne";
}

bool meets(ConditionOp op, JsonValue const& value, JsonValue const* actual) {
    using enum ConditionOp;
    bool const present = actual != nullptr && !actual->IsNull();
    if (op == exists) return present == value.GetBool();
    if (!present) return false;
    if (op == in) return is_listed(value, *actual).value_or(false);
    if (op == not_in) return !is_listed(value, *actual).value_or(true);
    if (!are_of_one_type(value, *actual)) return false;
    if (op == matches) {
        return actual->GetStringLength() <= kLongestMatched &&
               core::matches_glob(core::text_of(value), core::text_of(*actual));
    }
    return holds(op, order(*actual, value));
}

bool meets(ConditionOp op, JsonValue const& value, std::span<JsonValue const* const> found) {
    if (found.empty()) return meets(op, value, static_cast<JsonValue const*>(nullptr));
    return std::ranges::any_of(found, [&](JsonValue const* each) { return meets(op, value, each); });
}

void Condition::check(core::FieldCheck& fields) const {
    if (fields.sound("path") && !core::JsonPath::parse(path.value)) {
        fields.fail("path", "path", "must be names between dots, with places of items in brackets");
    }
    if (!fields.sound("op") || !fields.sound("value")) return;
    auto const document = core::parse_json(value.text);
    auto const fault = document ? fault_of(op, *document) : std::string_view("must be JSON");
    if (!fault.empty()) fields.fail("value", "condition_value", fault);
}

}  // namespace workforce::events
