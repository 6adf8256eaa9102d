// Runs as their readers may know them: a run acts with the rights of its user, whom its readers are not.
#pragma once

#include <string>

#include "operations/caller.hpp"

namespace workforce::operations {

/// The run, or the page of runs, of an answer as the caller may know it: without what the steps say of tools that the
/// caller may not call, unless the run acts for the caller, and without the secrets that apps are sent and give. Where
/// something of a step is left out, so is the output. What is no such JSON is given back. Pure.
std::string shown_runs(Caller const& caller, std::string body);

}  // namespace workforce::operations
