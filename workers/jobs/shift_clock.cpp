// One tick: what is due by the read models, as commands of some shifts each.
#include "workers/jobs/shift_clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

#include "commands/shift.hpp"
#include "core/ids.hpp"
#include "core/logging.hpp"

namespace workforce::workers {
namespace {

constexpr std::size_t kBatch = 200;                       // shifts a command
constexpr std::int64_t kRecentMs = 7 * 24 * 3'600'000LL;  // what a common tick looks at
constexpr int kTicksOfAll = 60;                           // every so many ticks look at all there is
constexpr auto kPause = std::chrono::minutes(1);

boost::asio::awaitable<void> move(commands::Processor& processor, DueShift const& first, std::vector<core::Id> ids) {
    commands::Context context;
    context.organization = first.organization;
    context.sandbox = first.sandbox;
    context.request_id = core::request_id();
    auto submission = commands::make_submission(commands::MoveDueShifts{std::move(ids)}, std::move(context));
    submission.render_problem = [](core::Problem const& problem) { return problem.message; };
    co_await processor.submit(std::move(submission));
}

boost::asio::awaitable<void> tick(commands::Processor& processor, RowStore& store, core::Timestamp since) {
    std::vector<int> served;
    for (auto const& partition : processor.partitions()) {
        if (partition->served()) served.push_back(partition->number());
    }
    if (served.empty()) co_return;
    std::vector<DueShift> due;
    auto const ask = [&]() -> boost::asio::awaitable<void> {
        due = store.due_shifts(served, since);
        co_return;
    };
    co_await boost::asio::co_spawn(processor.blocking(), ask(), boost::asio::use_awaitable);
    for (std::size_t i = 0; i < due.size();) {
        auto const& first = due[i];
        std::vector<core::Id> ids;
        for (; i < due.size() && ids.size() < kBatch; ++i) {
            if (due[i].organization != first.organization || due[i].sandbox != first.sandbox) break;
            ids.push_back(due[i].id);
        }
        co_await move(processor, first, std::move(ids));
    }
}

}  // namespace

boost::asio::awaitable<void> run_shift_clock(commands::Processor& processor, RowStore& store) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    for (int since_all = kTicksOfAll;; ++since_all) {
        try {
            core::Timestamp const recent{core::now().ms - kRecentMs};
            bool const all = since_all >= kTicksOfAll;
            co_await tick(processor, store, all ? core::Timestamp{} : recent);
            if (all) since_all = 0;  // else the next tick tries again
        } catch (std::exception const& error) {
            core::log(core::Level::warn, "the shift clock could not tick", {{"error", error.what()}});
        }
        timer.expires_after(kPause);
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
}

}  // namespace workforce::workers
