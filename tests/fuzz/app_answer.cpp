// Answers of a provider of apps, the status first: what is told of them is JSON and text that can be kept.
#include "core/utf8.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "workers/apps/composio.hpp"

namespace workforce::tests {

void fuzz(std::string_view input) {
    constexpr std::array<unsigned, 8> kStatuses{200, 201, 400, 401, 404, 422, 429, 500};
    if (input.empty()) return;
    net::Reply reply;
    reply.status = kStatuses.at(static_cast<unsigned char>(input.front()) % kStatuses.size());
    reply.body = input.substr(1);
    auto const told = workers::judge_execution(reply);
    require(core::parse_json(told.data).has_value(), "data is JSON");
    require(told.data.size() <= events::kMostAppResult, "data can be kept");
    require(told.error.find('\0') == std::string::npos, "an error can be kept");
    require(told.kind == workers::AppAnswer::Kind::succeeded || told.data == "null", "a failure has no data");
    if (auto const account = workers::judge_connection(reply)) {
        require(!account->id.empty() && account->redirect_url.has_value(), "an account has an id and an address");
    }
    if (auto const actions = workers::judge_actions(reply)) {
        for (auto const& action : *actions) require(!action.name.value.empty(), "an action has a name");
        require(core::parse_json(core::to_json(*actions)).has_value(), "actions can be told");
    }
}

}  // namespace workforce::tests
