// Pages for people: the templates of this folder (*.mustache), filled with described structs.
#pragma once

#include <string>
#include <string_view>

#include "core/json.hpp"

namespace workforce::api {

/// Fills the template NAME.mustache with the members of a JSON object. Text is escaped for HTML. To a section, a member
/// is absent where it is null, false, an empty text or an empty list. A template includes part_NAME.mustache by
/// {{>part_NAME}}.
/// Throws std::logic_error for a template that does not exist or can't be read. Thread-safe.
std::string fill_template(std::string_view name, core::JsonValue const& values);

/// As above, with the members of a described struct, as their JSON has them.
template <core::DescribedStruct T>
std::string fill_template(std::string_view name, T const& values) {
    auto const document = core::parse_json(core::to_json(values));
    return fill_template(name, *document);
}

}  // namespace workforce::api
