// Findings that follow from the end of a number.
#include "workers/registries/simulated.hpp"

#include <fmt/format.h>

namespace workforce::workers {

RegistryAnswer simulate_finding(core::Id credential, std::string_view number) {
    using commands::RegistryOutcome;
    if (number.ends_with("9999")) return tl::unexpected(Unanswered{"the credential's number asks for a failure"});
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

boost::asio::awaitable<RegistryAnswer> SimulatedRegistry::ask(RegistryCall call) const {
    co_return simulate_finding(call.question.credential, call.question.number);
}

}  // namespace workforce::workers
