// What all commands share.
#include "operations/commands.hpp"

#include <algorithm>

#include "operations/usage_meter.hpp"

namespace workforce::operations {

commands::Context command_context(Call const& call) {
    auto const& caller = *call.caller;
    commands::Context context;
    context.actor = {caller.credential_type, caller.credential_id, caller.user.id};
    context.credential = caller.credential_id;
    context.credential_type = credential_type_of(caller);
    context.organization = call.meta.organization;
    context.staff = caller.user.staffId.value.value_or(0);
    context.sandbox = call.meta.sandbox;
    context.own_only = reaches_own_alone(caller, call.operation);
    context.facilities = caller.facilities;
    if (caller.user.id != 0) context.role = caller.user.role;
    context.may_assign = caller.permits("shifts.assign");
    context.lacks_assign = caller.refused_with("shifts.assign");
    context.may_override = caller.permits("shifts.override");
    context.lacks_override = caller.refused_with("shifts.override");
    context.request_id = call.meta.request_id;
    context.cause = call.meta.cause;
    context.cause.verb = call.operation.name;
    if (context.cause.tool.empty() && context.cause.channel == kRestChannel)
        context.cause.tool = rest_tool(call.operation);
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

boost::asio::awaitable<Outcome> submit(Call& call, commands::Submission submission, std::size_t new_ids) {
    auto const& operation = call.operation;
    call.input.body.reset();  // parsed, it is many times its text, and nobody counts it
    submission.idempotency = std::move(call.meta.idempotency);
    submission.if_match = std::move(call.meta.expected_versions);
    submission.deadline = std::min(submission.deadline, call.meta.deadline);
    submission.success_status = operation.success;
    if (operation.makes) {
        auto const& below = operation.located_at.empty() ? operation.http.path : operation.located_at;
        submission.location_prefix = std::string(below) + '/';
    } else if (operation.acts_on) {
        submission.target = {*operation.acts_on, call.input.path.id()};
    }
    if (!submission.render_problem) {
        submission.render_problem = [id = call.meta.request_id, form = operation.http.errors](
                                        core::Problem const& problem) { return render_problem(problem, id, form); };
    }
    if (operation.makes && new_ids > 0) {
        submission.context.new_ids = co_await call.services.processor.ids().take(*operation.makes, new_ids);
    }
    auto result = co_await call.services.processor.submit(std::move(submission));
    call.appended = call.appended || (result.position >= 0 && !result.replayed);
    // The installation itself reads nothing back.
    if (result.position >= 0 && call.caller->credential_type != events::ActorType::system) {
        co_await call.services.last_writes.note(call.caller->write_space(result.partition),
                                                {result.partition, result.position});
    }
    co_return Outcome{.status = result.status,
                      .body = std::move(result.body),
                      .refused = result.refused,
                      .version = result.version,
                      .location = std::move(result.location),
                      .replayed = result.replayed,
                      .facility = result.facility,
                      .marker = result.outcome};
}

}  // namespace workforce::operations
