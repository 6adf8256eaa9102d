// Showing forms, and reading what was filled in.
#include "operations/dashboard/form_view.hpp"

#include <fmt/format.h>
#include <rapidjson/pointer.h>

#include <algorithm>
#include <utility>

#include "core/json_values.hpp"

namespace workforce::operations {

/// A field as the template takes it.
struct ShownInput {
    std::string id;
    std::string name;
    std::string label;
    std::string hint;
    std::string value;
    bool line = false;
    bool area = false;
    bool pick = false;
    bool boxes = false;
    bool code = false;
    bool required = false;
    bool optional = false;  ///< of a choice: none may be chosen
    bool opened = false;    ///< of boxes: they are few, or some are ticked
    std::string longest;    ///< empty: as long as it may be
    std::string numeric;    ///< the keyboard of telephones
    std::int64_t rows = 3;  ///< of an area
    InputChoices choices;
};
BOOST_DESCRIBE_STRUCT(ShownInput, (),
                      (id, name, label, hint, value, line, area, pick, boxes, code, required, optional, opened, longest,
                       numeric, rows, choices))

struct ShownForm {
    std::string action;
    std::string button;
    std::string check_action;
    std::string check_button;
    std::vector<ShownInput> inputs;
};
BOOST_DESCRIBE_STRUCT(ShownForm, (), (action, button, check_action, check_button, inputs))

namespace {

bool is_ticked(FormFields const& fields, FormInput const& input, std::string_view value) {
    return fields.contains(fmt::format("{}:{}", input.member, value));
}

/// The text that stands in the field for the member's value.
std::string text_of_value(FormInput const& input, core::JsonValue const& value) {
    if (input.kind == InputKind::json) return value.IsNull() ? "" : indented_json(value);
    if (value.IsString()) return std::string(core::text_of(value));
    if (value.IsNull() || value.IsObject()) return "";
    if (!value.IsArray()) return core::json_of(value);
    std::string lines;
    for (auto const& item : value.GetArray()) {
        lines += lines.empty() ? "" : "\n";
        lines += item.IsString() ? std::string(core::text_of(item)) : core::json_of(item);
    }
    return lines;
}

InputChoices choices_of(FormInput const& input, FormContent const& content) {
    if (input.kind == InputKind::flag) return {{"true", "yes"}, {"false", "no"}};
    InputChoices choices;
    for (auto const value : input.values) choices.push_back({std::string(value), in_words(value)});
    if (auto const more = content.choices.find(input.member); more != content.choices.end()) {
        choices.insert(choices.end(), more->second.begin(), more->second.end());
    }
    return choices;
}

/// Marks what is chosen. What the page does not offer, and was chosen before, stays on offer.
void choose(InputChoices& choices, std::vector<std::string> const& values) {
    for (auto const& value : values) {
        auto const found = std::ranges::find(choices, value, &InputChoice::value);
        if (found != choices.end()) {
            found->chosen = true;
        } else if (!value.empty()) {
            choices.push_back({value, in_words(value), true});
        }
    }
}

constexpr std::size_t kFewBoxes = 4;

/// How high an area is: as its text, and some lines more.
std::int64_t rows_for(std::string_view text) {
    return std::clamp<std::int64_t>(std::ranges::count(text, '\n') + 3, 3, 24);
}

ShownInput shown(FormInput const& input, FormContent const& content) {
    using enum InputKind;
    ShownInput shown;
    shown.name = input.member;
    shown.id = fmt::format("{}-{}", content.prefix, input.member);
    std::ranges::replace(shown.id, '/', '-');
    shown.label = input.label;
    shown.hint = input.hint;
    shown.required = input.required;
    shown.line = input.kind == text || input.kind == name || input.kind == number;
    shown.code = input.kind == json;
    shown.area = input.kind == area || input.kind == lines || input.kind == json;
    shown.pick = input.kind == choice || input.kind == id || input.kind == flag;
    shown.boxes = input.kind == boxes;
    shown.optional = !input.required;
    if (input.kind == text || input.kind == name) shown.longest = std::to_string(input.longest);
    if (input.kind == number) shown.numeric = "decimal";
    shown.choices = choices_of(input, content);
    auto const* const member = content.record == nullptr ? nullptr : place_of(input).Get(*content.record);
    if (content.typed) {
        shown.value = unix_lines(field(*content.typed, input.member));
    } else if (member != nullptr) {
        shown.value = text_of_value(input, *member);
    }
    if (shown.area) shown.rows = rows_for(shown.value);
    if (shown.pick) choose(shown.choices, {shown.value});
    if (shown.boxes && content.typed) {
        for (auto& each : shown.choices) each.chosen = is_ticked(*content.typed, input, each.value);
    } else if (shown.boxes) {
        choose(shown.choices, lines_of(shown.value));
    }
    shown.opened = shown.choices.size() <= kFewBoxes || std::ranges::any_of(shown.choices, &InputChoice::chosen);
    return shown;
}

boost::asio::awaitable<InputChoices> listed(Call& page, std::string_view operation, QueryMap query,
                                            std::vector<char const*> named) {
    InputChoices choices;
    if (!may_ask(*page.caller, operation)) co_return choices;
    query.emplace("limit", "200");
    auto const outcome = co_await ask(page, {.operation = operation, .parameters = std::move(query)});
    if (outcome.status >= 300) co_return choices;
    auto const document = core::parse_json(outcome.body);
    for (auto const& row : (*document)["data"].GetArray()) {
        std::string name;
        for (auto const* const member : named) {
            name += (name.empty() ? "" : " ") + std::string(core::text_of(row[member]));
        }
        choices.push_back({std::to_string(row["id"].GetInt64()), std::move(name)});
    }
    co_return choices;
}

}  // namespace

std::string in_words(std::string_view value) {
    if (value == "true") return "yes";
    if (value == "false") return "no";
    std::string words(value);
    std::ranges::replace(words, '_', ' ');
    return words;
}

std::string form_json(std::string_view action, std::string_view button, std::span<FormInput const> inputs,
                      FormContent const& content) {
    ShownForm form{
        std::string(action), std::string(button), content.check_action, std::string(content.check_button), {}};
    for (auto const& input : inputs) form.inputs.push_back(shown(input, content));
    return core::to_json(form);
}

std::optional<FormFields> sent_by(Call const& call, std::string_view form) {
    if (call.operation.name != form || !call.input.body || !*call.input.body) return std::nullopt;
    return fields_of(**call.input.body);
}

boost::asio::awaitable<InputChoices> facility_choices(Call& page) {
    return listed(page, "facilities.list", {{"sort", "name"}}, {"name"});
}
boost::asio::awaitable<InputChoices> user_choices(Call& page) {
    return listed(page, "users.list", {{"status", "active,invited,locked"}}, {"firstName", "lastName"});
}
boost::asio::awaitable<InputChoices> staff_choices(Call& page) {
    return listed(page, "staff.list", {{"sort", "lastName"}}, {"firstName", "lastName"});
}
boost::asio::awaitable<InputChoices> organization_choices(Call& page) {
    if (!page.caller->across_organizations) co_return InputChoices();
    co_return co_await listed(page, "organizations.list", {}, {"name"});
}

std::vector<FormInput> with_organization(Call const& call, std::span<FormInput const> inputs) {
    std::vector<FormInput> all;
    if (call.caller->across_organizations) {
        all.push_back({.member = "orgUnitId", .label = "Organization", .kind = InputKind::id, .required = true});
    }
    all.insert(all.end(), inputs.begin(), inputs.end());
    return all;
}

}  // namespace workforce::operations
