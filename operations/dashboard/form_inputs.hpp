// Inputs of forms, declared once: what a page shows of them, and the body that comes of what was typed.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operations/dashboard/page_content.hpp"
#include "operations/oauth/oauth.hpp"

namespace workforce::operations {

/// Sorts of inputs, by what the body has of them.
enum class FieldKind : std::uint8_t {
    text,
    area,    ///< text of several lines
    email,   ///< text
    url,     ///< text
    date,    ///< text, YYYY-MM-DD
    time,    ///< text, HH:MM
    number,  ///< a number; what is none stays text, for the operation to refuse
    moment,  ///< a moment, typed by the clocks of the field `timezone`
    choice,  ///< one of `values`
    flag,    ///< true or false, chosen as yes or no
    id,      ///< one of the options that the page gives
    ids,     ///< a list of those that are ticked; names where they are no numbers
    lines,   ///< a list, typed one a line
    json,    ///< any JSON
    jsons,   ///< JSON of a list, which nothing empties
    box,     ///< true or false
    kept,    ///< nobody types it: a list that a link narrowed keeps it; without a label it is a person
};

/// An input. Texts are static.
struct FormField {
    std::string_view name;  ///< of the field and of the body's member; with a dot, of a member of a member
    std::string_view label;
    FieldKind kind = FieldKind::text;
    bool required = false;
    bool nullable = false;  ///< a change to nothing is null; else of a text "", and of others no change
    std::vector<std::string_view> values{};  ///< to choose from; "true=active" is called by what stands behind
    std::string_view blank{};                ///< what choosing nothing is called; empty: something is chosen
    std::string_view hint{};
};

/// Rows of inputs, each an object of a list. One into which nothing was typed is left out.
struct InputRows {
    std::string_view name;    ///< of the body's member
    std::string_view legend;  ///< "Break", which the rows are counted by
    std::vector<FormField> inputs;
};

/// A form's inputs.
struct FormShape {
    std::string_view form;  ///< the name of its operation
    std::vector<FormField> inputs;
    std::vector<InputRows> rows{};
    bool changes = false;  ///< something that is there; else it is made
};

/// A choice.
struct InputOption {
    std::string value;
    std::string text;
};
using InputOptions = std::map<std::string, std::vector<InputOption>, std::less<>>;

/// Rows of a list as options, by their ids, called by these members with blanks between.
std::vector<InputOption> options_of(core::JsonValue const& list, std::initializer_list<char const*> called);

/// The member that a name with dots leads to; null where there is none.
core::JsonValue const* member_at(core::JsonValue const& object, std::string_view name);

/// The fields as a form shows what is there already; moments by the zone's clocks, empty: UTC's.
FormFields held_fields(FormShape const& shape, core::JsonValue const& held, std::string_view zone = {});

/// The inputs as templates list them.
std::string shown_fields(std::span<FormField const> inputs, FormFields const& values, InputOptions const& options,
                         std::string_view id_prefix);
/// All of a form: with what was typed where the page answers just that form, else with `values`. An option that is
/// chosen and not among those that are given stays.
/// There is room for one row more than there are.
std::string shown_form(Call const& page, FormShape const& shape, FormFields values, InputOptions const& options = {});

inline constexpr std::size_t kMostInputRows = 100;
/// Ends the field that has a moment's milliseconds, which nobody types.
inline constexpr std::string_view kExact = ".exact";
/// The beginning of the names of a row's fields.
std::string row_prefix(InputRows const& rows, std::size_t place);
/// Whether there are fields of that row.
bool has_row(FormFields const& fields, std::string const& prefix);

/// "per diem" of "per_diem".
std::string spoken(std::string_view name);

/// The text with lines as we end them: browsers send CR LF.
std::string unix_lines(std::string_view text);

/// The body that the fields make. An empty list of something new is left out. Errors: VALIDATION_ERROR for a moment
/// that is none, and for what is no JSON.
core::Result<std::string> body_from(FormShape const& shape, FormFields const& fields);

/// "2026-07-24T10:00" of a moment by the zone's clocks; empty: UTC's.
std::string local_text(core::Timestamp moment, std::string_view zone);
/// "2026-07-24 10:00" of a moment's text by the zone's clocks; "" of what is none.
std::string wall_clock(core::JsonValue const& moment, std::string_view zone);

}  // namespace workforce::operations
