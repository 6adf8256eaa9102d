// Filling templates, by the packaged Mustache.
#include "operations/pages/template.hpp"

#include <kainjow/mustache.hpp>

#include "core/json_values.hpp"

namespace workforce::operations {
namespace {

using kainjow::mustache::data;

/// A value as Mustache takes it. What is empty is false: Mustache takes an empty text for present, and looks for what
/// an object lacks in the objects around it.
data template_value(core::JsonValue const& value) {  // NOLINT(misc-no-recursion): as deep as our structs
    if (value.IsObject()) {
        data object;
        for (auto const& [name, member] : value.GetObject()) object.set(name.GetString(), template_value(member));
        return object;
    }
    if (value.IsArray()) {
        data list(data::type::list);
        for (auto const& item : value.GetArray()) list.push_back(template_value(item));
        return list;
    }
    if (value.IsString() && value.GetStringLength() > 0) {
        return std::string(value.GetString(), value.GetStringLength());
    }
    if (value.IsNumber()) return core::json_of(value);
    return value.IsTrue();
}

}  // namespace

std::string fill_template(std::string_view text, core::JsonValue const& values, std::span<TemplatePart const> parts) {
    auto all = template_value(values);
    for (auto const& part : parts) {
        all.set(std::string(part.name), kainjow::mustache::partial([text = part.text] { return std::string(text); }));
    }
    kainjow::mustache::mustache page{std::string(text)};
    auto html = page.render(all);
    if (!page.is_valid()) throw std::logic_error("a template can't be filled: " + page.error_message());
    return html;
}

}  // namespace workforce::operations
