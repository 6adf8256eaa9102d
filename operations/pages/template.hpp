// Filling Mustache templates with described structs; who keeps the templates gives their text.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/json.hpp"

namespace workforce::operations {

/// A template that others include by {{>name}}.
struct TemplatePart {
    std::string_view name;
    std::string_view text;
};

/// Fills a template with the members of a JSON object. Text is escaped for HTML, but in triple braces. To a section, a
/// member is absent where it is null, false, an empty text or an empty list. Throws std::logic_error for a template
/// that is none. Thread-safe.
std::string fill_template(std::string_view text, core::JsonValue const& values,
                          std::span<TemplatePart const> parts = {});

/// As above, with the members of a described struct, as their JSON has them. What it says is UTF-8.
template <core::DescribedStruct T>
std::string fill_template(std::string_view text, T const& values, std::span<TemplatePart const> parts = {}) {
    auto const document = core::parse_json(core::to_json(values));
    if (!document) throw std::logic_error("a template's values are no JSON: " + document.error().message);
    return fill_template(text, *document, parts);
}

}  // namespace workforce::operations
