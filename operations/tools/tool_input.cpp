// Arguments into what operations read, and answers into what tools give.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/json.hpp"
#include "core/json_duplicates.hpp"
#include "core/json_values.hpp"
#include "operations/tools/tool.hpp"

namespace workforce::operations {
namespace {

using core::JsonValue;
using core::text_of;

/// Whether a number has no fraction. A double that is no integer of the parser's is a whole one only past 2^53.
bool is_whole(JsonValue const& number) {
    return !number.IsDouble() || std::trunc(number.GetDouble()) == number.GetDouble();
}

JsonTypes type_of(JsonValue const& value) {
    switch (value.GetType()) {
        case rapidjson::kNullType:
            return kJsonNull;
        case rapidjson::kFalseType:
        case rapidjson::kTrueType:
            return kJsonBoolean;
        case rapidjson::kObjectType:
            return kJsonObject;
        case rapidjson::kArrayType:
            return kJsonArray;
        case rapidjson::kStringType:
            return kJsonString;
        case rapidjson::kNumberType:
            return is_whole(value) ? kJsonInteger : kJsonFraction;
    }
    return kJsonAny;
}

std::string names_of(JsonTypes types) {
    constexpr std::array<std::pair<JsonTypes, std::string_view>, 7> kNames{{{kJsonNull, "null"},
                                                                            {kJsonBoolean, "a boolean"},
                                                                            {kJsonFraction, "a number"},
                                                                            {kJsonInteger, "an integer"},
                                                                            {kJsonString, "a string"},
                                                                            {kJsonArray, "an array"},
                                                                            {kJsonObject, "an object"}}};
    if ((types & kJsonFraction) != 0) types &= ~kJsonInteger;  // which a number may be
    std::string names;
    for (auto const& [type, name] : kNames) {
        if ((types & type) != 0) names.append(names.empty() ? "must be " : " or ").append(name);
    }
    return names;
}

ToolArgument const* find_argument(Tool const& tool, std::string_view name) {
    auto const found = std::ranges::find(tool.arguments, name, &ToolArgument::name);
    return found == tool.arguments.end() ? nullptr : &*found;
}

/// Adds the members of objects in the value that nobody would read, and numbers that would have to be whole. `place`
/// names the value.
void check_within(JsonValue const& value, KnownMembers const& known, std::string const& place, core::Faults& faults) {
    if (known.any && !known.whole) return;
    if (value.IsArray()) {
        for (auto const& each : value.GetArray()) {
            check_within(each, known, place + "[" + std::to_string(&each - value.Begin()) + "]", faults);
        }
    }
    if (known.whole && value.IsNumber() && !is_whole(value)) faults.add(place, "type", "must be an integer");
    if (known.any || !value.IsObject()) return;
    for (auto const& each : value.GetObject()) {
        auto const name = text_of(each.name);
        auto const within = place + "." + std::string(name);
        auto const found = known.by_name.find(name);
        if (found == known.by_name.end()) {
            faults.add(within, "unknown", "is no field of it");
        } else {
            check_within(each.value, found->second, within, faults);
        }
    }
}

/// A value as the text of a query parameter: lists with commas, as REST has them.
std::string parameter_text(JsonValue const& value) {
    if (value.IsString()) return std::string(text_of(value));
    if (value.IsArray()) {
        std::string all;
        for (auto const& each : value.GetArray())
            all.append(&each == value.Begin() ? "" : ",").append(parameter_text(each));
        return all;
    }
    return core::json_of(value);
}

/// Adds texts that a parameter which takes several values would be split at, so that each is one value as it looks.
void check_items(JsonValue const& value, std::string const& place, core::Faults& faults) {
    if (value.IsString() && text_of(value).find(',') != std::string_view::npos) {
        faults.add(place, "format", "must have no comma; several values are a list");
    }
    if (!value.IsArray()) return;
    for (auto const& item : value.GetArray()) {
        check_items(item, place + "[" + std::to_string(&item - value.Begin()) + "]", faults);
    }
}

core::Problem no_id(ToolArgument const& argument) {
    return core::validation_problem({{argument.name, "type", "must be a positive integer"}});
}

core::Result<PathParameter> path_parameter(ToolArgument const& argument, JsonValue const& value) {
    if (argument.types == kJsonString)
        return PathParameter{.name = argument.field, .text = std::string(text_of(value))};
    bool const is_id = value.IsInt64() && value.GetInt64() >= 1 && value.GetInt64() <= core::kMaxId;
    if (!is_id) return tl::unexpected(no_id(argument));
    return PathParameter{.name = argument.field, .id = value.GetInt64()};
}

}  // namespace

core::Faults check_arguments(Tool const& tool, JsonValue const& arguments) {
    core::Faults faults;
    for (auto const& each : core::duplicate_members(arguments)) faults.add(each.field, each.rule, each.message);
    for (auto const& each : arguments.GetObject()) {
        auto const* const argument = find_argument(tool, text_of(each.name));
        if (argument == nullptr) {
            faults.add(text_of(each.name), "unknown", "is no argument of this tool");
        } else if ((argument->types & type_of(each.value)) == 0) {
            faults.add(argument->name, "type", names_of(argument->types));
        } else {
            check_within(each.value, argument->members, argument->name, faults);
            bool const takes_several =
                argument->place == ToolArgument::Place::parameter && (argument->types & kJsonArray) != 0;
            if (takes_several) check_items(each.value, argument->name, faults);
        }
    }
    for (auto const& argument : tool.arguments) {
        if (argument.required && core::find_member(&arguments, argument.name) == nullptr) {
            faults.add(argument.name, "required", "is required");
        }
    }
    return faults;
}

core::Result<RawInput> input_of(Tool const& tool, JsonValue const& arguments) {
    RawInput input;
    if (tool.operation->body != nullptr || tool.operation->effect != Effect::read) {
        input.body.emplace(rapidjson::Document(rapidjson::kObjectType));
    }
    for (auto const& argument : tool.arguments) {  // in the path's order
        auto const* const value = core::find_member(&arguments, argument.name);
        if (value == nullptr) continue;
        if (argument.place == ToolArgument::Place::path) {
            auto parameter = path_parameter(argument, *value);
            if (!parameter) return tl::unexpected(parameter.error());
            input.path.add(*std::move(parameter));
        } else if (argument.place == ToolArgument::Place::parameter) {
            input.parameters.emplace(argument.field, parameter_text(*value));
        } else {
            auto& body = **input.body;
            auto& allocator = body.GetAllocator();
            body.AddMember(
                JsonValue(argument.field.data(), static_cast<rapidjson::SizeType>(argument.field.size()), allocator),
                JsonValue(*value, allocator), allocator);
        }
    }
    return input;
}

std::vector<JsonValue const*> calls_within(Tool const& tool, JsonValue const& arguments) {
    std::vector<JsonValue const*> calls;
    for (auto const& argument : tool.arguments) {
        auto const& members = argument.members.by_name;
        bool const repeats = (argument.types & kJsonArray) != 0 && !members.empty() &&
                             std::ranges::all_of(members, [&](auto const& member) {
                                 return find_argument(tool, member.first) != nullptr;
                             });
        auto const* const list = repeats ? core::find_member(&arguments, argument.name) : nullptr;
        if (list == nullptr || !list->IsArray()) continue;
        for (auto const& item : list->GetArray()) calls.push_back(&item);
    }
    return calls;
}

std::string structured_content(Tool const& tool, std::string body) {
    if (tool.binding().answers_list) return R"({"data":)" + body + "}";
    return body.empty() ? "{}" : std::move(body);
}

}  // namespace workforce::operations
