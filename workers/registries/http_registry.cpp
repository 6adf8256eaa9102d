// Questions to the operator's registry, and its answers.
#include "workers/registries/http_registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "workers/outside_json.hpp"

namespace workforce::workers {

namespace {

struct QuestionHolder {
    std::string firstName;
    std::string lastName;
};
BOOST_DESCRIBE_STRUCT(QuestionHolder, (), (firstName, lastName))

struct QuestionBody {
    std::string key;
    std::string installation;
    core::Id organizationId = 0;
    core::Id credentialId = 0;
    events::StaffCredentialType type = events::StaffCredentialType::license;
    std::string name;
    std::string number;
    std::string issuingAuthority;
    std::string jurisdiction;
    core::Nullable<core::Date> issuedOn;
    core::Nullable<core::Date> expiresOn;
    QuestionHolder holder;
};
BOOST_DESCRIBE_STRUCT(QuestionBody, (),
                      (key, installation, organizationId, credentialId, type, name, number, issuingAuthority,
                       jurisdiction, issuedOn, expiresOn, holder))

struct FindingAnswer {
    commands::RegistryOutcome outcome = commands::RegistryOutcome::no_match;
    core::Nullable<core::ShortText> reference;
    core::Nullable<core::ShortText> details;
    static constexpr std::array<std::string_view, 1> kRequired{"outcome"};
};
BOOST_DESCRIBE_STRUCT(FindingAnswer, (), (outcome, reference, details))

/// The details of an answer that gives none.
std::string_view usual_details(commands::RegistryOutcome outcome) {
    switch (outcome) {
        case commands::RegistryOutcome::match:
            return "The registry has it as good.";
        case commands::RegistryOutcome::no_match:
            return "The registry knows no such credential.";
        case commands::RegistryOutcome::expired:
            return "The registry has it as expired.";
    }
    return "";
}

commands::RegistryFinding finding_of(FindingAnswer answer) {
    commands::RegistryFinding finding{.provider = "http", .reference = {}, .details = {}};
    finding.outcome = answer.outcome;
    if (auto& reference = answer.reference.value; reference && !reference->value.empty()) {
        finding.reference = std::move(reference->value);
    }
    if (auto& details = answer.details.value) finding.details = std::move(details->value);
    if (finding.details.empty()) finding.details = usual_details(finding.outcome);
    return finding;
}

}  // namespace

std::string registry_body(RegistryCall const& call, std::string_view installation) {
    auto const& asked = call.question;
    QuestionBody body;
    body.key = call.key;
    body.installation = installation;
    body.organizationId = call.organization;
    body.credentialId = asked.credential;
    body.type = asked.type;
    body.name = asked.name;
    body.number = asked.number;
    body.issuingAuthority = asked.issuing_authority;
    body.jurisdiction = asked.jurisdiction;
    body.issuedOn = asked.issued_on;
    body.expiresOn = asked.expires_on;
    body.holder = {asked.first_name, asked.last_name};
    return core::to_json(body);
}

RegistryAnswer judge_finding(net::Reply const& reply) {
    bool const success = reply.status >= 200 && reply.status < 300;
    if (!success) return tl::unexpected(Unanswered{fmt::format("the registry answered {}", reply.status)});
    auto answer = read_from_outside<FindingAnswer>(reply.body);
    if (reply.truncated || !answer) {
        return tl::unexpected(Unanswered{fmt::format("the registry answered {} with {} bytes that are no finding",
                                                     reply.status, reply.body.size())});
    }
    return finding_of(*std::move(answer));
}

boost::asio::awaitable<RegistryAnswer> HttpRegistry::ask(RegistryCall call) const {
    net::ClientRequest request{.method = "POST",
                               .target = options_.url.target,
                               .headers = {{"Authorization", "Bearer " + options_.secret},
                                           {"Content-Type", "application/json"},
                                           {"Accept", "application/json"},
                                           {"User-Agent", "Service-Registry/1"},
                                           {"Idempotency-Key", call.key}},
                               .body = registry_body(call, options_.installation)};
    net::ClientLimits limits;
    limits.whole = std::min(call.patience, options_.patience);
    limits.connect = std::min(limits.connect, limits.whole);
    limits.most_body = std::size_t{16} << 10;
    limits.addresses = net::AddressPolicy::anything;  // whom the operator named
    auto const reply = co_await client_.send(options_.url, std::move(request), limits);
    if (!reply) co_return tl::unexpected(unanswered(reply.error()));
    co_return judge_finding(*reply);
}

}  // namespace workforce::workers
