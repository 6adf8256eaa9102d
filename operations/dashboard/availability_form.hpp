// The blocks of a week in which a person can work, and the form that says them.
#pragma once

#include "operations/dashboard/form_inputs.hpp"

namespace workforce::operations {

/// Adds for the part `availability_part` the blocks of the person, and for those who may say them the inputs of the
/// form of that name, which is at `action`. Throws as ask().
boost::asio::awaitable<void> add_availability(Call& page, PageContent& content, Id staff, std::string_view form,
                                              std::string action);

/// The question of such a form. Errors: VALIDATION_ERROR.
core::Result<Question> availability_question(std::string_view form, Id staff, FormFields const& fields);

}  // namespace workforce::operations
