// Rounds and pauses.
#include "workers/jobs/periodic.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "core/logging.hpp"
#include "core/outage.hpp"
#include "core/run_on.hpp"
#include "workers/sql.hpp"

namespace workforce::workers {
namespace {

constexpr core::Statement kLead{"job_lead", sql::jobs_lead};

}  // namespace

std::function<boost::asio::awaitable<void>()> blocking(boost::asio::thread_pool& threads, std::function<void()> round) {
    return [&threads, round = std::move(round)] { return core::run_on(threads, round); };
}

bool lead(core::SessionPool& sessions, std::string_view job, std::chrono::milliseconds period) {
    return sessions.run([&](core::Connection& connection) {
        return connection.execute(kLead, job, period.count() / 2).affected_rows() == 1;
    });
}

boost::asio::awaitable<void> run_periodically(Periodic job, std::stop_token stop) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    for (bool fails = false; !stop.stop_requested();) {
        try {
            co_await job.round();
            fails = false;
        } catch (std::exception const& error) {
            auto const level = core::quiet_while_away(core::Level::warn);
            if (!fails) {
                core::log(level, "a periodic job failed and is tried again",
                          {{"job", job.name}, {"error", error.what()}});
            }
            fails = level != core::Level::debug;  // what goes on failing after an outage has its line then
        }
        timer.expires_after(job.period);
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
}

}  // namespace workforce::workers
