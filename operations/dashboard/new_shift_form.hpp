// Forms below the week of /schedule that post shifts: one, or those of a template.
#pragma once

#include <string>
#include <vector>

#include "operations/dashboard/pages.hpp"

namespace workforce::operations {

inline constexpr std::string_view kSchedulePage = "pages.schedule";

/// The week that the page shows, from its Monday, and the facility, by its id as text; empty: all of them.
struct ShownWeek {
    core::Date monday;
    std::string facility;
};

/// Adds what the forms show, to who may post shifts. A form that was refused has its fields as they were typed. Throws
/// as ask().
boost::asio::awaitable<void> add_new_shift_forms(Call& call, PageContent& content, ShownWeek week);

std::vector<DashboardForm> new_shift_forms();

}  // namespace workforce::operations
