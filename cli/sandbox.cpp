// `workforce sandbox`: fills the sandbox of a facility anew, through the running service where there is one.
#include <memory>

#include "api/admin/administration.hpp"
#include "cli/command_line.hpp"
#include "cli/owner_request.hpp"

namespace workforce::cli {
namespace {

/// Resets the sandbox and prints as JSON what that did.
int reset(core::Config const& config, api::ResetSandboxRequest const& request) {
    auto const local = [&](workers::Runtime& runtime, std::string const& request_key) {
        return api::reset_sandbox(runtime, request, request_key);
    };
    run_where_served(config, "/internal/sandbox/reset", request, local);
    return 0;
}

}  // namespace

void add_sandbox(CommandLine& line) {
    auto const request = std::make_shared<api::ResetSandboxRequest>();
    auto* sandbox = line.app.add_subcommand("sandbox", "Rows to try things out on");
    sandbox->require_subcommand(1);
    auto* resetting = sandbox->add_subcommand("reset", "Empty a facility's sandbox and fill it anew");
    resetting->add_option("--organization", request->organizationId, "Organization of the facility")->required();
    resetting->add_option("--facility", request->facilityId, "Facility whose sandbox it is")->required();
    resetting
        ->add_option_function<std::int64_t>(
            "--seed", [request](std::int64_t seed) { request->seed = seed; }, "What the content is made from (1)")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{2'147'483'647}));
    resetting->callback([&line, request] {
        line.run = [request](core::LoadedConfig const& loaded) { return reset(loaded.config, *request); };
    });
}

}  // namespace workforce::cli
