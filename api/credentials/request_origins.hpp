// From which address and by which program audited requests came (domain 1.9, 14).
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/database.hpp"
#include "core/text.hpp"
#include "core/time.hpp"
#include "operations/call.hpp"

namespace workforce::api {

/// Where one request came from.
struct RequestOrigin {
    core::Id organization = 0;  ///< that it was about
    std::string request_id;
    core::Id user = 0;  ///< who stands behind its credential; 0: nobody
    std::string address;
    std::string agent;  ///< as printable() gives it
    core::Timestamp at;
};

/// A User-Agent header as it is kept: its printable ASCII characters, 256 at most.
std::string printable(std::string_view agent);

class RequestOrigins;

/// What is known of where a request came from.
struct AskedFrom {
    std::string_view address;
    std::string_view agent;  ///< the User-Agent header
};

/// Notes where a call came from that succeeded and that the audit log tells of; `origins` may be null. Only where the
/// request came in, and not of an answer that is told again.
void note_origin(RequestOrigins* origins, operations::Call const& call, AskedFrom const& from, std::uint16_t status,
                 bool replayed);

/// Gathers origins until they are written, many by one statement, so that no request writes. What a killed process
/// gathered is lost. Thread-safe.
class RequestOrigins {
   public:
    /// Origins that are gathered at a time; further ones are dropped until the next write.
    static constexpr std::size_t kMost = 16'384;

    /// `writes` has sessions of role workforce_writer.
    explicit RequestOrigins(core::Database& writes) : writes_(writes) {}
    RequestOrigins(RequestOrigins const&) = delete;
    RequestOrigins& operator=(RequestOrigins const&) = delete;

    void note(RequestOrigin origin);

    /// Writes what is gathered; origins of users who were erased are left out. Errors: core::DatabaseUnavailable,
    /// core::DatabaseBusy; then it is gathered still.
    boost::asio::awaitable<void> write();
    /// As write(), once no request comes any more. Trouble is logged: then the last origins are lost.
    boost::asio::awaitable<void> write_rest();

    /// Origins since the start that no row tells: there were too many at a time.
    [[nodiscard]] std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

   private:
    void put_back(std::vector<RequestOrigin> origins);

    core::Database& writes_;
    std::mutex mutex_;
    std::vector<RequestOrigin> origins_;
    std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace workforce::api
