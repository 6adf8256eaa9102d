// What all command routes share.
#include "api/rest/command_route.hpp"

#include "api/rest/canonical_json.hpp"
#include "api/rest/entity_tags.hpp"
#include "core/ascii.hpp"
#include "core/crypto.hpp"

namespace workforce::api {
namespace {

using core::Code;

bool is_json(std::string_view content_type) {
    auto type = content_type.substr(0, content_type.find(';'));
    while (type.ends_with(' ')) type.remove_suffix(1);
    auto const lower = core::ascii_lower(type);
    return lower == "application/json" || (lower.starts_with("application/") && lower.ends_with("+json"));
}

/// The client's idempotency key and the request's fingerprint, as keyed digests: a plain one of a telephone number can
/// be found by trying all numbers, by whoever reads the log, also after the person was erased.
core::Result<std::optional<commands::Idempotency>> idempotency_of(Call const& call) {
    auto const& request = call.request;
    bool const keyed = request.method == net::Method::post || request.method == net::Method::put ||
                       request.method == net::Method::patch;
    auto const header = keyed ? request.header("Idempotency-Key") : std::nullopt;
    if (!header) return std::optional<commands::Idempotency>{};
    auto key = *header;
    if (key.size() >= 2 && key.front() == '"' && key.back() == '"') key = key.substr(1, key.size() - 2);
    if (key.empty() || key.size() > 255) {
        return tl::unexpected(
            core::validation_problem({{"Idempotency-Key", "length", "must have 1 to 255 characters"}}));
    }
    auto const digest = [&](std::string_view text) {
        return core::base64url_encode(core::bytes(core::hmac_sha256(call.services.idempotency_secret, text)));
    };
    commands::Idempotency idempotency;
    idempotency.key =
        digest(call.principal->lineage() + (call.principal->sandbox ? " sandbox " : " live ") + std::string(key));
    idempotency.fingerprint =
        digest(std::string(to_string(request.method)) + ' ' + request.target + '\n' + canonical_json(request.body));
    return std::optional(std::move(idempotency));
}

}  // namespace

core::Result<rapidjson::Document> parse_body(net::Request const& request) {
    if (request.body.empty()) {
        rapidjson::Document empty;
        empty.SetObject();
        return empty;
    }
    auto const type = request.header("Content-Type");
    if (!type || !is_json(*type)) {
        return core::refuse(Code::unsupported_media_type, "The body must be application/json.");
    }
    return core::parse_json(request.body);
}

commands::Context command_context(Call const& call) {
    auto const& principal = *call.principal;
    commands::Context context;
    context.actor = {principal.credential_type, principal.credential_id, principal.user.id};
    context.credential = principal.credential_id;
    context.organization = principal.organization;
    context.sandbox = principal.sandbox;
    context.facilities = principal.facilities;
    context.may_assign = principal.permits("shifts.assign");
    context.may_override = principal.permits("shifts.override");
    context.request_id = call.request_id;
    return context;
}

commands::Submission refused_submission(commands::Context context, core::Problem problem) {
    commands::Submission submission;
    submission.context = std::move(context);
    submission.decide = [problem = std::move(problem)](commands::View const&,
                                                       commands::Context const&) -> core::Result<commands::Decision> {
        return tl::unexpected(problem);
    };
    submission.store_refusal = false;
    return submission;
}

void warn_ignored(Call& call, std::string_view what, std::vector<std::string> const& names) {
    if (names.empty()) return;
    std::string list;
    for (auto const& name : names) {
        if (!list.empty()) list += ", ";
        // Names come from outside: only what a header may hold is repeated.
        for (char const c : name) list += c >= 0x20 && c < 0x7F ? c : '?';
        if (list.size() > 500) break;
    }
    call.headers.emplace_back("Service-Warnings", "ignored " + std::string(what) + ": " + list);
}

boost::asio::awaitable<net::Reply> run_submission(Call& call, commands::Submission submission, CommandOptions options) {
    auto const& base_url = call.services.config.base_url;
    auto idempotency = idempotency_of(call);
    if (!idempotency) co_return problem_reply(idempotency.error(), call.request_id, base_url);
    submission.idempotency = std::move(*idempotency);
    if (auto const field = call.request.list("If-Match")) submission.if_match = expected_versions(*field);
    submission.success_status = options.success;
    submission.location_prefix = options.location;
    if (options.target) submission.target = {*options.target, call.path_ids.at(0)};
    submission.render_problem = [id = call.request_id](core::Problem const& problem) {
        return render_problem(problem, id);
    };
    auto result = co_await call.services.processor.submit(std::move(submission));
    if (result.position >= 0) {
        co_await call.services.last_writes.note(call.principal->lineage(), {result.partition, result.position});
    }
    net::Reply reply;
    reply.status = result.status;
    reply.body = std::move(result.body);
    if (result.version > 0) reply.headers.emplace_back("ETag", entity_tag(result.version));
    if (!result.location.empty()) reply.headers.emplace_back("Location", result.location);
    if (result.replayed) reply.headers.emplace_back("Idempotency-Replayed", "true");
    if (result.refused) add_problem_headers(reply, *result.refused, base_url);
    co_return reply;
}

}  // namespace workforce::api
