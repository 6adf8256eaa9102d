// Parts of /me with files of their own: the clock, and what the person is told.
#pragma once

#include <vector>

#include "operations/dashboard/pages.hpp"

namespace workforce::operations {

inline constexpr std::string_view kOwnPage = "pages.own";

/// Adds the open log of the person, who works for the organization by that id, or else where they can clock in now.
/// Throws as ask().
boost::asio::awaitable<void> add_clock(Call& call, PageContent& content, Id staff);
std::vector<DashboardForm> clock_forms();

/// Adds what the user was told last, and how much of all is unread. Throws as ask().
boost::asio::awaitable<void> add_own_notifications(Call& call, PageContent& content);
std::vector<DashboardForm> notification_forms();

}  // namespace workforce::operations
