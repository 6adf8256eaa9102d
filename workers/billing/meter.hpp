// The billing meters that outcomes are reported to (domain 8.6): what each is sent, and what its answer means.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/config.hpp"
#include "core/text.hpp"
#include "core/time.hpp"
#include "net/http_client.hpp"

namespace workforce::workers {

/// One billed outcome.
struct Bill {
    core::Id id = 0;         ///< of its row
    std::string event_name;  ///< "shift_filled"
    std::string subject;     ///< whom the meter bills
    std::string identifier;  ///< the same on each attempt
    core::Timestamp occurred_at;
    core::Id organization = 0;
};

/// A meter as the table has it. All functions are pure.
struct MeterType {
    std::string_view name;         ///< of the setting billing_meter
    std::size_t together = 1;      ///< bills that a request reports at most
    std::string_view default_url;  ///< where it is, unless billing_url says otherwise; empty: that has to
    /// The request that reports bills; `source` names the installation.
    net::ClientRequest (*request)(std::span<Bill const> bills, std::string const& secret, std::string const& source);
    /// Whether an answer other than 2xx says that the meter has that bill already.
    bool (*knows)(net::Reply const& reply);
};

/// The meter of that name, or null: `none`, which reports nothing.
MeterType const* find_meter(std::string_view name);

/// The result of a request to a meter.
struct MeterAnswer {
    bool taken = false;  ///< the meter has what was reported, now or before
    std::string why{};   ///< if not
    bool away = false;   ///< it said nothing of what was reported: no answer, 5xx or 429
};
/// Judges what a meter answered to a report of so many bills, or that it did not. That it knows one of several says
/// nothing of the others, which it did not take then.
MeterAnswer judge_meter(MeterType const& meter, std::size_t bills,
                        tl::expected<net::Reply, net::ClientFailure> const& reply);

}  // namespace workforce::workers
