// Due jobs: what is done to aggregates because time has come, by commands.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/engine/processor.hpp"
#include "core/session_pool.hpp"
#include "workers/engine/reactor.hpp"
#include "workers/jobs/periodic.hpp"

namespace workforce::workers {

/// An aggregate for which time has come.
struct DueSubject {
    core::Id organization = 0;
    bool sandbox = false;
    core::Id id = 0;
    auto operator<=>(DueSubject const&) const = default;
};

/// A due job as the table has it. Whoever writes a partition runs it for that partition, so several processes share it.
struct DueJob {
    std::string_view name;
    std::chrono::milliseconds period{};
    /// What is due by the read models, which may be behind: organization_id, is_sandbox and id, in the order of the
    /// first two, 10,000 at most. $1: partitions; $2: the time; $3: ids of subjects to leave out.
    std::string_view due;
    /// The command for subjects of one organization; it judges on its own state whether they are due.
    commands::Submission (*command)(std::vector<core::Id> ids, commands::Context context) = nullptr;
    std::size_t batch = 200;  ///< subjects a command
    /// The operation that is asked for instead, for each subject, where something has to be looked up for the command.
    std::string_view verb{};
};

/// All due jobs. A new one adds its row in due_jobs.cpp and its query in workers/jobs/.
std::span<DueJob const> due_jobs();

/// The options of a session that sees what is due, under the role workforce_projector, which row-level security lets
/// see all: as those that fold reactors have them. What it writes may be lost in a crash of the database.
core::ConnectionOptions due_session(core::ConnectionOptions options);

/// What time it is, for queries of what is due. Called in a session, so that it can ask the database.
using JobClock = std::function<core::Timestamp(core::Connection& connection)>;
/// The database's clock.
core::Timestamp database_time(core::Connection& connection);

/// Rounds of one due job. A subject that is still due after its command gained nothing by it: it is left out for the
/// job's period, then twice that and so on, for an hour at most. Used by one coroutine at a time.
class DueRounds {
   public:
    static constexpr std::chrono::hours kLongestRest{1};

    /// The sessions are as due_session() has them, and are used on `threads`; all of these outlive it.
    /// `ask` is for jobs that have a verb.
    DueRounds(DueJob const& job, commands::Processor& processor, core::SessionPool& sessions,
              boost::asio::thread_pool& threads, JobClock clock = database_time, AskOperation ask = {})
        : job_(job),
          processor_(processor),
          sessions_(sessions),
          threads_(threads),
          clock_(std::move(clock)),
          ask_(std::move(ask)) {}

    /// Has everything moved that is due now at the partitions that this process writes; nothing while the job is
    /// paused. Returns how many subjects were asked for. Errors: core::DatabaseUnavailable.
    boost::asio::awaitable<std::size_t> run();

    /// As what the runner of periodic jobs does.
    [[nodiscard]] Periodic periodic();

   private:
    /// A subject that was due, and its rest.
    struct Rest {
        int repeats = 0;
        core::Timestamp until{};
    };

    /// Submits the job's commands.
    boost::asio::awaitable<void> submit_for(std::vector<DueSubject> const& due);
    /// Asks for the job's operation, for some subjects at a time.
    boost::asio::awaitable<void> ask_for(std::vector<DueSubject> const& due);
    boost::asio::awaitable<void> ask_for_each(std::vector<DueSubject> const& due, std::size_t& next);
    /// What is due, in order. Blocks.
    std::vector<DueSubject> find(std::vector<int> const& partitions);
    /// Notes who is due again, and who is no more.
    void note(std::vector<DueSubject> const& due, core::Timestamp now);

    DueJob const& job_;
    commands::Processor& processor_;
    core::SessionPool& sessions_;
    boost::asio::thread_pool& threads_;
    JobClock const clock_;
    AskOperation const ask_;
    std::map<DueSubject, Rest> rests_;
};

}  // namespace workforce::workers
