// Pages for people: the templates of this folder (*.mustache), filled with described structs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "operations/pages/template.hpp"

namespace workforce::api {

/// The template NAME.mustache. Throws std::logic_error where there is none.
std::string_view template_text(std::string_view name);
/// The templates part_NAME.mustache, which others include by {{>part_NAME}}.
std::span<operations::TemplatePart const> template_parts();

/// Fills NAME.mustache, as operations::fill_template() does. Throws std::logic_error for a template that does not exist
/// or can't be filled. Thread-safe.
template <core::DescribedStruct T>
std::string fill_template(std::string_view name, T const& values) {
    return operations::fill_template(template_text(name), values, template_parts());
}

}  // namespace workforce::api
