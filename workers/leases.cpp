// Renewal and look-up of leases.
#include "workers/leases.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

#include "core/logging.hpp"

namespace workforce::workers {
namespace {

constexpr core::Statement kRenew{
    "renew_leases",
    "INSERT INTO ops.lease (kind, partition, owner, admin_url, expires_at)"
    " SELECT 'writer', p, $2, $3, now() + interval '3 seconds' FROM generate_series(0, $1 - 1) p"
    " ON CONFLICT (kind, partition) DO UPDATE SET owner = EXCLUDED.owner, admin_url = EXCLUDED.admin_url,"
    " expires_at = EXCLUDED.expires_at"};
constexpr core::Statement kRelease{"release_leases", "DELETE FROM ops.lease WHERE owner = $1"};
constexpr core::Statement kLive{
    "live_lease",
    "SELECT partition, owner, admin_url FROM ops.lease WHERE kind = 'writer' AND expires_at > now() ORDER BY partition LIMIT 1"};

}  // namespace

void take_leases(core::Connection& connection, int partitions, std::string const& owner, std::string const& admin_url) {
    connection.execute(kRenew, static_cast<std::int64_t>(partitions), owner, admin_url);
}

boost::asio::awaitable<void> keep_leases(core::Database& database, int partitions, std::string owner,
                                         std::string admin_url) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    auto const count = static_cast<std::int64_t>(partitions);
    bool away = false;
    while (true) {
        try {
            co_await database.run([=](core::Connection& c) { c.execute(kRenew, count, owner, admin_url); });
            away = false;
        } catch (std::exception const& error) {
            if (!away) core::log(core::Level::warn, "leases can't be renewed", {{"error", error.what()}});
            away = true;
        }
        timer.expires_after(std::chrono::seconds(1));
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
}

void release_leases(core::Connection& connection, std::string const& owner) { connection.execute(kRelease, owner); }

std::optional<Lease> live_lease(core::Connection& connection) {
    auto const rows = connection.execute(kLive);
    if (rows.empty()) return std::nullopt;
    return Lease{rows[0][0].as<int>(), rows[0][1].c_str(), rows[0][2].c_str()};
}

}  // namespace workforce::workers
