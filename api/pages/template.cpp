// Filling templates, by the packaged Mustache.
#include "api/pages/template.hpp"

#include <algorithm>
#include <kainjow/mustache.hpp>
#include <stdexcept>

#include "api/pages/templates.hpp"

namespace workforce::api {
namespace {

using kainjow::mustache::data;

std::string_view template_text(std::string_view name) {
    auto const file = std::string(name) + ".mustache";
    auto const found = std::ranges::find(templates::kFiles, file, &templates::File::name);
    if (found == templates::kFiles.end()) throw std::logic_error("there is no template " + file);
    return found->text;
}

/// A value as Mustache takes it. What is empty is false: Mustache takes an empty text for present, and looks for what
/// an object lacks in the objects around it.
data value_of(core::JsonValue const& value) {  // NOLINT(misc-no-recursion): as deep as our structs
    if (value.IsObject()) {
        data object;
        for (auto const& [name, member] : value.GetObject()) object.set(name.GetString(), value_of(member));
        return object;
    }
    if (value.IsArray()) {
        data list(data::type::list);
        for (auto const& item : value.GetArray()) list.push_back(value_of(item));
        return list;
    }
    if (value.IsString() && value.GetStringLength() > 0) {
        return std::string(value.GetString(), value.GetStringLength());
    }
    if (value.IsInt64()) return std::to_string(value.GetInt64());
    return value.IsTrue();
}

}  // namespace

std::string fill_template(std::string_view name, core::JsonValue const& values) {
    auto all = value_of(values);
    for (auto const& file : templates::kFiles) {
        if (!file.name.starts_with("part_")) continue;
        auto const part = std::string(file.name.substr(0, file.name.find('.')));
        all.set(part, kainjow::mustache::partial([text = file.text] { return std::string(text); }));
    }
    kainjow::mustache::mustache page{std::string(template_text(name))};
    auto html = page.render(all);
    if (!page.is_valid()) throw std::logic_error(std::string(name) + ".mustache: " + page.error_message());
    return html;
}

}  // namespace workforce::api
