// Rows of ops.billing_outbox on their way to the meter.
#pragma once

#include <array>
#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/metrics.hpp"
#include "core/session_pool.hpp"
#include "workers/billing/meter.hpp"

namespace workforce::workers {

/// By which name operators pause it: the reactor's whose rows it sends.
inline constexpr std::string_view kBillingDelivery = "usage";

/// Sends a request to the meter and awaits the answer. Blocks.
using SendToMeter = std::function<tl::expected<net::Reply, net::ClientFailure>(net::ClientRequest request)>;

/// Reports bills, each until the meter took it: again under the same identifier for 20 hours, with growing pauses, and
/// dead after that, for meters know identifiers for a day. One that nobody has tried to send for as long is held.
/// Several processes may do so at once.
class BillingDelivery {
   public:
    /// The sessions are of role workforce_writer; they and the metrics outlive this.
    BillingDelivery(core::SessionPool& sessions, MeterType const& meter, std::string secret, std::string source,
                    SendToMeter send, core::Metrics& metrics);

    /// Sends what is due until nothing is, or a stop is asked for. Blocks. Errors: core::DatabaseUnavailable.
    void round(std::stop_token const& stop);

   private:
    /// Takes bills that are due, for as long as a request may take; nothing while paused.
    std::vector<Bill> claim();
    void report(std::vector<Bill> const& bills);
    void settle(std::vector<core::Id> const& sent);
    void postpone(Bill const& bill, std::string const& why);

    core::SessionPool& sessions_;
    MeterType const& meter_;
    std::string const secret_;
    std::string const source_;
    SendToMeter const send_;
    std::array<prometheus::Counter*, 3> counters_{};  // sent, failed, dead
};

/// read_billing() counts no more rows of a status, so that it takes the same time however many there are.
inline constexpr int kMostCountedBills = 10'000;
/// How many rows of a status there are, of those that were not sent, and how long the oldest one has waited, for
/// metrics. Blocks. Errors: pqxx's.
struct BillingStanding {
    std::string status;
    std::int64_t rows = 0;
    double oldest_seconds = 0;
};
std::vector<BillingStanding> read_billing(core::Connection& connection);
/// Shows them. Without a meter nothing waits for it.
void export_billing(core::Metrics& metrics, std::vector<BillingStanding> const& standings, bool has_meter);

/// Has rows that are dead, held or without a subject sent once more under their identifiers; those without a subject
/// to the organization's of now, where it has one. Returns how many. Blocks. Errors: pqxx's.
int resend_bills(core::Connection& connection, std::vector<core::Id> const& ids);
/// Ends such rows: nobody is billed for them. Returns how many.
int drop_bills(core::Connection& connection, std::vector<core::Id> const& ids);

}  // namespace workforce::workers
