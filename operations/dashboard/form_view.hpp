// Forms of many fields, each from one table: how a page shows the fields, and the body that they make.
#pragma once

#include <rapidjson/pointer.h>

#include <boost/asio/awaitable.hpp>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operations/dashboard/pages.hpp"

namespace workforce::operations {

/// What a field is filled with, and what its member of the body is.
enum class InputKind : std::uint8_t {
    text,    ///< a line
    name,    ///< a line; nothing in it: null
    area,    ///< lines
    number,  ///< a number
    id,      ///< one of the choices, by its id; nothing chosen: null
    flag,    ///< yes or no
    choice,  ///< one of the choices
    boxes,   ///< any of the choices; ids where they are numbers
    lines,   ///< a list of texts, one a line
    json,    ///< any JSON
};

/// A field of a form. Texts are static.
struct FormInput {
    std::string_view member;  ///< of the body, and of what is changed; "limits/maxSteps" of one within another
    std::string_view label;
    InputKind kind = InputKind::text;
    bool required = false;
    std::string_view hint{};
    std::vector<std::string_view> values{};  ///< choices that are always the same
    std::size_t longest = 200;
    std::string_view nothing = "null";  ///< JSON that an empty field of JSON stands for
};

/// One of the choices of a field.
struct InputChoice {
    std::string value;
    std::string text;
    bool chosen = false;
};
BOOST_DESCRIBE_STRUCT(InputChoice, (), (value, text, chosen))
using InputChoices = std::vector<InputChoice>;

/// What an empty field says: nothing, or that the member is to be empty. One that was not sent says nothing.
enum class Emptied : std::uint8_t { left_out, cleared };

/// The JSON object that the fields make. Errors: VALIDATION_ERROR for what is no number or no JSON.
core::Result<std::string> body_of(std::span<FormInput const> inputs, FormFields const& fields, Emptied emptied);

/// The text with lines as we end them: browsers send CR LF.
std::string unix_lines(std::string_view text);
/// The lines of a text, without those that are blank.
std::vector<std::string> lines_of(std::string_view text);
/// Where the field's member is in the body, and in what is changed.
rapidjson::Pointer place_of(FormInput const& input);

/// What a form's fields hold when a page shows it.
struct FormContent {
    core::JsonValue const* record = nullptr;             ///< what is changed; null: something new is made
    std::map<std::string_view, InputChoices> choices{};  ///< by the field's member
    std::optional<FormFields> typed{};                   ///< what was sent and refused, instead of the record's
    std::string_view prefix = "in";                      ///< of the fields' ids, which are unique on a page
    std::string check_action{};                          ///< where a second button leads; empty: there is none
    std::string_view check_button{};
};

/// A form as the part `part_form` takes it: where it leads, its fields, the text of its button.
std::string form_json(std::string_view action, std::string_view button, std::span<FormInput const> inputs,
                      FormContent const& content);

/// The fields that were sent where the page answers this form; nothing where it does not.
std::optional<FormFields> sent_by(Call const& call, std::string_view form);

/// What a person may name, of the first 200: facilities in use, users, staff, organizations. None where the caller may
/// not list them. Throws as ask().
boost::asio::awaitable<InputChoices> facility_choices(Call& page);
boost::asio::awaitable<InputChoices> user_choices(Call& page);
boost::asio::awaitable<InputChoices> staff_choices(Call& page);
/// Of organizations, for those alone who act on any.
boost::asio::awaitable<InputChoices> organization_choices(Call& page);

/// The text of a value that is a word of ours: "facility admin" of facility_admin.
std::string in_words(std::string_view value);

/// The inputs, after the organization that the thing is made in, for those who act on any.
std::vector<FormInput> with_organization(Call const& call, std::span<FormInput const> inputs);

}  // namespace workforce::operations
