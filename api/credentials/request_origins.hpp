// From which address and by which program audited requests came (domain 1.9, 14, 16).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/batcher.hpp"
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

/// What is known of where a request came from.
struct AskedFrom {
    std::string_view address;
    std::string_view agent;  ///< the User-Agent header
};

/// Stores origins before their commands are carried out: so an entry of the audit log has its origin from the
/// beginning, and keeps it whatever crashes. Requests at the same time share one statement. Thread-safe.
class RequestOrigins {
   public:
    /// `writes` has sessions of role workforce_writer.
    explicit RequestOrigins(core::Database& writes);
    RequestOrigins(RequestOrigins const&) = delete;
    RequestOrigins& operator=(RequestOrigins const&) = delete;

    /// Returns once the origin is durable; one of a user who was erased is left out. Errors: core::DatabaseUnavailable,
    /// core::DatabaseBusy.
    boost::asio::awaitable<void> store(RequestOrigin origin);

    /// The request left no entry: the next remove_unused() removes its origin.
    void unused(core::Id organization, std::string request_id);
    /// Removes these origins, by one statement; to be done each second or so. What a killed process had not removed
    /// stays as long as all others. Errors: as store(); then they are removed the next time.
    boost::asio::awaitable<void> remove_unused();
    /// As remove_unused(), once no request comes any more. Trouble is logged: then the last of them stay.
    boost::asio::awaitable<void> remove_rest();

    /// Ends all that store, with core::DatabaseUnavailable. Call it while the callers' io_contexts still exist.
    void stop();

   private:
    using Unused = std::vector<std::pair<core::Id, std::string>>;

    boost::asio::awaitable<std::vector<bool>> write(std::vector<RequestOrigin> origins);

    core::Database& writes_;
    core::Batcher<RequestOrigin, bool> batcher_;
    std::mutex mutex_;  // guards what follows
    Unused unused_;
};

/// The origin of one call, stored where the call may leave an entry in the audit log, and removed where it left none.
class CallOrigin {
   public:
    /// Stores the call's origin where its operation is audited; `origins` may be null. Before the call is carried out
    /// or sent on, and only where the request came in. Errors: as RequestOrigins::store.
    static boost::asio::awaitable<CallOrigin> keep(RequestOrigins* origins, operations::Call const& call,
                                                   AskedFrom const& from);

    /// Removes the origin where the call left no entry: it was refused, or its answer was a repetition. The origin
    /// stays where an entry may be there: after a fault of ours (5xx), or after an owner that is gone
    /// (Call::sent_before).
    void settle(operations::Call const& call, unsigned status, bool replayed);

   private:
    RequestOrigins* origins_ = nullptr;  // null: nothing was stored
    core::Id organization_ = 0;
    std::string request_id_;
};

}  // namespace workforce::api
