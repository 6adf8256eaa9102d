// Destroying keys on the database's threads.
#include "workers/store/erasures.hpp"

#include <vector>

#include "events/envelope.hpp"

namespace workforce::workers {
namespace {

constexpr core::Statement kFreeReservations{"free_reservations_of_erased", R"(
DELETE FROM ops.reservation r USING unnest($1::text[], $2::bigint[]) AS e(kind, id)
WHERE r.kind = e.kind AND r.subject_id = e.id)"};

// Writers of addresses share the lock; who empties them has it alone. So a writer's rows are there to be emptied, or
// its statement sees that the person's key is destroyed.
constexpr core::Statement kShareAddresses{"share_addresses",
                                          "SELECT pg_advisory_xact_lock_shared(hashtext('workforce key addresses'))"};
constexpr core::Statement kLockAddresses{"lock_addresses",
                                         "SELECT pg_advisory_xact_lock(hashtext('workforce key addresses'))"};
constexpr core::Statement kEmptyAddresses{
    "empty_addresses_of_erased",
    "UPDATE auth.api_key_use SET address = NULL WHERE user_id = ANY ($1::bigint[]) AND address IS NOT NULL"};
constexpr core::Statement kDeleteOrigins{
    "delete_origins_of_erased", "DELETE FROM auth.request_origin WHERE user_id = ANY ($1::bigint[]) AND user_id <> 0"};

// Nobody knows which of them name the person, and all are gone within minutes anyway.
constexpr core::Statement kDropStreams{"drop_streams_at_erasure", "DELETE FROM ops.mcp_stream"};

// How the person signed in.
constexpr core::Statement kForgetSignIn{"forget_sign_in_of_erased", R"(
WITH passwords AS (DELETE FROM auth.password WHERE user_id = ANY ($1::bigint[])),
factors AS (DELETE FROM auth.mfa WHERE user_id = ANY ($1::bigint[])),
recovery AS (DELETE FROM auth.mfa_recovery WHERE user_id = ANY ($1::bigint[])),
links AS (DELETE FROM auth.link WHERE user_id = ANY ($1::bigint[])),
failures AS (DELETE FROM auth.sign_in_failure WHERE user_id = ANY ($1::bigint[])),
records AS (DELETE FROM auth.sign_in_record WHERE user_id = ANY ($1::bigint[]))
DELETE FROM auth.session WHERE user_id = ANY ($1::bigint[]))"};

constexpr core::Statement kForgetCalendars{"forget_calendars_of_erased",
                                           "DELETE FROM auth.calendar_token WHERE staff_id = ANY ($1::bigint[])"};

// An answer is told for a day, and an hour's grace for clocks. Days compare as texts.
constexpr core::Statement kEndAnswerKeys{"end_answer_keys", R"(
UPDATE vault.person_key SET sealed_key = NULL, destroyed_at = now()
WHERE sealed_key IS NOT NULL AND person LIKE 'organization/%' AND person LIKE 'organization/%/%'
    AND split_part(person, '/', 3) COLLATE "C" < to_char((now() AT TIME ZONE 'UTC') - interval '3 days', 'YYYY-MM-DD'))"};

}  // namespace

void hold_addresses(core::Connection& connection) { connection.execute(kShareAddresses); }

boost::asio::awaitable<void> finish_erasures(core::Database& writes, events::PostgresKeyring& keyring) {
    auto const persons = keyring.undestroyed();
    if (persons.empty()) co_return;
    std::vector<std::string_view> kinds;
    std::vector<core::Id> ids, users, staff;
    for (auto const& person : persons) {
        auto const ref = events::parse_aggregate(person);
        if (!ref) continue;
        kinds.push_back(core::enum_name(ref->kind));
        ids.push_back(ref->id);
        if (ref->kind == events::Kind::user) users.push_back(ref->id);
        if (ref->kind == events::Kind::staff) staff.push_back(ref->id);
    }
    co_await writes.run([&](core::Connection& connection) {
        connection.transaction([&] {
            connection.execute(kFreeReservations, kinds, ids);
            if (!users.empty()) {
                connection.execute(kLockAddresses);
                connection.execute(kEmptyAddresses, users);
                connection.execute(kForgetSignIn, users);
                connection.execute(kDeleteOrigins, users);
            }
            if (!staff.empty()) connection.execute(kForgetCalendars, staff);
            connection.execute(kDropStreams);
            events::destroy_keys(connection, persons);
        });
        keyring.destroy(persons);  // in memory too
    });
}

boost::asio::awaitable<void> follow_erasures(core::Database& writes, events::PostgresKeyring& keyring) {
    co_await writes.run([&](core::Connection&) { keyring.forget_destroyed(); });
    co_await finish_erasures(writes, keyring);
}

boost::asio::awaitable<void> end_answer_keys(core::Database& writes) { co_await writes.execute(kEndAnswerKeys); }

void look_for_erasures(events::PostgresKeyring& keyring, RowStore& store) {
    for (auto const& person : store.erased_persons()) keyring.forget(person);
}

}  // namespace workforce::workers
