// Links between pages of one matter.
#pragma once

#include <span>
#include <string_view>

#include "operations/dashboard/page_content.hpp"

namespace workforce::operations {

/// A link to another page of the same matter. Texts are static.
struct Tab {
    std::string_view path;
    std::string_view title;
    std::string_view needs{};  ///< an operation: who may not ask for that does not see the tab
};
/// Adds those that the caller may see as `tabs`, for the part `tabs_part`; `current` is the path of this page's.
void add_tabs(Call const& page, PageContent& content, std::span<Tab const> tabs, std::string_view current);

}  // namespace workforce::operations
