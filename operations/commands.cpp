// What all commands share.
#include "operations/commands.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "operations/reads.hpp"
#include "operations/usage_meter.hpp"

namespace workforce::operations {

commands::Context command_context(Call const& call) { return command_context(*call.caller, call.operation, call.meta); }

commands::Context command_context(Caller const& caller, Operation const& operation, CallMeta const& meta) {
    commands::Context context;
    context.actor = {caller.credential_type, caller.credential_id, caller.user.id};
    context.credential = caller.credential_id;
    context.credential_type = credential_type_of(caller);
    context.organization = meta.organization;
    context.staff = caller.user.staffId.value.value_or(0);
    context.sandbox = meta.sandbox;
    context.own_only = reaches_own_alone(caller, operation);
    context.facilities = caller.facilities;
    if (caller.user.id != 0) context.role = caller.user.role;
    context.may_assign = caller.permits("shifts.assign");
    context.lacks_assign = caller.refused_with("shifts.assign");
    context.may_override = caller.permits("shifts.override");
    context.lacks_override = caller.refused_with("shifts.override");
    context.request_id = meta.request_id;
    context.cause = meta.cause;
    context.cause.verb = operation.name;
    if (context.cause.tool.empty() && context.cause.channel == kRestChannel) context.cause.tool = rest_tool(operation);
    if (caller.is_client()) context.cause.client_id = caller.name;
    return context;
}

void add_faults(core::JsonReader& reader, std::vector<core::FieldError> const& faults) {
    auto const known = reader.errors();
    for (auto const& fault : faults) {
        bool const told = std::ranges::any_of(
            known, [&](core::FieldError const& error) { return fault.field.starts_with(error.field); });
        if (told) continue;
        core::PathGuard const at(reader.path(), fault.field);
        reader.fail(fault.rule, fault.message);
    }
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

namespace {

/// Fills in what any submission of the call needs.
void fill_in(Call const& call, commands::Submission& submission) {
    auto const& operation = call.operation;
    submission.deadline = std::min(submission.deadline, call.meta.deadline);
    submission.success_status = operation.success;
    if (operation.makes && !submission.location_prefix.empty()) {
        // said by the handler: below a path that has an id
    } else if (operation.makes) {
        auto const& below = operation.located_at.empty() ? operation.http.path : operation.located_at;
        submission.location_prefix = std::string(below) + '/';
    } else if (operation.acts_on && submission.target.id == 0) {
        submission.target = {*operation.acts_on, call.input.path.id()};
    }
    if (!submission.render_problem) {
        submission.render_problem = [id = call.meta.request_id, form = operation.http.errors](
                                        core::Problem const& problem) { return render_problem(problem, id, form); };
    }
}

Outcome outcome_of(commands::Reply reply) {
    // Events of people and the like have no facility, though they may work at one alone.
    if (reply.facility == 0 && !reply.refused) reply.facility = facility_in(reply.body);
    return {.status = reply.status,
            .body = std::move(reply.body),
            .refused = reply.refused,
            .version = reply.version,
            .location = std::move(reply.location),
            .retry_after = reply.retry_after,
            .replayed = reply.replayed,
            .facility = reply.facility,
            .marker = reply.outcome};
}

}  // namespace

boost::asio::awaitable<std::optional<Outcome>> look_ahead(Call& call, LookAhead look) {
    auto may_ask = std::make_shared<bool>(false);
    auto submission =
        refused_submission(command_context(call), {core::Code::concurrent_modification, "It was looked at alone."});
    submission.idempotency = call.meta.idempotency;
    submission.if_match = call.meta.expected_versions;
    submission.store_refusal = true;  // keeps the 412; this refusal of ours is of a kind that is never kept
    fill_in(call, submission);
    submission.decide = [refuse = std::move(submission.decide), look = std::move(look), may_ask,
                         expected = submission.if_match, target = submission.target](
                            commands::View const& view,
                            commands::Context const& context) -> core::Result<commands::Decision> {
        bool const stands = look(view, context);
        bool const other_version = expected && std::ranges::count(*expected, view.version(target)) == 0;
        *may_ask = !stands || !other_version;
        if (!*may_ask) return commands::Decision{};  // the stager refuses it for the version
        return refuse(view, context);
    };
    auto reply = co_await call.services.processor.submit(std::move(submission));
    // The partition was lost after the look, perhaps: then nobody knows what stands.
    if (*may_ask && reply.refused == core::Code::concurrent_modification && !reply.replayed) co_return std::nullopt;
    co_return outcome_of(std::move(reply));
}

boost::asio::awaitable<Outcome> recall_answer(Call& call) {
    auto const& body = call.input.body;
    if (!body || *body) throw std::logic_error("a call that only asks has a problem for its body");
    return submit(call, refused_submission(command_context(call), body->error()), 0);
}

boost::asio::awaitable<Outcome> submit(Call& call, commands::Submission submission, std::size_t new_ids) {
    auto const& operation = call.operation;
    call.input.body.reset();  // parsed, it is many times its text, and nobody counts it
    submission.idempotency = std::move(call.meta.idempotency);
    submission.if_match = std::move(call.meta.expected_versions);
    fill_in(call, submission);
    if (operation.makes && new_ids > 0) {
        submission.context.new_ids = co_await call.services.processor.ids().take(*operation.makes, new_ids);
    }
    auto result = call.submit_within ? co_await call.submit_within(std::move(submission))
                                     : co_await call.services.processor.submit(std::move(submission));
    call.appended = call.appended || (result.position >= 0 && !result.replayed);
    // The installation itself reads nothing back.
    if (result.position >= 0 && call.caller->credential_type != events::ActorType::system) {
        co_await call.services.last_writes.note(call.caller->write_space(result.partition),
                                                {result.partition, result.position});
    }
    co_return outcome_of(std::move(result));
}

}  // namespace workforce::operations
