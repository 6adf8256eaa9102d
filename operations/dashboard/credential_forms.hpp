// The shared parts of the pages about credentials and about their holders.
#pragma once

#include "operations/dashboard/form_inputs.hpp"
#include "operations/dashboard/pages.hpp"
#include "operations/dashboard/row_table.hpp"

namespace workforce::operations {

/// The form of a credential; its sort only where it is made.
FormShape credential_form(std::string_view form, bool changes);

/// The table of one person's credentials.
TableShape const& credentials_of_person();

/// Whether the caller may approve the log: nobody but an admin approves their own.
bool may_approve_log(Caller const& caller, core::JsonValue const& log);

/// The table of one person's logs of work.
TableShape const& logs_of_person();

}  // namespace workforce::operations
