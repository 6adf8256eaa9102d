// Showing tabs.
#include "operations/dashboard/page_tabs.hpp"

#include "core/json_values.hpp"

namespace workforce::operations {

void add_tabs(Call const& page, PageContent& content, std::span<Tab const> tabs, std::string_view current) {
    core::JsonWriter w;
    w.begin_array();
    for (auto const& tab : tabs) {
        if (!tab.needs.empty() && !may_ask(*page.caller, tab.needs)) continue;
        w.begin_object();
        w.member("path", tab.path);
        w.member("title", tab.title);
        w.member("current", tab.path == current);
        w.end_object();
    }
    w.end_array();
    content.add_json("tabs", w.text());
}

}  // namespace workforce::operations
