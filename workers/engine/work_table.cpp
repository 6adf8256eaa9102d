// Statements over a table of work.
#include "workers/engine/work_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace workforce::workers {
namespace {

// By their places, which are found without a join: one that was planned while there was little work would read through
// all.
constexpr std::string_view kClaim = R"(
UPDATE reactor.{0} SET due_at = now() + $2 * interval '1 millisecond', attempts = attempts + 1
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM reactor.{0} WHERE due_at <= now() AND NOT EXISTS (SELECT FROM reactor.pause WHERE name = '{1}')
    ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED))
RETURNING *)";
constexpr std::string_view kFinish = "DELETE FROM reactor.{0} WHERE id = ANY ($1::uuid[])";
constexpr std::string_view kPostpone =
    "UPDATE reactor.{0} SET due_at = now() + $2 * interval '1 millisecond', last_error = $3 WHERE id = $1";
constexpr std::string_view kPending =
    "SELECT partition, count(*) AS rows, min(created_at) AS oldest FROM reactor.{0} GROUP BY partition";

constexpr std::chrono::milliseconds kFirstPause{1000};
constexpr std::chrono::milliseconds kLongestPause{std::chrono::hours(1)};

}  // namespace

WorkTable::WorkTable(std::string_view reactor, std::string_view table)
    : claim_{fmt::format("{}_claim", table), fmt::format(kClaim, table, reactor)},
      finish_{fmt::format("{}_finish", table), fmt::format(kFinish, table)},
      postpone_{fmt::format("{}_postpone", table), fmt::format(kPostpone, table)},
      pending_{fmt::format("{}_pending", table), fmt::format(kPending, table)} {}

pqxx::result WorkTable::claim(core::Connection& connection, int count, std::chrono::milliseconds lease) const {
    return connection.execute(claim_.statement(), count, lease.count());
}

void WorkTable::finish(core::Connection& connection, std::vector<std::string> const& ids) const {
    connection.execute(finish_.statement(), ids);
}

void WorkTable::postpone(core::Connection& connection, std::string_view id, std::chrono::milliseconds pause,
                         std::string_view why) const {
    connection.execute(postpone_.statement(), id, pause.count(), why);
}

std::map<int, PendingWork> WorkTable::pending(core::Connection& connection) const {
    std::map<int, PendingWork> all;
    for (auto const& row : connection.execute(pending_.statement())) {
        all.emplace(core::read<int>(row["partition"]),
                    PendingWork{core::read<std::int64_t>(row["rows"]), core::read<core::Timestamp>(row["oldest"])});
    }
    return all;
}

std::chrono::milliseconds pause_after(int attempts) {
    auto const doublings = std::clamp(attempts - 1, 0, 20);
    return std::min(kFirstPause * (std::int64_t{1} << doublings), kLongestPause);
}

}  // namespace workforce::workers
