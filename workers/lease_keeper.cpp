// The loop of renewals.
#include "workers/lease_keeper.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "core/logging.hpp"

namespace workforce::workers {

boost::asio::awaitable<void> keep_leases(core::Database& database, int partitions, Member member, Owners& owners) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    bool away = false;
    while (true) {
        try {
            owners.show(co_await database.run(
                [=](core::Connection& c) { return renew(c, member, {{}, {}, partitions, partitions, true}); }));
            away = false;
        } catch (std::exception const& error) {
            if (!away) core::log(core::Level::warn, "leases can't be renewed", {{"error", error.what()}});
            away = true;
        }
        timer.expires_after(std::chrono::seconds(1));
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
}

}  // namespace workforce::workers
