// Shared by the pages about agents.
#pragma once

#include "operations/dashboard/page_options.hpp"
#include "operations/dashboard/page_tabs.hpp"
#include "operations/dashboard/pages.hpp"
#include "operations/dashboard/row_table.hpp"

namespace workforce::operations {

inline constexpr std::string_view kAgentPage = "pages.agent";
inline constexpr std::string_view kRunPage = "pages.agent_run";

/// Adds the links between agents, runs and guardrails; `current` is the path of this page's.
void add_agent_tabs(Call const& page, PageContent& content, std::string_view current);

/// Adds the triggers of the page's agent, where the caller may see them, and the form that adds one. Throws as ask().
boost::asio::awaitable<void> add_triggers(Call& page, PageContent& content, bool is_active);
/// The forms about triggers, which stand on the agent's page.
std::vector<DashboardForm> trigger_forms();

}  // namespace workforce::operations
