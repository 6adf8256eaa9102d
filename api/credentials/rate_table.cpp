// One statement a contact; rows are made where they are missing.
#include "api/credentials/rate_table.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "api/sql.hpp"

namespace workforce::api {
namespace {

using Clock = std::chrono::steady_clock;

constexpr core::Statement kLease{"lease_requests", sql::credentials_lease_requests};
constexpr core::Statement kBegin{"begin_rate_limits",
                                 "INSERT INTO ops.rate_limit (channel, key_id) SELECT $1, unnest($2::bigint[])"
                                 " ON CONFLICT DO NOTHING"};

/// The contacts as columns.
struct Columns {
    std::vector<Id> keys;
    std::vector<std::int64_t> windows, used, back, most;

    explicit Columns(std::vector<RateContact> const& told) {
        for (auto const& each : told) {
            keys.push_back(each.key);
            windows.push_back(each.window);
            used.push_back(each.used);
            back.push_back(each.back);
            most.push_back(each.most);
        }
    }
};

/// The window ends no earlier than so long after the statement was sent.
RateLease read_lease(pqxx::row const& row, Clock::time_point sent) {
    return {.key = core::read<Id>(row[0]),
            .window = core::read<std::int64_t>(row[1]),
            .closes_by = sent + std::chrono::microseconds(core::read<std::int64_t>(row[2])),
            .lent = core::read<std::int64_t>(row[3]),
            .granted = core::read<std::int64_t>(row[4]),
            .held = core::read<std::int64_t>(row[5])};
}

/// Those that want requests and of which no row told.
std::vector<RateContact> without_row(std::vector<RateContact> const& told, std::vector<RateLease> const& leases) {
    std::vector<RateContact> without;
    std::ranges::copy_if(told, std::back_inserter(without), [&](RateContact const& contact) {
        return contact.most > 0 && std::ranges::find(leases, contact.key, &RateLease::key) == leases.end();
    });
    return without;
}

void lease(core::Connection& connection, std::string_view channel, std::vector<RateContact> const& told,
           std::chrono::seconds window, std::vector<RateLease>& leases) {
    Columns const columns(told);
    auto const sent = Clock::now();
    for (auto const& row : connection.execute(kLease, channel, columns.keys, columns.windows, columns.used,
                                              columns.back, columns.most, window.count())) {
        leases.push_back(read_lease(row, sent));
    }
}

}  // namespace

RateExchange rate_table(core::Database& database, std::string_view channel, std::chrono::seconds window) {
    return
        [&database, channel, window](std::vector<RateContact> told) -> boost::asio::awaitable<std::vector<RateLease>> {
            auto exchange = [told = std::move(told), channel, window](core::Connection& connection) {
                std::vector<RateLease> leases;
                lease(connection, channel, told, window, leases);
                bool const all = leases.size() == told.size();
                if (auto const first = all ? std::vector<RateContact>() : without_row(told, leases); !first.empty()) {
                    connection.execute(kBegin, channel, Columns(first).keys);
                    lease(connection, channel, first, window, leases);
                }
                return leases;
            };
            co_return co_await database.run(std::move(exchange));
        };
}

}  // namespace workforce::api
