// Forms by which work is recorded and corrected.
#pragma once

#include "operations/dashboard/form_inputs.hpp"
#include "operations/dashboard/pages.hpp"

namespace workforce::operations {

/// Adds `work` and `clock_in`, the forms that record work of the person with that record, as far as the caller may and
/// there is a place. Throws as ask().
boost::asio::awaitable<void> add_work_forms(Call& page, PageContent& content, core::JsonValue const& person);
/// The forms on the person's page.
std::vector<DashboardForm> work_forms_of(std::string_view page);

/// The form that corrects a log.
FormShape log_form(std::string_view form);

}  // namespace workforce::operations
