// The other processes that serve beside this one.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "api/cluster/call_message.hpp"
#include "api/cluster/forwarder.hpp"
#include "commands/engine/processor.hpp"
#include "workers/cluster/owners.hpp"

namespace workforce::api {

/// A call to be answered by its owner.
struct ForwardedCall {
    CallMessage message;
    std::string_view body;
    /// The request that it came as, for an owner of the release before calls, which takes nothing else. Null: it came
    /// as none.
    net::Request const* request = nullptr;
    ForwardedFrom from{};                             ///< goes with `request`
    std::chrono::milliseconds limit = kForwardLimit;  ///< for the owner's answer
    bool* sent_before = nullptr;  ///< set where an owner that is gone may have carried it out before the answer
};

/// The owner's answer: an outcome, or a whole reply of an owner of the release before calls.
struct OwnerAnswer {
    std::optional<CallAnswer> answer{};
    std::optional<net::Reply> reply{};
};

/// What a process needs of the others. Thread-safe; what it refers to outlives it.
struct Cluster {
    workers::Owners& owners;
    Forwarder& forwarder;

    /// The answer of the process that writes the partition, found anew when it is not known or certainly did not get
    /// the call: such a call waits for an owner that takes it, up to `patience`. Where another process takes over while
    /// the answer is waited for, a call with an idempotency key is sent to that one, and one without gets
    /// LOG_UNAVAILABLE. A partition that is on its way from one process to another is waited for, up to `patience`.
    /// Nothing once `here` says that this process serves it. Errors: as Forwarder::send, SERVICE_UNAVAILABLE too where
    /// nobody else writes the partition.
    boost::asio::awaitable<core::Result<std::optional<OwnerAnswer>>> send_to_owner(
        int partition, ForwardedCall const& call, std::function<bool()> const& here,
        std::chrono::milliseconds patience) const;

   private:
    boost::asio::awaitable<core::Result<net::Reply>> send(workers::Owner const& owner, ForwardedCall const& call,
                                                          std::shared_ptr<net::ClientStop> stop) const;
};

/// The answer of a process that does not serve the call's partition, and did nothing.
net::Reply not_owner_reply(std::string_view request_id, std::string_view base_url);

/// Whether the partition is this process's to write, but can't be served.
bool fails_here(commands::Processor const& processor, int partition);

}  // namespace workforce::api
