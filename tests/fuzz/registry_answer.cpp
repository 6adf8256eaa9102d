// Answers of a registry of credentials, the status first: what is told of them is text that events can keep.
#include "core/text.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "workers/registries/http_registry.hpp"

namespace workforce::tests {

void fuzz(std::string_view input) {
    constexpr std::array<unsigned, 6> kStatuses{200, 201, 302, 404, 422, 500};
    if (input.empty()) return;
    net::Reply reply;
    reply.status = kStatuses.at(static_cast<unsigned char>(input.front()) % kStatuses.size());
    reply.body = input.substr(1);
    auto const finding = workers::judge_finding(reply);
    if (!finding) return require(!finding.error().reason.empty(), "an operator is told why");
    require(reply.status < 300, "a refusal finds nothing");
    require(!finding->details.empty(), "a finding has details");
    auto const reference = finding->reference.value.value_or("");
    for (auto text : {finding->details, reference}) {
        auto const told = text;
        require(!core::clean_text(text, false) && text == told, "what is told is clean");
        require(core::count_code_points(told) <= 200, "events can keep it");
    }
}

}  // namespace workforce::tests
