// Statements on auth.request_origin.
#include "api/credentials/request_origins.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "api/sql.hpp"
#include "core/logging.hpp"
#include "workers/jobs/erasures.hpp"

namespace workforce::api {
namespace {

constexpr core::Statement kWriteOrigins{"write_request_origins", sql::credentials_write_request_origins};
constexpr std::size_t kLongestAgent = 256;

}  // namespace

std::string printable(std::string_view agent) {
    std::string kept;
    for (char const c : agent) {
        if (kept.size() == kLongestAgent) break;
        if (c >= ' ' && c <= '~') kept += c;
    }
    return kept;
}

void note_origin(RequestOrigins* origins, operations::Call const& call, AskedFrom const& from, std::uint16_t status,
                 bool replayed) {
    if (origins == nullptr || !call.operation.audited || replayed || status < 200 || status > 299) return;
    origins->note({.organization = call.meta.organization,
                   .request_id = call.meta.request_id,
                   .user = call.caller ? call.caller->user.id : 0,
                   .address = std::string(from.address),
                   .agent = printable(from.agent),
                   .at = core::now()});
}

void RequestOrigins::note(RequestOrigin origin) {
    std::lock_guard const lock(mutex_);
    if (origins_.size() < kMost) {
        origins_.push_back(std::move(origin));
    } else {
        dropped_.fetch_add(1, std::memory_order_relaxed);
    }
}

void RequestOrigins::put_back(std::vector<RequestOrigin> origins) {
    std::lock_guard const lock(mutex_);
    auto const room = std::min(kMost - origins_.size(), origins.size());
    dropped_.fetch_add(origins.size() - room, std::memory_order_relaxed);
    auto const last = origins.begin() + static_cast<std::ptrdiff_t>(room);
    std::move(origins.begin(), last, std::back_inserter(origins_));
}

boost::asio::awaitable<void> RequestOrigins::write() {
    std::vector<RequestOrigin> origins;
    {
        std::lock_guard const lock(mutex_);
        origins.swap(origins_);
    }
    if (origins.empty()) co_return;
    std::vector<core::Id> organizations, users;
    std::vector<std::string_view> requests, addresses, agents;
    std::vector<core::Timestamp> times;
    for (auto const& origin : origins) {
        organizations.push_back(origin.organization);
        requests.emplace_back(origin.request_id);
        users.push_back(origin.user);
        addresses.emplace_back(origin.address);
        agents.emplace_back(origin.agent);
        times.push_back(origin.at);
    }
    try {
        co_await writes_.run([&](core::Connection& connection) {
            connection.transaction([&] {
                workers::hold_addresses(connection);
                connection.execute(kWriteOrigins, organizations, requests, users, addresses, agents, times);
            });
        });
    } catch (...) {
        put_back(std::move(origins));
        throw;
    }
}

boost::asio::awaitable<void> RequestOrigins::write_rest() {
    try {
        co_await write();
    } catch (std::exception const& error) {
        core::log(core::Level::warn, "the last origins of audited requests were not written",
                  {{"error", error.what()}});
    }
}

}  // namespace workforce::api
