// The templates by name.
#include "api/pages/template.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "api/pages/templates.hpp"

namespace workforce::api {

std::string_view template_text(std::string_view name) {
    auto const file = std::string(name) + ".mustache";
    auto const found = std::ranges::find(templates::kFiles, file, &templates::File::name);
    if (found == templates::kFiles.end()) throw std::logic_error("there is no template " + file);
    return found->text;
}

std::span<operations::TemplatePart const> template_parts() {
    static auto const parts = [] {
        std::vector<operations::TemplatePart> all;
        for (auto const& file : templates::kFiles) {
            if (file.name.starts_with("part_")) all.push_back({file.name.substr(0, file.name.find('.')), file.text});
        }
        return all;
    }();
    return parts;
}

}  // namespace workforce::api
