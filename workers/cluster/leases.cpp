// Statements over ops.process and ops.lease.
#include "workers/cluster/leases.hpp"

#include "core/json.hpp"
#include "workers/cluster/activations.hpp"
#include "workers/cluster/master_keys.hpp"

namespace workforce::workers {
namespace {

constexpr core::Statement kPrepare{
    "prepare_leases",
    "INSERT INTO ops.lease (kind, partition, owner, admin_url, expires_at)"
    " SELECT kind, partition, '', '', to_timestamp(0)"
    " FROM unnest('{projector,writer}'::text[]) AS kind, generate_series(0, $1::int - 1) AS partition"
    " ORDER BY kind, partition ON CONFLICT DO NOTHING"};

// Rows are locked with SKIP LOCKED throughout: keepers never wait for each other. One that is skipped is tried again at
// the next renewal.
constexpr core::Statement kRenew{"renew_leases", R"sql(
WITH beat AS (
    INSERT INTO ops.process AS p (owner, role, admin_url, expires_at, may_write, trouble, reads, calls)
    VALUES ($1, $2, $3, now() + interval '3 seconds', $13::text = '', $13, $15::jsonb, $16)
    ON CONFLICT (owner) DO UPDATE SET expires_at = excluded.expires_at, may_write = excluded.may_write,
        trouble = excluded.trouble
    RETURNING p.*
), swept AS (
    DELETE FROM ops.process WHERE owner IN (
        SELECT owner FROM ops.process WHERE expires_at < now() - interval '10 minutes' FOR UPDATE SKIP LOCKED)
), mine AS MATERIALIZED (
    SELECT kind, partition FROM ops.lease WHERE owner = $1 FOR UPDATE SKIP LOCKED
), writers AS MATERIALIZED (
    SELECT kind, partition FROM ops.lease
    WHERE kind = 'writer' AND owner <> $1 AND (expires_at <= now() OR $10::boolean)
        AND (given_up_by <> $1 OR $12::boolean) AND partition < $14
    ORDER BY partition LIMIT $8::int FOR UPDATE SKIP LOCKED
), projectors AS MATERIALIZED (
    SELECT kind, partition FROM ops.lease
    WHERE kind = 'projector' AND owner <> $1 AND (expires_at <= now() OR $10::boolean)
        AND (given_up_by <> $1 OR $12::boolean) AND partition < $14
    ORDER BY partition LIMIT $9::int FOR UPDATE SKIP LOCKED
), chosen AS (
    SELECT kind, partition, given.kind IS NOT NULL AS given, given.up IS TRUE AS given_up
    FROM mine LEFT JOIN unnest($4::text[], $5::int[], $11::boolean[]) AS given (kind, partition, up) USING (kind, partition)
    UNION ALL SELECT kind, partition, false, false FROM writers
    UNION ALL SELECT kind, partition, false, false FROM projectors
), changed AS (
    UPDATE ops.lease l
    SET owner = CASE WHEN c.given THEN '' ELSE $1 END,
        admin_url = CASE WHEN c.given THEN '' ELSE $3 END,
        epoch = CASE WHEN c.given OR c.kind <> 'writer' THEN 0 ELSE coalesce(e.epoch, 0) END,
        expires_at = CASE WHEN c.given THEN to_timestamp(0) ELSE now() + interval '3 seconds' END,
        given_up_by = CASE WHEN c.given_up THEN $1 WHEN l.given_up_by = $1 THEN '' ELSE l.given_up_by END
    FROM chosen c LEFT JOIN unnest($6::int[], $7::bigint[]) AS e (partition, epoch) USING (partition)
    WHERE l.kind = c.kind AND l.partition = c.partition
    RETURNING l.*
)
SELECT 'process' AS what, owner, role, admin_url, 0 AS partition, 0 AS epoch, started_at,
    (extract(epoch FROM expires_at - now()) * 1000)::bigint AS left_ms, '' AS given_up_by,
    may_write, trouble, expires_at - interval '3 seconds' AS seen_at, calls
FROM (SELECT * FROM ops.process WHERE owner <> $1 UNION ALL SELECT * FROM beat) AS p
UNION ALL
SELECT l.kind, coalesce(c.owner, l.owner), '', coalesce(c.admin_url, l.admin_url), l.partition, coalesce(c.epoch, l.epoch),
    now(), (extract(epoch FROM coalesce(c.expires_at, l.expires_at) - now()) * 1000)::bigint,
    coalesce(c.given_up_by, l.given_up_by), NULL, NULL, NULL, NULL
FROM ops.lease l LEFT JOIN changed c ON c.kind = l.kind AND c.partition = l.partition
ORDER BY what, partition, started_at, owner)sql"};

constexpr core::Statement kRead{"read_cluster", R"sql(
SELECT 'process' AS what, owner, role, admin_url, 0 AS partition, 0 AS epoch, started_at,
    (extract(epoch FROM expires_at - now()) * 1000)::bigint AS left_ms, '' AS given_up_by,
    may_write, trouble, expires_at - interval '3 seconds' AS seen_at, calls
FROM ops.process WHERE expires_at > now() - interval '10 minutes'  -- swept then where somebody renews
UNION ALL
SELECT kind, owner, '', admin_url, partition, epoch, now(), (extract(epoch FROM expires_at - now()) * 1000)::bigint,
    given_up_by, NULL, NULL, NULL, NULL
FROM ops.lease
ORDER BY what, partition, started_at, owner)sql"};

// Others take such locks without waiting, or in this order.
constexpr core::Statement kGiveBack{"give_back_leases", R"sql(
WITH mine AS MATERIALIZED (
    SELECT kind, partition FROM ops.lease WHERE owner = $1 ORDER BY kind, partition FOR UPDATE
), ended AS (
    DELETE FROM ops.process WHERE owner = $1
)
UPDATE ops.lease l SET owner = '', admin_url = '', epoch = 0, expires_at = to_timestamp(0)
FROM mine WHERE l.kind = mine.kind AND l.partition = mine.partition)sql"};

constexpr core::Statement kEnterOneByOne{"enter_one_by_one",
                                         "SELECT pg_advisory_xact_lock(hashtext('workforce processes'))"};
constexpr core::Statement kRival{"find_rival", R"sql(
SELECT 'process' AS what, owner, role, admin_url, 0 AS partition, 0 AS epoch, started_at,
    (extract(epoch FROM expires_at - now()) * 1000)::bigint AS left_ms, '' AS given_up_by,
    may_write, trouble, expires_at - interval '3 seconds' AS seen_at, calls
FROM ops.process WHERE expires_at > now() AND ($1 = 'serve' OR role = 'serve')
ORDER BY started_at LIMIT 1)sql"};
constexpr core::Statement kEnter{
    "enter_process",
    "INSERT INTO ops.process (owner, role, admin_url, expires_at, reads, master_keys, calls)"
    " VALUES ($1, $2, $3, now() + interval '3 seconds', $4::jsonb, $5::text[], $6)"};

constexpr core::Statement kHolds{"holds_lease",
                                 "SELECT 1 FROM ops.lease WHERE kind = $1 AND partition = $2 AND owner = $3"
                                 " AND expires_at > now()"};
constexpr core::Statement kLive{"live_leases", R"sql(
SELECT kind AS what, owner, admin_url, partition, epoch, (extract(epoch FROM expires_at - now()) * 1000)::bigint AS left_ms,
    given_up_by
FROM ops.lease
WHERE expires_at > now() AND ($1::int IS NULL OR (kind = 'writer' AND partition = $1))
ORDER BY kind DESC, partition LIMIT 1)sql"};

ClusterView view_of(pqxx::result const& rows) {
    ClusterView view;
    for (auto const& row : rows) {
        std::chrono::milliseconds const left(core::read<std::int64_t>(row["left_ms"]));
        auto const what = core::read_view(row["what"]);
        if (what == "process") {
            view.processes.push_back(
                {core::read<std::string>(row["owner"]), core::parse_enum<Role>(core::read_view(row["role"])).value(),
                 core::read<std::string>(row["admin_url"]), core::read<core::Timestamp>(row["started_at"]), left,
                 core::read<bool>(row["may_write"]), core::read<std::string>(row["trouble"]),
                 core::read<core::Timestamp>(row["seen_at"]), core::read<int>(row["calls"])});
        } else {
            view.leases.push_back({core::parse_enum<LeaseKind>(what).value(), core::read<int>(row["partition"]),
                                   core::read<std::string>(row["owner"]), core::read<std::string>(row["admin_url"]),
                                   core::read<std::int64_t>(row["epoch"]), left,
                                   core::read<std::string>(row["given_up_by"])});
        }
    }
    return view;
}

std::optional<Lease> find_live(core::Connection& connection, std::optional<int> partition) {
    auto view = view_of(connection.execute(kLive, partition));
    if (view.leases.empty()) return std::nullopt;
    return std::move(view.leases.front());
}

}  // namespace

void lock_processes(core::Connection& connection) { connection.execute(kEnterOneByOne); }

void prepare_leases(core::Connection& connection, int partitions) { connection.execute(kPrepare, partitions); }

std::optional<Process> enter(core::Connection& connection, Member const& member) {
    return connection.transaction([&]() -> std::optional<Process> {
        lock_processes(connection);
        require_activated_known(connection);
        require_master_key_known(connection, member.master_keys);
        auto rivals = view_of(connection.execute(kRival, core::enum_name(member.role))).processes;
        if (!rivals.empty()) return std::move(rivals.front());
        connection.execute(kEnter, member.owner, core::enum_name(member.role), member.admin_url, announcement(),
                           member.master_keys, kCallRevision);
        return std::nullopt;
    });
}

ClusterView renew(core::Connection& connection, Member const& member, Changes const& changes) {
    std::vector<std::string_view> given_kinds;
    std::vector<int> given;
    std::vector<std::string_view> given_up;
    for (auto const& each : changes.give) {
        given_kinds.push_back(core::enum_name(each.kind));
        given.push_back(each.partition);
        given_up.emplace_back(each.given_up ? "true" : "false");
    }
    std::vector<int> claimed;
    std::vector<std::int64_t> epochs;
    for (auto const& [partition, epoch] : changes.epochs) {
        claimed.push_back(partition);
        epochs.push_back(epoch);
    }
    return view_of(connection.execute(kRenew, member.owner, core::enum_name(member.role), member.admin_url, given_kinds,
                                      given, claimed, epochs, changes.trouble.empty() ? changes.take_writers : 0,
                                      changes.take_projectors, changes.from_anyone, given_up, changes.given_up,
                                      changes.trouble, changes.partitions, announcement(), kCallRevision));
}

void give_back(core::Connection& connection, std::string const& owner) { connection.execute(kGiveBack, owner); }

ClusterView read_cluster(core::Connection& connection) { return view_of(connection.execute(kRead)); }

bool holds(core::Connection& connection, std::string const& owner, LeaseKind kind, int partition) {
    return !connection.execute(kHolds, core::enum_name(kind), partition, owner).empty();
}

std::optional<Lease> live_lease(core::Connection& connection) { return find_live(connection, std::nullopt); }
std::optional<Lease> live_lease(core::Connection& connection, int partition) {
    return find_live(connection, partition);
}

}  // namespace workforce::workers
