// The operator's own registry, by HTTP (docs/credential-registry.md).
#pragma once

#include "net/outbound_url.hpp"
#include "workers/registries/registry.hpp"

namespace workforce::workers {

/// Where it is, and how it knows us.
struct HttpRegistryOptions {
    net::OutboundUrl url;
    std::string secret;        ///< shown as a bearer token
    std::string installation;  ///< that the credentials are of
    std::chrono::milliseconds patience{10'000};
};

/// Posts each question as JSON, under its key. 2xx with a finding is one; whatever else is no answer.
class HttpRegistry final : public CredentialRegistry {
   public:
    HttpRegistry(net::HttpClient& client, HttpRegistryOptions options)
        : client_(client), options_(std::move(options)) {}

    [[nodiscard]] std::string_view name() const override { return "http"; }
    boost::asio::awaitable<RegistryAnswer> ask(RegistryCall call) const override;

   private:
    net::HttpClient& client_;
    HttpRegistryOptions const options_;
};

/// The body that asks. Pure.
std::string registry_body(RegistryCall const& call, std::string_view installation);
/// The finding of an answer: 2xx with {outcome, reference, details}, of which the last two may be missing. Pure.
RegistryAnswer judge_finding(net::Reply const& reply);

}  // namespace workforce::workers
