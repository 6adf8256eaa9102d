// The registry that comes with the program.
#include "operations/credential_registry.hpp"

#include <fmt/format.h>

namespace workforce::operations {

core::Result<commands::RegistryFinding> ask_simulated_registry(core::Id credential, std::string_view number) {
    using commands::RegistryOutcome;
    if (number.ends_with("9999")) {
        return core::refuse(core::Code::upstream_error, "The registry registry_sim did not answer.");
    }
    commands::RegistryFinding finding{.provider = "registry_sim", .reference = {}, .details = {}};
    if (number.ends_with("0000")) {
        finding.outcome = RegistryOutcome::no_match;
        finding.details = "The registry knows no such credential.";
        return finding;
    }
    bool const expired = number.ends_with("9998");
    finding.reference = fmt::format("sim_cr_{}", credential);
    finding.outcome = expired ? RegistryOutcome::expired : RegistryOutcome::match;
    finding.details = expired ? "The registry has it as expired." : "The registry has it as good.";
    return finding;
}

}  // namespace workforce::operations
