// What all command routes share.
#include "api/rest/command_route.hpp"

#include "api/rest/entity_tags.hpp"
#include "api/rest/idempotency.hpp"
#include "core/ascii.hpp"

namespace workforce::api {
namespace {

using core::Code;

bool is_json(std::string_view content_type) {
    auto type = content_type.substr(0, content_type.find(';'));
    while (type.ends_with(' ')) type.remove_suffix(1);
    auto const lower = core::ascii_lower(type);
    return lower == "application/json" || (lower.starts_with("application/") && lower.ends_with("+json"));
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

boost::asio::awaitable<net::Reply> run_submission(Call& call, commands::Submission submission, CommandOptions options,
                                                  std::size_t new_ids) {
    auto const& base_url = call.services.config.base_url;
    auto const& principal = *call.principal;
    auto idempotency =
        idempotency_of(call.request, {principal.lineage(), principal.sandbox}, call.services.idempotency_secret);
    if (!idempotency) co_return problem_reply(idempotency.error(), call.request_id, base_url);
    submission.idempotency = std::move(*idempotency);
    if (auto const field = call.request.list("If-Match")) submission.if_match = expected_versions(*field);
    submission.success_status = options.success;
    submission.location_prefix = options.location;
    if (options.target) submission.target = {*options.target, call.path_ids.at(0)};
    submission.render_problem = [id = call.request_id](core::Problem const& problem) {
        return render_problem(problem, id);
    };
    if (options.creates && new_ids > 0) {
        submission.context.new_ids = co_await call.services.processor.ids().take(*options.creates, new_ids);
    }
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
