// Destroying keys on the database's threads.
#include "workers/jobs/erasures.hpp"

#include <vector>

#include "events/envelope.hpp"

namespace workforce::workers {
namespace {

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

boost::asio::awaitable<void> follow_erasures(core::Database& writes, events::PostgresKeyring& keyring) {
    co_await writes.run([&](core::Connection&) { keyring.forget_destroyed(); });
    co_await finish_erasures(writes, keyring);
}

void look_for_erasures(events::PostgresKeyring& keyring, RowStore& store) {
    for (auto const& person : store.erased_persons()) keyring.forget(person);
}

}  // namespace workforce::workers
