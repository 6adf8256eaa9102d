// Destroying keys on the database's threads.
#include "workers/jobs/erasures.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

#include "core/logging.hpp"
#include "events/envelope.hpp"

namespace workforce::workers {
namespace {

constexpr int kRoundsOfAll = 60;  // every so many seconds read models are looked through

constexpr core::Statement kFreeEmails{"free_user_emails",
                                      "DELETE FROM ops.user_email WHERE user_id = ANY ($1::bigint[])"};

}  // namespace

boost::asio::awaitable<void> finish_erasures(core::Database& writes, events::PostgresKeyring& keyring) {
    auto const persons = keyring.undestroyed();
    if (persons.empty()) co_return;
    std::vector<core::Id> users;
    for (auto const& person : persons) {
        auto const ref = events::parse_aggregate(person);
        if (ref && ref->kind == events::Kind::user) users.push_back(ref->id);
    }
    co_await writes.run([&](core::Connection& connection) {
        if (!users.empty()) connection.execute(kFreeEmails, users);
        keyring.destroy(persons);
    });
}

boost::asio::awaitable<void> run_erasures(core::Database& writes, events::PostgresKeyring& keyring, RowStore& store) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    bool away = false;
    for (int round = 0;; ++round) {
        try {
            co_await writes.run([&](core::Connection&) {
                keyring.forget_destroyed();
                if (round % kRoundsOfAll != 0) return;
                // Who decoded the erasure may have died since, and it may be past where others begin to read the log.
                for (auto const& person : store.erased_persons()) keyring.forget(person);
            });
            co_await finish_erasures(writes, keyring);
            if (round % kRoundsOfAll == 0) {
                co_await writes.run([&](core::Connection&) { store.prune_answers(); });
            }
            away = false;
        } catch (std::exception const& error) {
            if (!away) core::log(core::Level::warn, "keys of erased persons wait", {{"error", error.what()}});
            away = true;
        }
        timer.expires_after(std::chrono::seconds(1));
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
}

}  // namespace workforce::workers
