// A write on its way to the process that serves its organization's partition, where that is another one.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string_view>

#include "api/cluster/cluster.hpp"
#include "api/incoming.hpp"
#include "operations/call.hpp"

namespace workforce::api {

/// Whether the call is to be answered by the process that serves its organization's partition. What is open to anybody
/// is answered where it came in.
bool is_for_owner(operations::Call const& call);

/// Whether another process is to serve the organization's partition: this one does not write it, nor would it if it
/// could. Throws as Homes::find.
boost::asio::awaitable<bool> is_served_elsewhere(commands::Processor& processor, core::Id organization);

/// A call as it is sent on.
struct SentOn {
    std::string_view body;                  ///< the input's, as text
    ForwardedFrom const& from;              ///< where it came in
    net::Request const* request = nullptr;  ///< as ForwardedCall
    bool asks_only = false;                 ///< as CallMessage
};

/// The owner's answer to a call that is ready; nothing when this process is the owner. Sets the call's `sent_before`.
/// Errors: SERVICE_UNAVAILABLE where the owner can't be reached, as Cluster::send_to_owner.
boost::asio::awaitable<core::Result<std::optional<OwnerAnswer>>> ask_owner(Cluster const& cluster,
                                                                           operations::Call& call, SentOn const& sent);

/// Carries out a call that is ready: at its owner where that is another process of `cluster`, else here. `unavailable`
/// is set where the outcome is a refusal for lack of something. Throws as ask_owner() and handlers do.
boost::asio::awaitable<operations::Outcome> perform_call(Cluster const* cluster, operations::Call& call,
                                                         ForwardedFrom const& from,
                                                         operations::Unavailable& unavailable);

/// As perform_call(), of recall_answer(): no handler runs anywhere.
boost::asio::awaitable<operations::Outcome> recall_call(Cluster const* cluster, operations::Call& call,
                                                        ForwardedFrom const& from);

}  // namespace workforce::api
