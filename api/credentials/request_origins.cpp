// Statements on auth.request_origin.
#include "api/credentials/request_origins.hpp"

#include <exception>
#include <iterator>
#include <utility>

#include "api/sql.hpp"
#include "core/logging.hpp"
#include "core/outage.hpp"
#include "core/row_columns.hpp"
#include "workers/store/erasures.hpp"

namespace workforce::api {
namespace {

constexpr core::Statement kWriteOrigins{"write_request_origins", sql::credentials_write_request_origins};
constexpr core::Statement kRemoveOrigins{"remove_request_origins", sql::credentials_remove_request_origins};
constexpr std::size_t kLongestAgent = 256;

bool may_leave_entry(operations::Call const& call) {
    auto const leaves = call.operation.leaves_entry;
    return call.operation.audited && (leaves == nullptr || leaves(call.input));
}

}  // namespace

std::string printable(std::string_view agent) {
    std::string kept;
    for (char const c : agent) {
        if (kept.size() == kLongestAgent) break;
        if (c >= ' ' && c <= '~') kept += c;
    }
    return kept;
}

RequestOrigins::RequestOrigins(core::Database& writes)
    : writes_(writes), batcher_([this](std::vector<RequestOrigin> origins) { return write(std::move(origins)); }) {}

boost::asio::awaitable<void> RequestOrigins::store(RequestOrigin origin) {
    co_await batcher_.submit(std::move(origin));
}

boost::asio::awaitable<std::vector<bool>> RequestOrigins::write(std::vector<RequestOrigin> origins) {
    auto const count = origins.size();
    co_await writes_.transact([origins = std::move(origins)](core::Connection& connection) {
        workers::hold_addresses(connection);
        core::execute_rows(connection, kWriteOrigins, origins, [](RequestOrigin const& origin) {
            using Text = std::string_view;
            return std::tuple(origin.organization, Text(origin.request_id), origin.user, Text(origin.address),
                              Text(origin.agent), origin.at);
        });
    });
    co_return std::vector<bool>(count, true);
}

void RequestOrigins::unused(core::Id organization, std::string request_id) {
    std::lock_guard const lock(mutex_);
    unused_.emplace_back(organization, std::move(request_id));
}

boost::asio::awaitable<void> RequestOrigins::remove_unused() {
    Unused unused;
    {
        std::lock_guard const lock(mutex_);
        unused.swap(unused_);
    }
    if (unused.empty()) co_return;
    std::vector<core::Id> organizations;
    std::vector<std::string> requests;
    for (auto const& [organization, request] : unused) {
        organizations.push_back(organization);
        requests.push_back(request);
    }
    try {
        co_await writes_.execute(kRemoveOrigins, organizations, requests);
    } catch (...) {
        std::lock_guard const lock(mutex_);
        std::move(unused.begin(), unused.end(), std::back_inserter(unused_));
        throw;
    }
}

boost::asio::awaitable<void> RequestOrigins::remove_rest() {
    try {
        co_await remove_unused();
    } catch (std::exception const& error) {
        core::log(core::quiet_while_away(core::Level::warn), "origins of requests that left no entry were not removed",
                  {{"error", error.what()}});
    }
}

void RequestOrigins::stop() {
    batcher_.stop(std::make_exception_ptr(core::DatabaseUnavailable("this process is stopping")));
}

boost::asio::awaitable<CallOrigin> CallOrigin::keep(RequestOrigins* origins, operations::Call const& call,
                                                    AskedFrom const& from) {
    CallOrigin kept;
    if (origins == nullptr || !may_leave_entry(call)) co_return kept;
    co_await origins->store({.organization = call.meta.organization,
                             .request_id = call.meta.request_id,
                             .user = call.caller ? call.caller->user.id : 0,
                             .address = std::string(from.address),
                             .agent = printable(from.agent),
                             .at = core::now()});
    kept.origins_ = origins;
    kept.organization_ = call.meta.organization;
    kept.request_id_ = call.meta.request_id;
    co_return kept;
}

void CallOrigin::settle(operations::Call const& call, unsigned status, bool replayed) {
    bool const refused = status >= 400 && status < 500;  // a form is answered with 303
    bool const entry = call.sent_before || !(refused || replayed);
    if (origins_ != nullptr && !entry) origins_->unused(organization_, std::move(request_id_));
}

}  // namespace workforce::api
