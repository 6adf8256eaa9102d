// Destroying keys on the database's threads.
#include "workers/jobs/erasures.hpp"

#include <vector>

#include "events/envelope.hpp"

namespace workforce::workers {
namespace {

constexpr core::Statement kFreeReservations{"free_reservations_of_erased", R"(
DELETE FROM ops.reservation r USING unnest($1::text[], $2::bigint[]) AS e(kind, id)
WHERE r.kind = e.kind AND r.subject_id = e.id)"};

// The mark that they are not active any more is older than this: no address of theirs is written later.
constexpr core::Statement kEmptyAddresses{"empty_addresses_of_erased", R"(
UPDATE auth.api_key_use u SET address = NULL FROM unnest($1::text[], $2::bigint[]) AS e(kind, id)
WHERE e.kind = 'user' AND u.user_id = e.id AND u.address IS NOT NULL)"};

// An answer is told for a day, and an hour's grace for clocks. Days compare as texts.
constexpr core::Statement kEndAnswerKeys{"end_answer_keys", R"(
UPDATE vault.person_key SET sealed_key = NULL, destroyed_at = now()
WHERE sealed_key IS NOT NULL AND person LIKE 'organization/%' AND person LIKE 'organization/%/%'
    AND split_part(person, '/', 3) COLLATE "C" < to_char((now() AT TIME ZONE 'UTC') - interval '3 days', 'YYYY-MM-DD'))"};

}  // namespace

boost::asio::awaitable<void> finish_erasures(core::Database& writes, events::PostgresKeyring& keyring) {
    auto const persons = keyring.undestroyed();
    if (persons.empty()) co_return;
    std::vector<std::string_view> kinds;
    std::vector<core::Id> ids;
    for (auto const& person : persons) {
        auto const ref = events::parse_aggregate(person);
        if (!ref) continue;
        kinds.push_back(core::enum_name(ref->kind));
        ids.push_back(ref->id);
    }
    co_await writes.run([&](core::Connection& connection) {
        connection.execute(kFreeReservations, kinds, ids);
        connection.execute(kEmptyAddresses, kinds, ids);
        keyring.destroy(persons);
    });
}

boost::asio::awaitable<void> follow_erasures(core::Database& writes, events::PostgresKeyring& keyring) {
    co_await writes.run([&](core::Connection&) { keyring.forget_destroyed(); });
    co_await finish_erasures(writes, keyring);
}

boost::asio::awaitable<void> end_answer_keys(core::Database& writes) {
    co_await writes.run([](core::Connection& connection) { connection.execute(kEndAnswerKeys); });
}

void look_for_erasures(events::PostgresKeyring& keyring, RowStore& store) {
    for (auto const& person : store.erased_persons()) keyring.forget(person);
}

}  // namespace workforce::workers
