// People and places that a form or a filter lets one choose.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <span>
#include <vector>

#include "operations/dashboard/form_inputs.hpp"

namespace workforce::operations {

/// The first 200 facilities in use, users, staff, agents, organizations; none where the caller may not list them.
/// Throws as ask(). Facilities of `held`, a list of ids or null, come besides where the caller sees them (the first 20
/// that are not among the 200), so that one that is out of use can be taken off.
boost::asio::awaitable<std::vector<InputOption>> facility_choices(Call& page, core::JsonValue const* held = nullptr);
boost::asio::awaitable<std::vector<InputOption>> user_choices(Call& page);
boost::asio::awaitable<std::vector<InputOption>> staff_choices(Call& page);
boost::asio::awaitable<std::vector<InputOption>> agent_choices(Call& page);
/// The organizations, for callers who act on any.
boost::asio::awaitable<std::vector<InputOption>> organization_choices(Call& page);

/// The inputs, after the organization that the thing is made in, `orgUnitId`, for those who act on any.
std::vector<FormField> with_organization(Call const& call, std::span<FormField const> inputs);

}  // namespace workforce::operations
