// One reset for the demo customer.
#include "cli/demo_sandbox.hpp"

#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <sstream>

#include "api/admin/administration.hpp"
#include "cli/demo_data.hpp"
#include "cli/owner_request.hpp"

namespace workforce::cli {

void fill_demo_sandbox(core::Config const& config, std::string const& file) {
    std::ifstream in(file);
    if (!in) return;
    std::ostringstream text;
    text << in.rdbuf();
    auto const demo = core::from_stored_json<DemoFile>(text.str());
    if (demo.facilityIds.empty()) return;
    api::ResetSandboxRequest const request{demo.organizationId, demo.facilityIds.front(), 1, true};
    workers::Runtime runtime(config);
    try {
        auto const answer =
            ask_owner(runtime, request.organizationId, "/internal/sandbox/reset", core::to_json(request));
        if (!answer) run_here(runtime, [&](workers::Runtime& here) { return api::reset_sandbox(here, request); });
    } catch (std::exception const& error) {
        fmt::print(stderr, "workforce: the demo's sandbox was not filled: {}\n", error.what());
    }
    runtime.stop();
}

}  // namespace workforce::cli
