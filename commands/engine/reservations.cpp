// Statements on ops.reservation.
#include "commands/engine/reservations.hpp"

#include "core/crypto.hpp"
#include "core/row_columns.hpp"

namespace workforce::commands {
namespace {

// Rows are taken in one order, so that commands that want the same texts don't deadlock. A row that another session has
// just inserted shows as nobody's to this snapshot, and is not taken: it is somebody else's. What the subject has for
// good is put to the question again: a command that gives a text up asks for it too, and settling frees it.
constexpr core::Statement kTake{"reservations_take", R"(
WITH wanted AS (
    SELECT * FROM unnest($3::bytea[], $4::text[], $5::bigint[], $6::bigint[])
        WITH ORDINALITY AS w(digest, kind, subject_id, organization_id, place)
), taken AS (
    INSERT INTO ops.reservation AS r (digest, kind, subject_id, organization_id, command, epoch)
    SELECT digest, kind, subject_id, organization_id, $1, $2::bigint FROM wanted ORDER BY digest
    ON CONFLICT (digest) DO UPDATE
    SET kind = excluded.kind, subject_id = excluded.subject_id, organization_id = excluded.organization_id,
        epoch = excluded.epoch, reserved_at = clock_timestamp(), settled_at = NULL
    WHERE r.organization_id = excluded.organization_id AND r.epoch <= excluded.epoch
        AND CASE WHEN r.settled_at IS NULL THEN r.command = excluded.command
                 ELSE r.kind = excluded.kind AND r.subject_id = excluded.subject_id END
    RETURNING digest
)
SELECT w.place, t.digest IS NOT NULL AS taken, r.digest IS NOT NULL AS held
FROM wanted w
LEFT JOIN taken t ON t.digest = w.digest
LEFT JOIN ops.reservation r ON r.digest = w.digest AND r.kind = w.kind AND r.subject_id = w.subject_id)"};

constexpr core::Statement kRelease{"reservations_release", R"(
DELETE FROM ops.reservation r USING unnest($2::bytea[], $3::text[], $4::bigint[]) AS w(digest, kind, subject_id)
WHERE r.digest = w.digest AND r.kind = w.kind AND r.subject_id = w.subject_id AND r.command = $1 AND r.settled_at IS NULL)"};

constexpr core::Statement kOpen{"reservations_open", R"(
SELECT r.organization_id, r.kind, r.subject_id, r.digest, r.reserved_at::text
FROM ops.reservation r
JOIN ops.organization_home h ON h.organization_id = r.organization_id AND h.partition = ANY ($1::int[])
WHERE r.settled_at IS NULL AND r.reserved_at < now() - interval '60 s'
ORDER BY r.organization_id, r.reserved_at
LIMIT 500)"};

constexpr core::Statement kStand{"reservations_stand", R"(
UPDATE ops.reservation r SET settled_at = now() FROM unnest($1::bytea[], $2::timestamptz[]) AS w(digest, reserved_at)
WHERE r.digest = w.digest AND r.reserved_at = w.reserved_at)"};
constexpr core::Statement kFree{"reservations_free", R"(
DELETE FROM ops.reservation r USING unnest($1::bytea[], $2::timestamptz[]) AS w(digest, reserved_at)
WHERE r.digest = w.digest AND r.reserved_at = w.reserved_at)"};

core::ConnectionOptions session_options(core::ConnectionOptions options) {
    options.role = "workforce_writer";
    return options;
}

}  // namespace

Reservations::Reservations(core::ConnectionOptions connection, events::MasterKeys keys, std::size_t sessions)
    : keys_(std::move(keys)), sessions_(session_options(std::move(connection)), sessions) {}

std::string Reservations::digest(events::UniqueText const& text) const {
    return std::string(core::bytes(core::hmac_sha256(keys_.kept(text.name), text.text)));
}

std::string Reservations::digest(Need const& need) const {
    auto const end = need.text.find('\n');
    return digest({std::string_view(need.text).substr(0, end), need.text.substr(end + 1)});
}

std::vector<Reservations::Taking> Reservations::take(Taker const& taker, std::span<Need const> needs) {
    auto const values_of = [&](Need const& need) {
        return std::tuple(core::Blob{digest(need)}, core::enum_name(need.kind), need.id, need.organization);
    };
    auto const rows = sessions_.run([&](core::Connection& connection) {
        return core::execute_rows(connection, kTake, needs, values_of, taker.command, taker.epoch);
    });
    std::vector<Taking> takings(needs.size(), Taking::elsewhere);
    for (auto const& row : rows) {
        auto& taking = takings.at(core::read<std::size_t>(row[0]) - 1);
        if (core::read<bool>(row[1])) {
            taking = Taking::taken;
        } else if (core::read<bool>(row[2])) {
            taking = Taking::held;
        }
    }
    return takings;
}

void Reservations::release(std::string const& command, std::span<Need const> needs) {
    auto const values_of = [&](Need const& need) {
        return std::tuple(core::Blob{digest(need)}, core::enum_name(need.kind), need.id);
    };
    sessions_.run(
        [&](core::Connection& connection) { core::execute_rows(connection, kRelease, needs, values_of, command); });
}

std::vector<OpenReservation> Reservations::open(std::vector<int> const& partitions) {
    auto const rows =
        sessions_.run([&](core::Connection& connection) { return connection.execute(kOpen, partitions); });
    std::vector<OpenReservation> all;
    for (auto const& row : rows) {
        auto const kind = core::parse_enum<events::Kind>(core::read_view(row[1]));
        if (!kind) continue;  // a newer program's
        all.push_back({core::read<Id>(row[0]),
                       {*kind, core::read<Id>(row[2])},
                       core::read_bytes(row[3]),
                       core::read<std::string>(row[4])});
    }
    return all;
}

void Reservations::settle(std::span<OpenReservation const> reservations, bool stand) {
    if (reservations.empty()) return;
    auto const values_of = [](OpenReservation const& each) {
        return std::tuple(core::Bytes{each.digest}, std::string_view(each.reserved_at));
    };
    sessions_.run([&](core::Connection& connection) {
        core::execute_rows(connection, stand ? kStand : kFree, reservations, values_of);
    });
}

}  // namespace workforce::commands
