// The metrics of the listeners.
#include "cli/front.hpp"

namespace workforce::cli {
namespace {

/// `counters` outlive the metrics' last rendering.
void export_connections(core::Metrics& metrics, net::ServerCounters const& counters) {
    auto& connections = metrics.gauge("workforce_http_connections", "Open connections of the REST and MCP listeners");
    auto& refused = metrics.counter("workforce_http_connections_refused_total",
                                    "Connections refused, for they were over the limit");
    auto& refused_of_address = metrics.counter("workforce_http_address_connections_refused_total",
                                               "Connections closed at once, for their address had as many as it may");
    metrics.before_render([&] {
        connections.Set(static_cast<double>(counters.open_connections.load()));
        core::raise(refused, static_cast<double>(counters.refused_connections.load()));
        core::raise(refused_of_address, static_cast<double>(counters.refused_of_address.load()));
    });
}

}  // namespace

void Front::export_metrics(core::Metrics& metrics) {
    export_load(metrics);
    export_key_limits(metrics);
    export_sign_ins(metrics);
    export_connections(metrics, server_.counters());
}

/// Exports the bytes and places that requests under way and their answers hold.
void Front::export_load(core::Metrics& metrics) {
    auto& over_share = metrics.counter("workforce_organization_requests_refused_total",
                                       "Requests refused, for too many of one organization were under way");
    auto& streams = metrics.gauge("workforce_http_streams", "Open streams of REST and MCP");
    auto& refused_streams = metrics.counter("workforce_http_streams_refused_total",
                                            "Streams refused, for their credential or the process had too many");
    auto& told = metrics.counter("workforce_event_tap_events_total", "Events that GET /api/events told");
    auto& looks = metrics.counter("workforce_event_tap_looks_total",
                                  "Statements that asked for news for all who wait for events");
    auto& bodies = metrics.gauge("workforce_http_body_bytes",
                                 "Bytes of request bodies at hand that did not come with their heads");
    auto& replies =
        metrics.gauge("workforce_http_reply_bytes", "Bytes of pages being read and of answers that were not sent yet");
    auto& kept_frames = metrics.gauge("workforce_mcp_frame_bytes",
                                      "Bytes of large answers of MCP's streams that are stored to be resumed");
    auto& refused_replies =
        metrics.counter("workforce_http_replies_refused_total",
                        "Requests refused, for answers that nobody read filled their organization's share");
    metrics.before_render([&] {
        core::raise(over_share, static_cast<double>(dispatcher_.refused()));
        streams.Set(static_cast<double>(dispatcher_.open_streams()));
        core::raise(refused_streams, static_cast<double>(dispatcher_.refused_streams()));
        core::raise(told, static_cast<double>(event_tap_.told()));
        core::raise(looks, static_cast<double>(event_tap_.looks()));
        bodies.Set(static_cast<double>(server_.body_memory()));
        replies.Set(static_cast<double>(replies_.used()));
        kept_frames.Set(static_cast<double>(frames_.kept()));
        core::raise(refused_replies, static_cast<double>(replies_.refused()));
    });
}

/// Exports the cache of credentials, and the counts of limits of keys, people and addresses.
void Front::export_key_limits(core::Metrics& metrics) {
    auto& credentials = metrics.gauge("workforce_credential_bytes", "Bytes of what is remembered of credentials");
    auto& dropped_credentials = metrics.counter("workforce_credentials_dropped_total",
                                                "Credentials forgotten for room, though they were in use");
    auto& granted = metrics.counter("workforce_key_requests_granted_total", "Requests within their API key's limit");
    auto& over_limit = metrics.counter("workforce_key_requests_refused_total", "Requests over their API key's limit");
    auto& leases =
        metrics.counter("workforce_key_limit_leases_total", "Statements that leased or gave back requests of keys");
    auto& waits =
        metrics.counter("workforce_key_limit_waits_total", "Requests that waited for what other processes had leased");
    auto& uses = metrics.counter("workforce_key_uses_dropped_total",
                                 "Uses of API keys that no record tells, for they were of too many keys at a time");
    auto& people = metrics.counter("workforce_user_requests_refused_total", "Requests over the limit of a person");
    auto& addresses = metrics.counter("workforce_address_requests_refused_total",
                                      "Requests without a valid credential over the limit of an address");
    metrics.before_render([&] {
        credentials.Set(static_cast<double>(authenticator_.cache().used()));
        core::raise(dropped_credentials, static_cast<double>(authenticator_.cache().dropped()));
        auto const keys = key_limits_.stats();
        auto const mcp_keys = mcp_limits_.stats();
        core::raise(granted, static_cast<double>(keys.granted + mcp_keys.granted));
        core::raise(over_limit, static_cast<double>(keys.refused + mcp_keys.refused));
        core::raise(leases, static_cast<double>(keys.contacts + mcp_keys.contacts));
        core::raise(waits, static_cast<double>(keys.waits + mcp_keys.waits));
        core::raise(uses, static_cast<double>(key_uses_.dropped()));
        core::raise(people, static_cast<double>(dispatcher_.limits().refused_people()));
        core::raise(addresses, static_cast<double>(dispatcher_.limits().refused_addresses()));
    });
}

void Front::export_sign_ins(core::Metrics& metrics) {
    auto& sign_ins = metrics.counter("workforce_sign_ins_refused_total",
                                     "Attempts to sign in that were refused, for too many were of an address");
    auto& hashes = metrics.counter("workforce_password_hashes_total", "Passwords hashed");
    auto& hashes_waiting = metrics.gauge("workforce_password_hashes_waiting", "Passwords that wait to be hashed");
    auto& hashes_refused =
        metrics.counter("workforce_password_hashes_refused_total", "Passwords not hashed, for too many waited");
    metrics.before_render([&] {
        auto const hasher = hasher_.stats();
        core::raise(hashes, static_cast<double>(hasher.done));
        hashes_waiting.Set(static_cast<double>(hasher.waiting));
        core::raise(hashes_refused, static_cast<double>(hasher.refused));
        core::raise(sign_ins, static_cast<double>(dispatcher_.limits().refused_sign_ins()));
    });
}

}  // namespace workforce::cli
