// Deciding one command, and staging what it leads to.
#include "commands/engine/stager.hpp"

#include <algorithm>

#include "core/ids.hpp"
#include "core/logging.hpp"
#include "events/catalogue.hpp"
#include "events/log/chain.hpp"
#include "events/outcomes.hpp"

namespace workforce::commands {
namespace {

/// The facility of the first event that has one, else 0.
core::Id facility_of(std::vector<events::Event> const& events) {
    auto const found = std::ranges::find_if(events, [](auto const& event) { return event.meta.facility != 0; });
    return found == events.end() ? 0 : found->meta.facility;
}

/// Whether what a decision is about begins with it: it has an id that nothing had before, and is not in memory. A
/// decision has looked at everything else, so what is not in memory is no other kind's with that number.
bool is_new(View const& view, Context const& context, events::AggregateRef const& ref) {
    auto const& ids = context.new_ids;
    return std::find(ids.begin(), ids.end(), ref.id) != ids.end() && view.state().version(ref) == 0;
}

/// Calls f(constant) with the kind as a constant, where its aggregates have a state.
template <class F>
void with_kind(events::Kind kind, F f) {
    events::for_each_kind<events::StatefulKinds>([&](events::Kind each, auto constant) {
        if (each == kind) f(constant);
    });
}

/// The facilities that are told with what happens to the aggregate, which is in memory: its own or its holder's.
std::vector<core::Id> told_facilities(View const& view, events::AggregateRef const& ref) {
    std::vector<core::Id> facilities;
    with_kind(ref.kind, [&]<class K>(K) {
        using State = events::StateOf<K>;
        if constexpr (events::Aggregate<K::value>::kGivesFacilities) {
            facilities = view.get<State>(ref.id)->facilityIds;
        } else if constexpr (events::kIsHeld<K::value> &&
                             !requires(State const& state) { resource_of(state).facilityId; }) {
            facilities = told_facilities(view, *events::holder_of(*view.get<State>(ref.id)));
        }
    });
    return facilities;
}

/// The person whose the event's aggregate is: as it is in memory, or as its first event says; nobody where it is
/// nobody's, or the event does not tell. Throws NotResident.
std::optional<events::AggregateRef> holder_after(View const& view, NewEvent const& event, bool begins) {
    std::optional<events::AggregateRef> found;
    with_kind(event.subject.kind, [&]<class K>(K) {
        if constexpr (events::kIsHeld<K::value>) {
            using Declared = events::Aggregate<K::value>;
            typename Declared::State made;
            if (begins) {
                events::Envelope meta;
                meta.subject = event.subject;
                meta.seq = 1;
                evolve(made, *events::get_if<typename Declared::Events>(event.data), meta);
            }
            auto const* state = begins ? &made : view.get<typename Declared::State>(event.subject.id);
            if (!state) return;
            auto const holder = *events::holder_of(*state);
            // What is not the first event of what begins does not tell whose it is, which the first one did.
            if (holder.id != 0) found = holder;
        }
    });
    return found;
}

/// Looks at that person, who may begin with the same command. Throws NotResident.
void require_holder(View const& view, Context const& context, NewEvent const& event, bool begins) {
    auto const holder = holder_after(view, event, begins);
    if (holder && !is_new(view, context, *holder)) std::ignore = view.version(*holder);
}

/// The person whose personal data the event has: nobody where it has none.
std::optional<events::AggregateRef> person_of(NewEvent const& event) {
    if (is_person(event.subject.kind)) return event.subject;
    auto const named = events::sealed_for(event.data);
    return named.empty() ? std::nullopt : events::parse_aggregate(named);
}

/// The person whom an answer about that tells of: nobody where it is about no person and nobody's own.
std::optional<events::AggregateRef> person_of(OrganizationState const& state, events::AggregateRef const& ref) {
    if (is_person(ref.kind)) return ref;
    std::optional<events::AggregateRef> holder;
    with_kind(ref.kind, [&]<class K>(K) {
        auto const& rows = state.rows<events::StateOf<K>>();
        if (auto const found = rows.find(ref.id); found != rows.end()) holder = events::holder_of(found->second.value);
    });
    return holder;
}

/// The person whose key seals the answer of a command with these events, before they take place: of what it acts on,
/// else of what it makes. Throws NotResident.
std::optional<events::AggregateRef> person_of_answer(Submission const& submission, View const& view,
                                                     std::vector<NewEvent> const& events) {
    if (submission.target.id != 0 || events.empty()) return person_of(view.state(), submission.target);
    auto const& first = events.front();
    if (is_person(first.subject.kind)) return first.subject;
    return holder_after(view, first, is_new(view, submission.context, first.subject));
}

/// Whether a refusal is kept for retries: what the state decided is; what the request alone decides, and what a moment
/// did, is computed again.
bool is_stored(Code code) {
    auto const status = core::info(code).status;
    bool const passes = code == Code::concurrent_modification;  // who reads again and retries is to be judged again
    return !passes && status != 400 && status != 401 && status != 403 && status != 408 && status != 429 && status < 500;
}

Result<Decision> decide_safely(Submission const& submission, View const& view) {
    try {
        return submission.decide(view, submission.context);
    } catch (NotResident const&) {
        throw;
    } catch (std::exception const& error) {
        // Decisions are pure: nothing has changed, so the fault is this command's alone.
        core::log(core::Level::error, "a decision failed",
                  {{"request_id", submission.context.request_id}, {"error", error.what()}});
        return refuse(Code::internal_error, "The command failed.");
    }
}

/// The refusal of events of which one may not be written yet; nothing when all may.
std::optional<core::Problem> held_back(events::Encoder const& encoder, std::vector<NewEvent> const& events) {
    auto const held = std::find_if(events.begin(), events.end(),
                                   [&](NewEvent const& event) { return !encoder.may_write(event.data); });
    if (held == events.end()) return std::nullopt;
    return core::Problem{Code::service_unavailable,
                         "An upgrade is under way: not every process reads " +
                             std::string(events::type_of(held->data)) + " yet, which this would write.",
                         {}};
}

/// How it was asked for what the event tells: as the event itself says, else as the command does.
Context const& context_of(Submission const& submission, NewEvent const& event) {
    return event.as ? *event.as : submission.context;
}

/// Has events that may be an outcome say whether they are, and how it was asked for: `causes` has that of each. Returns
/// the outcome, or "".
std::string_view mark_outcome(std::vector<Context const*> const& causes, std::vector<events::Event>& events) {
    auto const outcome = events::outcome_of(events);
    for (std::size_t i = 0; i < events.size(); ++i) {
        auto& meta = events[i].meta;
        if (events::outcome_rule(meta.type) == nullptr) continue;
        meta.outcome = outcome && outcome->event == i ? outcome->rule->outcome : events::kNoOutcome;
        if (meta.outcome == events::kNoOutcome) continue;
        auto const& context = *causes.at(i);
        meta.credential_type = context.credential_type;
        meta.tool = context.cause.tool;
        meta.dedupe_key = context.cause.dedupe_key;
    }
    return outcome ? outcome->rule->outcome : std::string_view();
}

events::Event make_event(Submission const& submission, NewEvent event, std::int64_t seq) {
    auto const& context = context_of(submission, event);
    events::Envelope meta;
    meta.id = core::uuid_v7(submission.context.now);
    meta.type = events::type_of(event.data);
    meta.version = events::version_of(event.data);
    meta.time = submission.context.now;
    meta.subject = event.subject;
    meta.organization = submission.context.organization;
    meta.facility = event.facility;
    // What has no sandbox is live, whoever acts.
    meta.sandbox = submission.context.sandbox && events::is_sandboxed(event.subject.kind);
    meta.seq = seq;
    meta.actor = context.actor;
    meta.credential = context.credential;
    meta.request_id = context.request_id;
    meta.verb = context.cause.verb;
    meta.channel = context.cause.channel;
    meta.client_id = context.cause.client_id;
    meta.correlation_id = context.cause.correlation_id;
    meta.causation_id = context.cause.event_id;
    meta.run_id = context.cause.run_id;
    meta.depth = context.cause.depth;
    if (submission.idempotency) {
        meta.idempotency_key = submission.idempotency->key;
        meta.idempotency_hash = submission.idempotency->fingerprint;
    }
    return {std::move(meta), std::move(event.data)};
}

}  // namespace

View Stager::view_of(Submission const& submission) {
    auto const& context = submission.context;
    return {context.organization, memory_.organization(context.organization), context.sandbox, &memory_.absent(),
            &memory_.taken()};
}

std::string Stager::answer_key_of(Submission const& submission) const {
    auto const& context = submission.context;
    return answer_key(context.organization, context.now, memory_.head.position, context_.answer_keys);
}

void Stager::require_keys(Submission const& submission, View const& view, std::vector<NewEvent> const& events) const {
    Needs needs;
    auto const require = [&](std::string person) {
        Need need{.what = Need::What::key, .text = std::move(person)};
        if (!context_.keyring.holds(need.text) && !memory_.absent().contains(need)) needs.insert(std::move(need));
    };
    auto const require_of = [&](std::optional<events::AggregateRef> const& person) {
        if (person && !is_new(view, submission.context, *person)) require(to_string(*person));
    };
    for (auto const& event : events) {
        if (!events::ends(event.data)) require_of(person_of(event));
    }
    if (submission.idempotency) {
        require_of(person_of_answer(submission, view, events));
        require(answer_key_of(submission));
    }
    if (!needs.empty()) throw NotResident{std::move(needs)};
}

bool Stager::can_seal(Submission const& submission, View const& view, std::vector<NewEvent> const& events) const {
    auto const can = [&](std::optional<events::AggregateRef> const& person) {
        if (!person) return true;
        // The state tells at once of an erasure that is staged or durable, the keyring once it was read back.
        if (!is_new(view, submission.context, *person) && view.erased(*person)) return false;
        try {
            context_.keyring.key_to_seal(to_string(*person));
            return true;
        } catch (std::runtime_error const&) {
            return false;
        }
    };
    // The answer is sealed for its target, also where it tells that there was nothing to do.
    if (submission.idempotency && !can(person_of_answer(submission, view, events))) return false;
    return std::all_of(events.begin(), events.end(), [&](NewEvent const& event) {
        return events::erases(event.data) || events::ends(event.data) || can(person_of(event));
    });
}

std::optional<Reply> Stager::known_answer(Submission const& submission, View const& view) {
    auto const& context = submission.context;
    if (auto const fault = fault_of_credential(view, context); !fault.empty()) {
        return refusal(submission, {Code::unauthenticated, std::string(fault), {}});
    }
    if (!submission.idempotency) return std::nullopt;
    auto const& key = submission.idempotency->key;
    Need need{
        .what = Need::What::answer, .organization = context.organization, .sandbox = context.sandbox, .text = key};
    if (!memory_.knows_answer(need, submission.answers_seen, context.now)) throw NotResident{{std::move(need)}};
    auto const* found = memory_.find_answer(key);
    if (!found) return std::nullopt;
    if (!submission.idempotency->repeats(found->fingerprint)) return refusal(submission, other_request());
    // One that was looked up may have been opened between the person's erasure and the destruction of their key.
    auto const person = events::parse_aggregate(found->sealed_for);
    if (found->erased || (person && view.erased(*person))) {
        return refusal(submission, {Code::not_found,
                                    "The answer was erased with the person that it told of.",
                                    {},
                                    "Use a new Idempotency-Key where it is to be done again."});
    }
    return found->reply;
}

void Stager::add_event(Submission const& submission, NewEvent event, std::int64_t seq,
                       std::vector<events::Event>& events) {
    auto made = make_event(submission, std::move(event), seq);
    made.meta.position = memory_.head.position + 1 + static_cast<std::int64_t>(events.size());
    events.push_back(std::move(made));
}

Rendered Stager::evolve(Submission const& submission, View const& view, Decision const& decision,
                        std::vector<events::Event>& events) {
    auto const take_place = [&](NewEvent const& event) {
        add_event(submission, event, view.state().version(event.subject) + 1, events);
        memory_.apply(events.back());
        // Whoever is bound to facilities sees what happens to their people.
        events.back().meta.facilities = told_facilities(view, event.subject);
        if (events::erases(event.data)) memory_.erase_answers(to_string(event.subject));
    };
    try {
        for (auto const& event : decision.events) take_place(event);
        auto rendered = submission.render(view, decision);
        if (decision.after) {
            for (auto const& event : decision.after(rendered)) take_place(event);
        }
        return rendered;
    } catch (NotResident const&) {
        throw std::logic_error("an answer needs what the decision did not look at");
    }
}

Reply Stager::decide_now(Submission const& submission, View const& view, std::vector<events::Event>& events) {
    auto const refused = [&](core::Problem const& problem) {
        auto reply = refusal(submission, problem);
        if (!submission.store_refusal || !is_stored(problem.code)) return reply;
        if (!budget_.has_room(submission, {})) return refusal(submission, budget_.refuse(1));
        require_keys(submission, view, {});
        add_answer(submission, reply, reply.body, {}, events);
        return reply;
    };
    auto decision = decide_safely(submission, view);
    if (!decision) return refused(decision.error());
    // Judged after the decision, so that what the caller can't see stays a 404.
    auto const& expected = submission.if_match;
    if (expected && std::ranges::count(*expected, view.version(submission.target)) == 0) {
        return refused({Code::precondition_failed, "The resource is of no version that If-Match names.", {}});
    }
    auto all = decision->later;
    all.insert(all.begin(), decision->events.begin(), decision->events.end());
    if (auto const problem = held_back(context_.encoder, all)) return refused(*problem);
    if (!budget_.has_room(submission, all)) return refused(budget_.refuse(1));
    require_keys(submission, view, all);
    if (!can_seal(submission, view, all)) {
        return refused({Code::invalid_state_transition, "The person was erased, and nothing more is kept about them.",
                        R"({"from":"erased","allowed":[]})", "Leave what is left of the person as it is."});
    }
    // The last look: whatever is changed is here, with whose it is, and the organization with what is new in it.
    for (auto const& event : all) {
        bool const resident = events::residence_of(event.subject.kind) == events::Residence::with_organization;
        bool const organization = event.subject.kind == events::Kind::organization;
        bool const begins = is_new(view, submission.context, event.subject);
        if ((resident && !organization) || !begins) std::ignore = view.version(event.subject);
        require_holder(view, submission.context, event, begins);
    }
    auto rendered = evolve(submission, view, *decision, events);
    Reply reply;
    std::vector<Context const*> causes;
    for (auto const& event : decision->events) causes.push_back(&context_of(submission, event));
    causes.resize(events.size(), &submission.context);
    reply.outcome = mark_outcome(causes, events);
    reply.status = submission.success_status;
    reply.body = std::move(rendered.body);
    auto const& subject = submission.target.id != 0 ? submission.target : rendered.created;
    if (subject.id != 0) reply.version = view.state().version(subject);
    if (rendered.created.id != 0 && !submission.location_prefix.empty()) {
        reply.location = submission.location_prefix + std::to_string(rendered.created.id);
    }
    add_answer(submission, reply, std::move(rendered.kept).value_or(reply.body), subject, events);
    return reply;
}

void Stager::add_answer(Submission const& submission, Reply const& reply, std::string body,
                        events::AggregateRef subject, std::vector<events::Event>& events) {
    if (!submission.idempotency) return;
    events::CommandAnswered answered;
    answered.status = reply.status;
    answered.location = reply.location;
    answered.version = reply.version;
    auto const person = person_of(memory_.organization(submission.context.organization), subject);
    answered.sealedFor = person ? to_string(*person) : answer_key_of(submission);
    answered.body = std::move(body);
    add_event(submission, {{}, 0, events::CommandEvent(std::move(answered))}, 0, events);
    memory_.keep_answer(submission.idempotency->key, *answer_of(events.back(), number_));
}

void Stager::stage(Pending& pending, Staged& staged) {
    auto& submission = pending.submission;
    submission.context.now = std::max(staged.now, memory_.last_time);
    memory_.forget_old_answers(staged.now);
    auto const view = view_of(submission);
    if (auto reply = known_answer(submission, view)) {
        staged.unused = pending.reserved.give_up();
        staged.answers.push_back({std::move(pending), std::move(*reply)});
        return;
    }
    std::vector<events::Event> events;
    auto reply = decide_now(submission, view, events);
    bool const changes = std::ranges::any_of(
        events, [](events::Event const& event) { return event.meta.subject.kind != events::Kind::command; });
    if (!changes) staged.unused = pending.reserved.give_up();
    encode(events, staged);
    reply.partition = number_;
    reply.facility = facility_of(events);
    reply.position = events.empty() ? -1 : memory_.head.position;
    memory_.last_time = submission.context.now;
    staged.answers.push_back({std::move(pending), std::move(reply)});
}

void Stager::add_needs_of(Submission& submission, Timestamp now, Needs& needs) {
    try {
        submission.context.now = std::max(now, memory_.last_time);
        auto const view = view_of(submission);
        if (known_answer(submission, view)) return;
        if (auto const decision = decide_safely(submission, view)) require_keys(submission, view, decision->events);
    } catch (NotResident const& lack) {
        // What it has reserved is taken at its own turn: it may come to nothing before.
        std::ranges::copy_if(lack.needs, std::inserter(needs, needs.end()),
                             [](Need const& need) { return need.what != Need::What::reservation; });
    } catch (std::exception const&) {
        // Its own turn will tell.
    }
}

void Stager::encode(std::vector<events::Event>& events, Staged& staged) {
    auto const count = static_cast<std::int32_t>(events.size());
    for (std::int32_t i = 0; i < count; ++i) {
        auto& meta = events[static_cast<std::size_t>(i)].meta;
        meta.epoch = staged.epoch;
        meta.position = memory_.head.position + 1;
        meta.previous_hash = memory_.head.hash;
        meta.command_index = i + 1;
        meta.command_count = count;
        auto body = context_.encoder.encode(meta, events[static_cast<std::size_t>(i)].data);
        if (body.size() > events::kMaxRecordBytes) throw std::length_error("an event is larger than a record may be");
        memory_.head = staged.after = {meta.position, events::record_hash(body)};
        staged.bytes += body.size();
        staged.bodies.push_back(std::move(body));
        staged.ends.add(events[static_cast<std::size_t>(i)]);
    }
}

}  // namespace workforce::commands
