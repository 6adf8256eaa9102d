// The shared parts of the pages about people who work.
#pragma once

#include "operations/dashboard/form_inputs.hpp"
#include "operations/dashboard/pages.hpp"

namespace workforce::operations {

/// The form of a person's record.
FormShape staff_form(std::string_view form, bool changes);

/// The facilities that the caller sees, as `facilityIds`; with those out of use of `held`, the ids of a list, or null.
/// Throws as ask().
boost::asio::awaitable<InputOptions> facility_options(Call& page, core::JsonValue const* held = nullptr);

}  // namespace workforce::operations
