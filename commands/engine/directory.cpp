// Id blocks and home partitions.
#include "commands/engine/directory.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace workforce::commands {
namespace {

constexpr core::Id kBlockSize = 100;  // what the sequences step by

/// The statement that takes the next block of a kind's ids, each from the sequence that is named after its kind.
/// Organizations get theirs one by one, elsewhere.
core::Statement next_block(events::Kind kind) {
    struct Text {
        std::string name, sql;
    };
    static auto const texts = [] {
        std::array<Text, events::kKinds> all;
        for (auto const each : events::kAllKinds) {
            if (each == events::Kind::organization || each == events::Kind::command) continue;
            std::string const sequence = std::string(core::enum_name(each)) + "_id";
            all.at(static_cast<std::size_t>(each)) = {"next_" + sequence, "SELECT nextval('ops." + sequence + "')"};
        }
        return all;
    }();
    auto const& text = texts.at(static_cast<std::size_t>(kind));
    if (text.sql.empty()) throw std::logic_error("this kind has no blocks of ids");
    return {text.name, text.sql};
}

constexpr core::Statement kFindHome{"find_home",
                                    "SELECT partition FROM ops.organization_home WHERE organization_id = $1"};
constexpr core::Statement kReserveHome{
    "reserve_home",
    "INSERT INTO ops.organization_home (organization_id, partition)"
    " SELECT $1, p FROM generate_series(0, $2 - 1) p"
    " LEFT JOIN ops.organization_home h ON h.partition = p GROUP BY p ORDER BY count(h.partition), p LIMIT 1"
    " ON CONFLICT (organization_id) DO NOTHING"};
constexpr core::Statement kNextOrganization{"next_organization_id", "SELECT nextval('ops.organization_id')"};
// As long as answers are told again: past that the key is a new one.
constexpr core::Statement kForgetRequests{
    "forget_organization_requests",
    "DELETE FROM ops.organization_request WHERE requested_at <= now() - interval '24 hours'"};
constexpr core::Statement kRequested{
    "requested_organization_id",
    "INSERT INTO ops.organization_request (request, organization_id) VALUES ($1, nextval('ops.organization_id'))"
    " ON CONFLICT (request) DO UPDATE SET request = excluded.request RETURNING organization_id"};

}  // namespace

std::vector<core::Id> IdBlocks::take_from_block(Block& block, std::size_t count) {
    std::vector<core::Id> ids;
    while (ids.size() < count && block.next < block.end) ids.push_back(block.next++);
    return ids;
}

boost::asio::awaitable<std::vector<core::Id>> IdBlocks::take(events::Kind kind, std::size_t count) {
    auto& block = blocks_.at(static_cast<std::size_t>(kind));
    std::vector<core::Id> ids;
    {
        std::lock_guard const lock(mutex_);
        ids = take_from_block(block, count);
    }
    while (ids.size() < count) {
        auto const statement = next_block(kind);
        auto const first = co_await database_.run(
            [statement](core::Connection& connection) { return connection.execute(statement)[0][0].as<core::Id>(); });
        Block fresh{first, first + kBlockSize};
        auto const more = take_from_block(fresh, count - ids.size());
        ids.insert(ids.end(), more.begin(), more.end());
        std::lock_guard const lock(mutex_);
        // Several may have fetched at once; the longest remainder is kept, the others' ids stay unused.
        if (block.end - block.next < fresh.end - fresh.next) block = fresh;
    }
    co_return ids;
}

void Homes::remember(core::Id organization, int partition) {
    std::lock_guard const lock(mutex_);
    known_[organization] = partition;
}

boost::asio::awaitable<int> Homes::find(core::Id organization) {
    {
        std::lock_guard const lock(mutex_);
        if (auto const found = known_.find(organization); found != known_.end()) co_return found->second;
    }
    int const partition = co_await database_.run([organization](core::Connection& connection) {
        auto const rows = connection.execute(kFindHome, organization);
        return rows.empty() ? -1 : rows[0][0].as<int>();
    });
    if (partition >= 0) remember(organization, partition);
    co_return partition;
}

boost::asio::awaitable<core::Id> Homes::take_new(std::optional<std::string> request) {
    auto const id = co_await database_.run([request = std::move(request)](core::Connection& connection) {
        if (!request) return connection.execute(kNextOrganization)[0][0].as<core::Id>();
        return connection.transaction([&] {
            connection.execute(kForgetRequests);
            return connection.execute(kRequested, core::Bytes{*request})[0][0].as<core::Id>();
        });
    });
    co_await reserve(id);
    co_return id;
}

boost::asio::awaitable<int> Homes::reserve(core::Id organization) {
    auto const partitions = static_cast<std::int64_t>(partitions_);
    int const partition = co_await database_.run([organization, partitions](core::Connection& connection) {
        connection.execute(kReserveHome, organization, partitions);
        return connection.execute(kFindHome, organization)[0][0].as<int>();
    });
    remember(organization, partition);
    co_return partition;
}

}  // namespace workforce::commands
