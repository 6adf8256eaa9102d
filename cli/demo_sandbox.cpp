// One reset for the demo customer.
#include "cli/demo_sandbox.hpp"

#include <fmt/format.h>

#include <exception>

#include "api/admin/administration.hpp"
#include "cli/demo_data.hpp"
#include "cli/owner_request.hpp"

namespace workforce::cli {

void fill_demo_sandbox(core::Config const& config, std::string const& file) {
    auto const demo = read_demo(file);
    if (!demo || demo->facilityIds.empty()) return;
    api::ResetSandboxRequest const request{demo->organizationId, demo->facilityIds.front(), 1, true};
    auto const local = [&](workers::Runtime& runtime, std::string const& request_key) {
        return api::reset_sandbox(runtime, request, request_key);
    };
    try {
        ask_where_served(config, "/internal/sandbox/reset", request, local);
    } catch (std::exception const& error) {
        fmt::print(stderr, "workforce: the demo's sandbox was not filled: {}\n", error.what());
    }
}

}  // namespace workforce::cli
