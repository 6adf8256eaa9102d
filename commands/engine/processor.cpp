// Start, stop and routing of partitions.
#include "commands/engine/processor.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <map>

#include "core/logging.hpp"
#include "core/outage.hpp"
#include "core/run_on.hpp"

namespace workforce::commands {
namespace {

/// Past so many that wait for a look-up the queue tells who may wait.
constexpr std::size_t kMostLooking = 4096;

Reply unavailable(Submission const& submission, std::string message) {
    return refusal(submission, {Code::service_unavailable, std::move(message), {}});
}

}  // namespace

Processor::Processor(events::EventLog& log, events::Encoder const& encoder, events::Keyring& keyring,
                     core::Database& database, core::CheckedClock const& clock, std::string const& owner,
                     std::function<boost::asio::awaitable<bool>(int)> const& may_claim,
                     std::function<boost::asio::awaitable<void>()> const& require_writable, Residency const& residency)
    : ids_(database),
      homes_(database, log.partitions()),
      residency_(residency),
      answers_([this](std::vector<AnswerNeed> wanted) { return look_for_answers(std::move(wanted)); }),
      work_(boost::asio::make_work_guard(context_)) {
    PartitionContext shared{.log = log,
                            .encoder = encoder,
                            .keyring = keyring,
                            .clock = clock,
                            .folding = folding_,
                            .storing = storing_,
                            .loading = loading_,
                            .store = residency.store,
                            .reservations = residency.reservations,
                            .limits = residency.limits,
                            .use = use_,
                            .owner = owner,
                            .may_claim = may_claim,
                            .require_writable = require_writable,
                            .answer_keys = residency.answer_keys};
    if (residency.queue_limit != 0) shared.queue_limit = residency.queue_limit;
    for (int number = 0; number < log.partitions(); ++number) {
        partitions_.push_back(std::make_unique<Partition>(number, shared, context_.get_executor()));
    }
    if (residency_.store) boost::asio::co_spawn(context_, tidy(), boost::asio::detached);
    thread_ = std::thread([this] { context_.run(); });
}

Processor::~Processor() { stop(); }

boost::asio::awaitable<void> Processor::acquire(int partition) {
    auto& taken = *partitions_.at(static_cast<std::size_t>(partition));
    co_await boost::asio::co_spawn(context_, taken.acquire(), boost::asio::use_awaitable);
}

boost::asio::awaitable<void> Processor::release(int partition) {
    auto& given = *partitions_.at(static_cast<std::size_t>(partition));
    co_await boost::asio::co_spawn(context_, given.release(), boost::asio::use_awaitable);
}

bool Processor::owns(int partition) const {
    return has(partition) && partitions_[static_cast<std::size_t>(partition)]->served();
}

bool Processor::has(int partition) const {
    return partition >= 0 && static_cast<std::size_t>(partition) < partitions_.size();
}

boost::asio::awaitable<Reply> Processor::submit(Submission submission) {
    int home = -1;
    std::optional<std::string> fault;
    try {
        home = co_await homes_.find(submission.context.organization);
    } catch (std::exception const& error) {
        fault = error.what();
    }
    if (fault) {
        homes_unknown_.met(core::quiet_while_away(core::Level::error), {{"error", *fault}});
        co_return unavailable(submission, "The database can't be reached.");
    }
    homes_unknown_.over();
    if (home < 0) co_return unavailable(submission, "The organization has no partition.");
    if (!has(home)) {
        co_return unavailable(submission, "This process does not know the organization's partition yet.");
    }
    auto& partition = *partitions_.at(static_cast<std::size_t>(home));
    auto need = partition.answer_to_look_up(submission);
    if (need && looking_ < kMostLooking) {
        ++looking_;
        try {
            submission.answers_seen = co_await answers_.submit({home, *std::move(need)});
        } catch (std::exception const&) {
            // Then it is looked up at its turn, or refused there.
        }
        --looking_;
    }
    co_return co_await core::await_completion<Reply>(
        [&](core::Completion<Reply> done) { partition.submit(std::move(submission), std::move(done)); });
}

boost::asio::awaitable<std::vector<std::int64_t>> Processor::look_for_answers(std::vector<AnswerNeed> wanted) {
    std::map<int, Needs> by_partition;
    for (auto const& [partition, need] : wanted) by_partition[partition].insert(need);
    std::map<int, Found> found;
    co_await core::run_on(loading_, [&] {
        for (auto const& [partition, needs] : by_partition) {
            found[partition] = residency_.store->find({.partition = partition, .needs = needs});
        }
    });
    std::vector<std::int64_t> seen;
    for (auto const& [partition, need] : wanted) {
        auto const& there = found[partition];
        seen.push_back(there.answers.contains(need.text) ? -1 : there.through[events::Kind::command]);
    }
    co_return seen;
}

boost::asio::awaitable<void> Processor::tidy() {
    while (!stopping_) {
        next_tidy_.expires_after(residency_.tidy_pause);
        boost::system::error_code ignored;
        co_await next_tidy_.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
        for (auto const& partition : partitions_) {
            if (!stopping_) co_await partition->tidy();
        }
    }
}

std::vector<int> Processor::served() const {
    std::vector<int> served;
    for (auto const& partition : partitions_) {
        if (partition->served()) served.push_back(partition->number());
    }
    return served;
}

void Processor::stop() {
    if (!thread_.joinable()) return;
    work_.reset();
    boost::asio::post(context_, [this] {
        stopping_ = true;
        next_tidy_.cancel();
    });
    thread_.join();
    answers_.stop(std::make_exception_ptr(core::DatabaseUnavailable("this process is stopping")));
    folding_.join();
    storing_.join();
    loading_.join();
}

}  // namespace workforce::commands
