// The other processes that serve beside this one.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "api/cluster/forwarder.hpp"
#include "workers/cluster/owners.hpp"

namespace workforce::api {

/// What a process needs of the others. Thread-safe; what it refers to outlives it.
struct Cluster {
    workers::Owners& owners;
    Forwarder& forwarder;

    /// The answer of the process that writes the partition, found anew when it is not known or certainly did not get
    /// the request. Where another process takes over while the answer is waited for, a request with an idempotency key
    /// is sent to that one, and one without gets LOG_UNAVAILABLE. A partition that is on its way from one process to
    /// another is waited for, up to `patience`. Nothing once `here` says that this process serves it. Errors: as
    /// Forwarder::forward, SERVICE_UNAVAILABLE too where nobody else writes the partition.
    boost::asio::awaitable<core::Result<std::optional<net::Reply>>> send_to_owner(
        int partition, net::Request const& request, ForwardedFrom const& from, std::function<bool()> const& here,
        std::chrono::milliseconds patience) const;
};

}  // namespace workforce::api
