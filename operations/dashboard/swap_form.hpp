// The form of /schedule/shifts/{id} by which a person of the shift and one of another shift change places.
#pragma once

#include "operations/dashboard/pages.hpp"

namespace workforce::operations {

inline constexpr std::string_view kShiftPage = "pages.shift";
/// Parameters of the page: who is to change places, by the id; the first day of the other shifts that are shown.
inline constexpr std::string_view kSwapped = "swap";
inline constexpr std::string_view kSwapDay = "day";

/// Whether people of the shift can change places: the caller may have them do so, and its state allows it.
bool can_swap(Call const& call, core::JsonValue const& shift);
/// Adds what the form shows where the address says who of the shift changes places. Throws as ask().
boost::asio::awaitable<void> add_swap_form(Call& call, PageContent& content, core::JsonValue const& shift);

DashboardForm swap_form();

}  // namespace workforce::operations
