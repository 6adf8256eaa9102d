// One round: what is due by the read models, as commands of some subjects each.
#include "workers/jobs/due_job.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "core/ids.hpp"
#include "projections/engine/partition_folder.hpp"

namespace workforce::workers {
namespace {

constexpr core::Statement kNow{"due_job_now", "SELECT clock_timestamp()"};
constexpr core::Statement kPausedJob{"due_job_paused", "SELECT FROM reactor.pause WHERE name = $1"};

bool same_tenant(DueSubject const& a, DueSubject const& b) {
    return a.organization == b.organization && a.sandbox == b.sandbox;
}

}  // namespace

core::ConnectionOptions due_session(core::ConnectionOptions options) {
    return projections::projector_session(std::move(options), projections::Tables::reactors);
}

core::Timestamp database_time(core::Connection& connection) {
    return core::read<core::Timestamp>(connection.execute(kNow).at(0)[0]);
}

std::vector<DueSubject> DueRounds::find(std::vector<int> const& partitions) {
    return sessions_.run([&](core::Connection& connection) {
        std::vector<DueSubject> due;
        if (!connection.execute(kPausedJob, job_.name).empty()) return due;
        auto const now = clock_(connection);
        std::vector<core::Id> resting;
        for (auto const& [subject, rest] : rests_) {
            if (rest.until > now) resting.push_back(subject.id);
        }
        for (auto const& row : connection.execute({job_.name, job_.due}, partitions, now, resting)) {
            due.push_back({core::read<core::Id>(row[0]), core::read<bool>(row[1]), core::read<core::Id>(row[2])});
        }
        note(due, now);
        return due;
    });
}

void DueRounds::note(std::vector<DueSubject> const& due, core::Timestamp now) {
    std::map<DueSubject, Rest> rests;
    for (auto const& [subject, rest] : rests_) {
        if (rest.until > now) rests.emplace(subject, rest);
    }
    for (auto const& subject : due) {
        auto const before = rests_.find(subject);
        Rest rest;
        if (before != rests_.end()) {
            rest.repeats = std::min(before->second.repeats + 1, 30);
            auto const pause = std::min<std::int64_t>(job_.period.count() << rest.repeats,
                                                      std::chrono::milliseconds(kLongestRest).count());
            rest.until = {now.ms + pause - job_.period.count() / 2};  // so that it is over at a round
        }
        rests.insert_or_assign(subject, rest);
    }
    rests_ = std::move(rests);
}

boost::asio::awaitable<std::size_t> DueRounds::run() {
    auto const served = processor_.served();
    if (served.empty()) co_return 0;
    std::vector<DueSubject> due;
    co_await blocking(threads_, [&] { due = find(served); })();
    if (job_.verb.empty()) {
        co_await submit_for(due);
    } else {
        co_await ask_for(due);
    }
    co_return due.size();
}

boost::asio::awaitable<void> DueRounds::submit_for(std::vector<DueSubject> const& due) {
    for (std::size_t i = 0; i < due.size();) {
        auto const begin = i;
        auto const& first = due[i];
        std::vector<core::Id> ids;
        for (; i < due.size() && ids.size() < job_.batch && same_tenant(due[i], first); ++i) ids.push_back(due[i].id);
        commands::Context context;
        context.organization = first.organization;
        context.sandbox = first.sandbox;
        context.request_id = core::request_id();
        auto submission = job_.command(std::move(ids), std::move(context));
        submission.render_problem = [](core::Problem const& problem) { return problem.message; };
        auto const reply = co_await processor_.submit(std::move(submission));
        if (!reply.refused) continue;
        for (auto each = begin; each < i; ++each) rests_.erase(due[each]);  // nothing was judged: asked for next time
    }
}

boost::asio::awaitable<void> DueRounds::ask_for(std::vector<DueSubject> const& due) {
    // What is due at the same minute is asked for together, so that it is appended together.
    using namespace boost::asio::experimental::awaitable_operators;
    std::size_t next = 0;
    auto const some = [&] { return ask_for_each(due, next); };
    co_await (some() && some() && some() && some() && some() && some() && some() && some());
}

boost::asio::awaitable<void> DueRounds::ask_for_each(std::vector<DueSubject> const& due, std::size_t& next) {
    while (next < due.size()) {
        auto const& subject = due[next++];
        // The subject's own state says that it is done once, so each time has a key of its own.
        auto const answer = co_await ask_({.verb = std::string(job_.verb),
                                           .organization = subject.organization,
                                           .sandbox = subject.sandbox,
                                           .id = subject.id,
                                           .key = core::request_id()});
        if (!answer || answer->refused) rests_.erase(subject);
    }
}

Periodic DueRounds::periodic() {
    return {job_.name, job_.period, [this]() -> boost::asio::awaitable<void> { co_await run(); }};
}

}  // namespace workforce::workers
