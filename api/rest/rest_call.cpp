// Reading parameters, bodies and headers as what operations know.
#include "api/rest/rest_call.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/body.hpp"
#include "api/cluster/call_message.hpp"
#include "api/credentials/request_origins.hpp"
#include "api/rest/entity_tags.hpp"
#include "api/rest/idempotency.hpp"
#include "api/rest/media.hpp"
#include "api/rest/same_origin.hpp"
#include "core/ascii.hpp"
#include "operations/target.hpp"

namespace workforce::api {
namespace {

using core::Code;

/// What the client is to get, of what the row gives. Errors: NOT_ACCEPTABLE where it gives several and the client wants
/// none of them; a row that gives one type gives it to all (RFC 9110 12.4.1).
core::Result<operations::MediaType> answer_type(net::Request const& request, operations::HttpBinding const& http) {
    if (http.gives.size() == 1) return http.gives.front();
    auto const accept = request.list("Accept");
    if (!accept) return http.gives.front();
    if (auto const best = best_type(http.gives, *accept)) return *best;
    std::string names;
    for (auto const type : http.gives) names.append(names.empty() ? "" : ", ").append(operations::info(type).name);
    return tl::unexpected(core::Problem{
        Code::not_acceptable, "The answer can only be one of: " + names + ".", {}, "Accept one of these."});
}

/// The type of body that the request is taken as.
operations::MediaType taken_type(net::Request const& request, operations::HttpBinding const& http) {
    auto const type = request.header("Content-Type");
    bool const json = http.takes_json_too && type && is_type(*type, operations::MediaType::json);
    return json ? operations::MediaType::json : http.takes;
}

/// Adds what the request says. Errors: as complete(), but for those of the organization.
core::Result<void> add_input(operations::Call& call, net::Request const& request, std::span<VersionChange const> newer,
                             std::string_view secret) {
    bool const reads = call.operation.effect == operations::Effect::read;
    if (!reads || call.operation.body != nullptr) {
        call.input.body.emplace(parse_body(request, taken_type(request, call.operation.http)));
    }
    if (!newer.empty()) upgrade(newer, call.operation.name, call.input);
    // A mistyped filter must not look like one that everything passes.
    operations::warn_ignored(call, "parameters", operations::unknown_parameters(call));
    auto const answer = answer_type(request, call.operation.http);
    if (!answer) return tl::unexpected(answer.error());
    call.input.answer = *answer;
    if (reads) return {};
    KeySpace space;
    if (call.caller) space = {call.caller->lineage(), operations::is_about_sandbox(*call.caller, call.operation)};
    auto idempotency = idempotency_of(request, space, secret);
    if (!idempotency) return tl::unexpected(idempotency.error());
    if (!call.caller || !call.operation.appends) return {};  // a key is a credential's, and nothing else is kept
    call.meta.idempotency = *std::move(idempotency);
    if (auto const field = request.list("If-Match")) call.meta.expected_versions = expected_versions(*field);
    return {};
}

}  // namespace

core::Result<operations::Call> call_of(operations::Services& services, Match match,
                                       std::shared_ptr<operations::Caller const> caller, Incoming const& incoming) {
    auto const& [request, from, forwarded] = incoming;
    auto const session = caller ? caller->session : 0;
    auto parameters = operations::parse_query(request.query());
    if (!parameters) return tl::unexpected(parameters.error());
    operations::Call call{services,
                          *match.route->operation,
                          std::move(caller),
                          {.request_id = from.request_id, .session = session, .cause = {.channel = kRestChannel}},
                          {.path = std::move(match.path), .parameters = *std::move(parameters)}};
    call.input.head_only = request.method == net::Method::head;
    if (call.operation.http.errors == operations::ErrorForm::oauth) {
        call.input.authorization = request.header("Authorization").value_or("");
    }
    if (call.operation.http.errors == operations::ErrorForm::page)
        call.input.from_elsewhere = is_from_elsewhere(request);
    if (std::ranges::find(call.operation.http.gives, operations::MediaType::event_stream) !=
        call.operation.http.gives.end()) {
        call.input.last_event_id = request.header("Last-Event-ID").value_or("");
    }
    if (!call.operation.appends) {  // it keeps from where the request came itself
        call.meta.address = from.client_address;
        call.meta.agent = printable(request.header("User-Agent").value_or(""));
    }
    return call;
}

core::Result<bool> complete(operations::Call& call, net::Request const& request, std::span<VersionChange const> newer,
                            std::string_view secret) {
    if (auto added = add_input(call, request, newer, secret); !added) return tl::unexpected(std::move(added.error()));
    return call.caller ? operations::pick_target(call) : core::Result<bool>(true);
}

}  // namespace workforce::api
