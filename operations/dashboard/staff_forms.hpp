// What the pages about people who work share.
#pragma once

#include "operations/dashboard/form_inputs.hpp"
#include "operations/dashboard/pages.hpp"

namespace workforce::operations {

/// What a person's record asks for.
FormShape staff_form(std::string_view form, bool changes);

/// The facilities that the caller sees, as `facilityIds`. Throws as ask().
boost::asio::awaitable<InputOptions> facility_options(Call& page);

}  // namespace workforce::operations
