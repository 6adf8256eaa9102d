// Rows to try things out on.
#include "operations/sandbox.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "commands/sandbox_data_set.hpp"
#include "events/aggregate.hpp"
#include "operations/declare.hpp"
#include "operations/words/words.hpp"
#include "projections/sandbox/sandboxes.hpp"

namespace workforce::operations {

/// What the last reset did.
struct LastReset {
    events::SandboxCounts cleared;
    events::SandboxCounts seeded;
    events::SandboxSeed seed = 1;
    core::Timestamp resetAt;
};
BOOST_DESCRIBE_STRUCT(LastReset, (), (cleared, seeded, seed, resetAt))

/// The answer of GET /api/sandbox.
struct SandboxAnswer {
    Id facilityId = 0;
    events::SandboxCounts counts;  ///< of rows that a reset would delete
    core::Nullable<LastReset> lastReset;
};
BOOST_DESCRIBE_STRUCT(SandboxAnswer, (), (facilityId, counts, lastReset))

template <>
struct ApiExample<commands::ResetSandbox> {
    static void write(core::JsonWriter& w, Side, commands::ResetSandbox const&) {
        w.raw(R"({"facilityId":1,"seed":1})");
    }
};

namespace {

using boost::asio::awaitable;
using core::Code;

/// The sandboxes that are being reset in this process. Thread-safe.
class Running {
   public:
    using Sandbox = std::pair<Id, Id>;  ///< organization and facility: callers name facilities of others too

    /// Nothing where the reset may run, else why it may not.
    std::optional<core::Problem> add(Sandbox sandbox, std::optional<commands::Idempotency> const& idempotency) {
        std::lock_guard const lock(mutex_);
        for (auto const& [other, first] : resets_) {
            if (!idempotency || !first || first->key != idempotency->key) continue;
            if (!idempotency->repeats(first->fingerprint))
                return core::Problem{Code::idempotency_key_conflict,
                                     "The Idempotency-Key was used for another request."};
            return core::Problem{Code::idempotency_in_progress,
                                 "The first request with the Idempotency-Key is still running."};
        }
        if (resets_.try_emplace(sandbox, idempotency).second) return std::nullopt;
        return core::Problem{Code::concurrent_modification, "Another reset of the facility's sandbox is under way."};
    }
    void remove(Sandbox sandbox) {
        std::lock_guard const lock(mutex_);
        resets_.erase(sandbox);
    }

   private:
    std::mutex mutex_;
    std::map<Sandbox, std::optional<commands::Idempotency>> resets_;
};

/// The place of one of them, until its end.
class Place {
   public:
    explicit Place(ResetRun const& run)
        : sandbox_(run.context.organization, run.facility), refused_(running().add(sandbox_, run.idempotency)) {}
    Place(Place const&) = delete;
    Place& operator=(Place const&) = delete;
    ~Place() {
        if (!refused_) running().remove(sandbox_);
    }
    /// Why the reset may not run, if it may not.
    [[nodiscard]] std::optional<core::Problem> const& refused() const { return refused_; }

   private:
    static Running& running() {
        static Running all;
        return all;
    }

    Running::Sandbox sandbox_;
    std::optional<core::Problem> refused_;
};

awaitable<std::vector<Id>> data_set_ids(commands::IdBlocks& ids) {
    std::vector<Id> all;
    for (auto const& [kind, count] : commands::data_set_rows()) {
        auto const some = co_await ids.take(kind, count);
        all.insert(all.end(), some.begin(), some.end());
    }
    co_return all;
}

/// Deletes some rows of a sandbox that has a great many. Returns what was deleted; zeros where there are not so many,
/// or nothing could be deleted now.
awaitable<events::SandboxCounts> clear_some(commands::Processor& processor, ResetRun const& run,
                                            events::SandboxCounts before) {
    auto submission = commands::make_submission(commands::ClearSandbox{run.facility, run.seed, before}, run.context);
    submission.render_problem = [](core::Problem const&) { return std::string(); };
    auto const reply = co_await processor.submit(std::move(submission));
    if (reply.refused) co_return events::SandboxCounts{};
    co_return core::from_stored_json<events::SandboxCounts>(reply.body);
}

/// The facility that is named, else the only one that the caller has: that they are bound to, or that the organization
/// has.
awaitable<core::Result<Id>> facility_of(Call& call, std::optional<Id> named) {
    auto const& own = call.caller->facilities;
    if (named) co_return *named;
    if (own.size() == 1) co_return own.front();
    if (own.empty() && call.meta.organization != 0) {
        if (auto const scope = read_scope(call)) {
            co_await await_own_writes(call);
            auto const only = co_await projections::only_facility(call.services.database_of(*scope), *scope);
            if (only) co_return *only;
        }
    }
    co_return core::refuse(Code::facility_required, "The request does not say which facility's sandbox it is about.");
}

awaitable<Outcome> reset_sandbox(Call& call) {
    auto command = read_command<commands::ResetSandbox>(call);
    if (command) {
        if (auto facility = co_await facility_of(call, command->facilityId)) {
            command->facilityId = *facility;
        } else {
            command = tl::unexpected(facility.error());
        }
    }
    if (!command) co_return co_await submit(call, submission_of(call, std::move(command)), 0);
    ResetRun const run{command_context(call), *command->facilityId, command->seed, call.meta.idempotency};
    auto const expected = call.meta.expected_versions;
    Outcome outcome;
    auto const attempt = [&](events::SandboxCounts before,
                             std::vector<Id> new_ids) -> awaitable<std::optional<core::Problem>> {
        command->cleared_before = before;
        auto submission = submission_of(call, command);
        submission.context.new_ids = std::move(new_ids);
        auto const problem = std::make_shared<std::optional<core::Problem>>();
        submission.render_problem = [problem, id = call.meta.request_id,
                                     form = call.operation.http.errors](core::Problem const& refused) {
            *problem = refused;
            return render_problem(refused, id, form);
        };
        call.meta.idempotency = run.idempotency;
        call.meta.expected_versions = expected;
        outcome = co_await submit(call, std::move(submission), 0);
        co_return *problem;
    };
    if (auto const refused = co_await run_reset(call.services.processor, run, attempt))
        co_return refuse(call, *refused);
    // Its first events may be of shifts elsewhere, which people are taken off.
    if (outcome.facility != 0) outcome.facility = run.facility;
    co_return outcome;
}

awaitable<Outcome> get_sandbox(Call& call) {
    auto const query = read_query<ScopeQuery>(call.input.parameters);
    if (!query) co_return refuse(call, query.error());
    auto const facility = co_await facility_of(call, query->facilityId);
    if (!facility) co_return refuse(call, facility.error());
    auto scope = read_scope(call, *facility);
    if (!scope) co_return refuse(call, scope.error());
    co_await await_own_writes(call);
    if (auto known = co_await check_facility(call, *facility); !known) co_return refuse(call, known.error());
    auto const content = co_await projections::sandbox_content(call.services.database_of(*scope), *scope);
    SandboxAnswer answer{.facilityId = *facility, .counts = content.counts, .lastReset = {}};
    if (auto const& last = content.last_reset)
        answer.lastReset = LastReset{last->cleared, last->seeded, last->seed, last->updatedAt};
    co_return Outcome{.body = core::to_json(answer), .facility = *facility};
}

/// `cleared` of the answer has more than this command deleted: it is no resource, and has no version.
Operation reset() {
    auto row = command<commands::ResetSandbox>("sandbox.reset", "Empty a facility's sandbox and fill it anew");
    row.description =
        "Deletes all sandbox rows of a facility and makes a small data set instead. Ids are new, the same seed gives "
        "the same content, and dates follow the day. Keys and webhooks of the sandbox stay. Refused while another "
        "reset runs.";
    row.refusals = {core::Code::facility_required, core::Code::duplicate_resource};
    row.versioned = false;
    return row;
}

Operation content() {
    auto row = query_with<SandboxAnswer, ScopeQuery>("sandbox.get", "What lies in a facility's sandbox", get_sandbox);
    row.description = "Returns how many rows a facility's sandbox has, and what the last reset did.";
    row.refusals = {core::Code::facility_required};
    row.reads = {core::enum_name(events::Kind::sandbox), core::enum_name(events::Kind::facility)};
    for (auto const kind : events::kAllKinds) {
        if (events::is_counted(kind)) row.reads.push_back(core::enum_name(kind));
    }
    return row;
}

}  // namespace

awaitable<std::optional<core::Problem>> run_reset(commands::Processor& processor, ResetRun run, ResetAttempt attempt) {
    // Who may not act on the facility takes no place from those who may: the attempt is refused.
    if (!run.context.reaches(run.facility)) {
        co_await attempt({}, {});
        co_return std::nullopt;
    }
    Place const place(run);
    if (place.refused()) co_return place.refused();
    auto const new_ids = co_await data_set_ids(processor.ids());
    for (events::SandboxCounts before;;) {
        auto const refused = co_await attempt(before, new_ids);
        if (!refused || !commands::tells_too_many_rows(*refused)) co_return std::nullopt;
        auto const cleared = co_await clear_some(processor, run, before);
        if (cleared == events::SandboxCounts{}) co_return std::nullopt;
        before = before + cleared;
    }
}

std::vector<Operation> sandbox_operations() {
    using enum net::Method;
    constexpr core::Permission kManage("sandbox.manage");
    auto resetting = reset();
    resetting.handler = reset_sandbox;
    return {
        content().needs(kManage).by_people().about_sandbox().shows(events::Kind::sandbox).at(get, "/api/sandbox"),
        std::move(resetting).needs(kManage).by_people().about_sandbox().audit().at(post, "/api/sandbox/reset"),
    };
}

std::vector<StructWords> sandbox_words() {
    return {
        {{"ResetSandbox"},
         {{"facilityId", "Whose sandbox, from {facilities.list}; required where you have several"},
          {"seed", "Which data set: the same seed makes the same rows; 1 by default"}}},
        {{"SandboxAnswer"},
         {{"facilityId", "Whose sandbox it is"},
          {"counts", "Rows that a reset would delete"},
          {"lastReset", "What the last reset did; null: there was none"}}},
        {{"SandboxResetAnswer"}, {{"facilityId", "Whose sandbox it is"}}},
        {{"SandboxResetAnswer", "LastReset"},
         {{"cleared", "Rows that were deleted"},
          {"seeded", "Rows that were made"},
          {"seed", "Which data set was made"},
          {"resetAt", "When (UTC)"}}},
    };
}

}  // namespace workforce::operations
