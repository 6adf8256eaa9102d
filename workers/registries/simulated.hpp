// The registry that comes with the program, and knows every credential.
#pragma once

#include "workers/registries/registry.hpp"

namespace workforce::workers {

/// The finding of `registry_sim` about a credential. Pure.
RegistryAnswer simulate_finding(core::Id credential, std::string_view number);

/// The registry `registry_sim`: a number's end decides, so that each outcome can be tried out. 0000 does not match,
/// 9998 has expired, 9999 is no answer, all others match. Asks nobody.
class SimulatedRegistry final : public CredentialRegistry {
   public:
    [[nodiscard]] std::string_view name() const override { return "registry_sim"; }
    boost::asio::awaitable<RegistryAnswer> ask(RegistryCall call) const override;
};

}  // namespace workforce::workers
