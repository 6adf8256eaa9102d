// Pages of events, and whether there are more.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/sql_values.hpp"
#include "projections/engine/statements.hpp"
#include "projections/event_tap/event_tap.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

constexpr core::Statement kPage{"event_tap_page", sql::event_tap_page};
constexpr core::Statement kNews{"event_tap_news", sql::event_tap_news};
/// Events that are shown no more; an hour longer than they are, for clocks.
constexpr core::Statement kPrune{"event_tap_prune", R"(
DELETE FROM read.event_tap WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM read.event_tap WHERE occurred_at < now() - interval '1 hour' - make_interval(days => $1::int)
    LIMIT 5000 FOR UPDATE SKIP LOCKED)))"};

constexpr std::int64_t kPastAll = std::numeric_limits<std::int64_t>::max() / kPartitionsInId - 1;  // any position
constexpr int kPruneRounds = 200;    // statements in a row
constexpr int kPrunedAtOnce = 5000;  // as the statement says

/// How many events a read may pass over.
std::int64_t most_looked_at(TapQuery const& query) { return std::int64_t{20} * std::max(query.limit, 50); }

std::vector<core::Parameter> page_parameters(TapQuery const& query) {
    return {core::to_parameter(query.scope.organization),
            core::to_parameter(query.scope.sandbox),
            core::to_parameter(query.after ? query.after->position : kPastAll),
            facilities_parameter(query.scope),
            query.types ? core::to_parameter(*query.types) : core::Parameter(),
            core::to_parameter(query.oldest),
            core::to_parameter(query.limit),
            core::to_parameter(query.room.most),
            core::to_parameter(query.partition),
            core::to_parameter(most_looked_at(query))};
}

TapPage page_of_events(pqxx::result const& rows, TapQuery const& query) {
    TapPage page;
    bool cut = false;
    for (auto const& row : rows) {
        if (row["position"].is_null()) break;  // there is none: the row tells how far this looked
        cut = row["doc"].is_null();
        if (cut) break;
        page.events.push_back(
            {{core::read<std::int64_t>(row["position"]), core::read<core::Timestamp>(row["occurred_at"])},
             core::read<std::string>(row["doc"])});
    }
    if (cut || page.events.size() >= static_cast<std::size_t>(query.limit)) {
        page.next = page.events.back().place;
        page.whole = false;
        return page;
    }
    auto const first = rows[0];
    page.next.time = core::read<core::Timestamp>(first["until_time"]);
    if (!first["until"].is_null()) page.next.position = core::read<std::int64_t>(first["until"]);
    // A crash of the server may have taken back what somebody was told of. It comes again, at the same places.
    if (query.after) page.next.position = std::max(page.next.position, query.after->position);
    page.whole = !core::read<bool>(first["goes_on"]);
    return page;
}

std::size_t bytes_of(TapPage const& page) {
    std::size_t bytes = 0;
    for (auto const& event : page.events) bytes += event.doc.size();
    return bytes;
}

}  // namespace

boost::asio::awaitable<core::Result<TapPage>> read_events(core::Database& database, TapQuery query) {
    auto const context = tenant(query.scope);
    auto read = [query = std::move(query)](core::Connection& connection) mutable -> core::Result<TapPage> {
        auto held = take_room(query.room);
        if (!held) return tl::unexpected(held.error());
        auto page = page_of_events(connection.execute_prepared(kPage, page_parameters(query)), query);
        page.held = *std::move(held);
        if (!page.held.resize(bytes_of(page))) return refuse_page();  // the first event, of any size
        return page;
    };
    co_return co_await database.run(std::move(read), context);
}

boost::asio::awaitable<std::vector<TapNews>> look_for_events(core::Database& operators, std::vector<TapWait> waits) {
    auto look = [waits = std::move(waits)](core::Connection& connection) {
        std::vector<TapNews> news(waits.size());
        for (bool const sandbox : {false, true}) {
            std::vector<std::size_t> places;
            std::vector<Id> organizations;
            std::vector<std::int64_t> positions;
            std::vector<int> partitions;
            for (std::size_t i = 0; i < waits.size(); ++i) {
                if (waits[i].sandbox != sandbox) continue;
                places.push_back(i);
                organizations.push_back(waits[i].organization);
                positions.push_back(waits[i].position);
                partitions.push_back(waits[i].partition);
            }
            if (places.empty()) continue;
            connection.use({.sandbox = sandbox, .operator_access = true});
            for (auto const& row : connection.execute(kNews, organizations, positions, partitions, sandbox)) {
                auto& found = news.at(places.at(core::read<std::size_t>(row["place"]) - 1));
                found = {core::read<bool>(row["any"]), core::read<std::int64_t>(row["position"])};
            }
        }
        return news;
    };
    co_return co_await operators.run(std::move(look));
}

void prune_event_tap(core::SessionPool& sessions, int days) {
    for (int round = 0; round < kPruneRounds; ++round) {
        auto const deleted = sessions.run(
            [&](core::Connection& connection) { return connection.execute(kPrune, days).affected_rows(); });
        if (deleted < kPrunedAtOnce) return;
    }
}

}  // namespace workforce::projections
