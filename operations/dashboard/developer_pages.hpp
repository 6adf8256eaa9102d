// Shared by the pages for developers.
#pragma once

#include "operations/dashboard/page_tabs.hpp"

namespace workforce::operations {

/// Adds the links between the pages for developers; `current` is the path of this page's.
void add_developer_tabs(Call const& page, PageContent& content, std::string_view current);

}  // namespace workforce::operations
