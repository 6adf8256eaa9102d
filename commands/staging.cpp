// Deciding one command on the partition's state and staging what it leads to.
#include <algorithm>

#include "commands/partition.hpp"
#include "core/crypto.hpp"
#include "core/ids.hpp"
#include "core/logging.hpp"
#include "events/codec.hpp"

namespace workforce::commands {
namespace {

/// A key at home here is judged on this very state: a revocation holds from its own event on, with no delay.
bool credential_holds(Context const& context, std::unordered_map<Id, OrganizationState> const& organizations) {
    auto const state = organizations.find(context.organization);
    if (context.actor.type != events::ActorType::api_key || state == organizations.end()) return true;
    auto const found = state->second.api_keys.find(context.credential);
    return found == state->second.api_keys.end() || found->second.value.status != events::ApiKeyStatus::revoked;
}

}  // namespace

bool is_stored(Code code) {
    auto const status = core::info(code).status;
    return status != 400 && status != 401 && status != 403 && status != 408 && status != 429 && status < 500;
}

Result<Decision> Partition::decide_safely(Submission const& submission, View const& view) {
    try {
        return submission.decide(view, submission.context);
    } catch (std::exception const& error) {
        // Decisions are pure: nothing has changed, so the fault is this command's alone.
        core::log(core::Level::error, "a decision failed",
                  {{"request_id", submission.context.request_id}, {"error", error.what()}});
        return refuse(Code::internal_error, "The command failed.");
    }
}

bool Partition::can_seal(Submission const& submission, std::vector<NewEvent> const& events) const {
    auto const state = memory_.organizations.find(submission.context.organization);
    auto const can = [&](events::AggregateRef const& ref) {
        if (!is_person(ref.kind)) return true;
        // The state tells at once of an erasure that is staged or durable, the keyring once it was read back.
        if (state != memory_.organizations.end() && state->second.erased(ref)) return false;
        try {
            context_.keyring.key_to_seal(to_string(ref));
            return true;
        } catch (std::runtime_error const&) {
            return false;
        }
    };
    // The answer is sealed for its target, also where it tells that there was nothing to do.
    if (submission.idempotency && !can(submission.target)) return false;
    return std::all_of(events.begin(), events.end(),
                       [&](NewEvent const& event) { return events::erases(event.data) || can(event.subject); });
}

std::optional<Reply> Partition::known_answer(Submission const& submission) const {
    if (!credential_holds(submission.context, memory_.organizations)) {
        return refusal(submission, {Code::unauthenticated, "The API key was revoked.", {}});
    }
    if (!submission.idempotency) return std::nullopt;
    auto const found = memory_.answers.find(submission.idempotency->key);
    if (found == memory_.answers.end()) return std::nullopt;
    if (found->second.fingerprint == submission.idempotency->fingerprint) {
        if (!found->second.erased) return found->second.reply;
        return refusal(submission, {Code::not_found, "The answer was erased with the person that it told of.", {}});
    }
    return refusal(submission, {Code::idempotency_key_conflict, "This key was used for another request.", {}});
}

events::Event Partition::make_event(Submission const& submission, NewEvent event, std::int64_t seq) const {
    auto const& context = submission.context;
    events::Envelope meta;
    meta.id = core::uuid_v7(context.now);
    meta.type = events::type_of(event.data);
    meta.version = events::version_of(event.data);
    meta.time = context.now;
    meta.subject = event.subject;
    meta.organization = context.organization;
    meta.facility = event.facility;
    meta.sandbox = context.sandbox;
    meta.seq = seq;
    meta.actor = context.actor;
    meta.credential = context.credential;
    meta.request_id = context.request_id;
    if (submission.idempotency) {
        meta.idempotency_key = submission.idempotency->key;
        meta.idempotency_hash = submission.idempotency->fingerprint;
    }
    return {std::move(meta), std::move(event.data)};
}

Reply Partition::decide_now(Submission& submission, std::vector<events::Event>& events) {
    auto& state = memory_.organizations[submission.context.organization];
    View const view(state, submission.context.sandbox);
    auto const refused = [&](core::Problem const& problem) {
        auto reply = refusal(submission, problem);
        if (submission.store_refusal && is_stored(problem.code)) add_answer(submission, reply, {}, events);
        return reply;
    };
    auto decision = decide_safely(submission, view);
    if (!decision) return refused(decision.error());
    // Judged after the decision, so that what the caller can't see stays a 404.
    if (submission.if_match && *submission.if_match != state.version(submission.target)) {
        return refused({Code::precondition_failed, "The resource has changed since that ETag.", {}});
    }
    if (!can_seal(submission, decision->events)) {
        return refused({Code::invalid_state_transition, "The person was erased; nothing about them can be kept.", {}});
    }
    for (auto const& event : decision->events) {
        events.push_back(make_event(submission, event, state.version(event.subject) + 1));
        state.apply(events.back());
        if (events::erases(event.data)) erase_answers(to_string(event.subject));
    }
    auto rendered = submission.render(view, *decision);
    Reply reply;
    reply.status = submission.success_status;
    reply.body = std::move(rendered.body);
    auto const& subject = submission.target.id != 0 ? submission.target : rendered.created;
    if (subject.id != 0) reply.version = state.version(subject);
    if (rendered.created.id != 0 && !submission.location_prefix.empty()) {
        reply.location = submission.location_prefix + std::to_string(rendered.created.id);
    }
    add_answer(submission, reply, subject, events);
    return reply;
}

void Partition::add_answer(Submission const& submission, Reply const& reply, events::AggregateRef subject,
                           std::vector<events::Event>& events) {
    if (!submission.idempotency) return;
    events::CommandAnswered answered;
    answered.status = reply.status;
    answered.location = reply.location;
    answered.version = reply.version;
    answered.sealedFor =
        is_person(subject.kind)
            ? to_string(subject)
            : to_string(events::AggregateRef{events::Kind::organization, submission.context.organization});
    answered.body = reply.body;
    events.push_back(make_event(submission, {{}, 0, events::CommandEvent(std::move(answered))}, 0));
    remember(events.back());
}

void Partition::stage(Pending& pending, Staged& staged) {
    auto& submission = pending.submission;
    submission.context.now = std::max(staged.now, memory_.last_time);
    forget_old_answers(staged.now);
    if (auto reply = known_answer(submission)) {
        staged.answers.push_back({std::move(pending), std::move(*reply)});
        return;
    }
    std::vector<events::Event> events;
    auto reply = decide_now(submission, events);
    encode(events, staged);
    reply.partition = number_;
    reply.position = events.empty() ? -1 : memory_.head.position;
    if (submission.idempotency && reply.position >= 0) {
        // A retry's next read waits for this position, as the first request's does.
        auto const stored = memory_.answers.find(submission.idempotency->key);
        if (stored != memory_.answers.end()) stored->second.reply.position = reply.position;
    }
    memory_.last_time = submission.context.now;
    staged.answers.push_back({std::move(pending), std::move(reply)});
}

void Partition::encode(std::vector<events::Event>& events, Staged& staged) {
    auto const count = static_cast<std::int32_t>(events.size());
    for (std::int32_t i = 0; i < count; ++i) {
        auto& meta = events[static_cast<std::size_t>(i)].meta;
        meta.epoch = claim_->epoch;
        meta.position = memory_.head.position + 1;
        meta.previous_hash = memory_.head.hash;
        meta.command_index = i + 1;
        meta.command_count = count;
        auto body = context_.encoder.encode(meta, events[static_cast<std::size_t>(i)].data);
        if (body.size() > events::kMaxRecordBytes) throw std::length_error("an event is larger than a record may be");
        memory_.head = {meta.position, core::hex_encode(core::bytes(core::sha256(body)))};
        staged.bytes += body.size();
        staged.bodies.push_back(std::move(body));
    }
}

}  // namespace workforce::commands
