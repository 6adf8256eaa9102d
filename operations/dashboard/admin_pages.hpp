// Shared by the pages for administrators.
#pragma once

#include "operations/dashboard/page_options.hpp"
#include "operations/dashboard/page_tabs.hpp"
#include "operations/dashboard/pages.hpp"
#include "operations/dashboard/row_table.hpp"

namespace workforce::operations {

/// Adds the links between the pages for administrators; `current` is the path of this page's.
void add_admin_tabs(Call const& page, PageContent& content, std::string_view current);

}  // namespace workforce::operations
