// Wire formats of Stripe, of CloudEvents as OpenMeter takes them, and of Lago.
#include "workers/billing/meter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/excerpt.hpp"
#include "core/json.hpp"

namespace workforce::workers {
namespace {

constexpr std::size_t kToldOfAnswer = 300;  // bytes of an answer that a row keeps

/// application/x-www-form-urlencoded.
std::string form_of(std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
    std::string text;
    auto const append = [&](std::string_view part) {
        for (unsigned char const c : part) {
            bool const plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
                               c == '.' || c == '_' || c == '~';
            if (plain) {
                text += static_cast<char>(c);
            } else {
                text += fmt::format("%{:02X}", c);
            }
        }
    };
    for (auto const& [name, value] : fields) {
        if (!text.empty()) text += '&';
        append(name);
        text += '=';
        append(value);
    }
    return text;
}

net::ClientRequest post(std::string content_type, std::string const& secret, std::string body) {
    net::ClientRequest request{.method = "POST", .target = {}, .headers = {}, .body = std::move(body)};
    request.headers.emplace_back("Content-Type", std::move(content_type));
    request.headers.emplace_back("User-Agent", "workforce");
    if (!secret.empty()) request.headers.emplace_back("Authorization", "Bearer " + secret);
    return request;
}

/// POST /v1/billing/meter_events.
net::ClientRequest stripe_request(std::span<Bill const> bills, std::string const& secret, std::string const&) {
    auto const& bill = bills.front();
    auto request = post("application/x-www-form-urlencoded", secret,
                        form_of({{"event_name", bill.event_name},
                                 {"identifier", bill.identifier},
                                 {"timestamp", std::to_string(bill.occurred_at.ms / 1000)},
                                 {"payload[stripe_customer_id]", bill.subject},
                                 {"payload[value]", "1"}}));
    // Repeats of the request itself, beside the event's own identifier.
    request.headers.emplace_back("Idempotency-Key", bill.identifier);
    return request;
}

/// Stripe refuses an identifier that it has seen in the last day instead of passing over the event.
bool stripe_knows(net::Reply const& reply) {
    return reply.status == 400 && (reply.body.find("duplicate_meter_event") != std::string::npos ||
                                   reply.body.find("already exists with identifier") != std::string::npos);
}

/// A batch of CloudEvents 1.0, as OpenMeter's POST /api/v1/events takes it.
net::ClientRequest cloudevents_request(std::span<Bill const> bills, std::string const& secret,
                                       std::string const& source) {
    core::JsonWriter w;
    w.begin_array();
    for (auto const& bill : bills) {
        w.begin_object();
        w.member("specversion", "1.0");
        w.member("id", bill.identifier);
        w.member("source", source);
        w.member("type", bill.event_name);
        w.member("subject", bill.subject);
        w.member("time", core::to_string(bill.occurred_at));
        w.member("datacontenttype", "application/json");
        w.key("data");
        w.begin_object();
        w.member("value", "1");
        w.member("organizationId", bill.organization);
        w.end_object();
        w.end_object();
    }
    w.end_array();
    return post("application/cloudevents-batch+json", secret, w.take());
}

bool cloudevents_known(net::Reply const& reply) { return reply.status == 409; }

/// POST /api/v1/events/batch: all of a batch or none.
net::ClientRequest lago_request(std::span<Bill const> bills, std::string const& secret, std::string const&) {
    core::JsonWriter w;
    w.begin_object();
    w.key("events");
    w.begin_array();
    for (auto const& bill : bills) {
        w.begin_object();
        w.member("transaction_id", bill.identifier);
        w.member("external_subscription_id", bill.subject);
        w.member("code", bill.event_name);
        w.member("timestamp", bill.occurred_at.ms / 1000);
        w.key("properties");
        w.begin_object();
        w.member("value", "1");
        w.end_object();
        w.end_object();
    }
    w.end_array();
    w.end_object();
    return post("application/json", secret, w.take());
}

bool lago_knows(net::Reply const& reply) {
    return reply.status == 422 && reply.body.find("value_already_exist") != std::string::npos;
}

constexpr std::array<MeterType, 3> kMeters{{
    {"stripe", 1, "https://api.stripe.com/v1/billing/meter_events", stripe_request, stripe_knows},
    {"cloudevents", 100, "", cloudevents_request, cloudevents_known},
    {"lago", 100, "https://api.getlago.com/api/v1/events/batch", lago_request, lago_knows},
}};

}  // namespace

MeterType const* find_meter(std::string_view name) {
    auto const found = std::ranges::find(kMeters, name, &MeterType::name);
    return found == kMeters.end() ? nullptr : &*found;
}

MeterAnswer judge_meter(MeterType const& meter, std::size_t bills,
                        tl::expected<net::Reply, net::ClientFailure> const& reply) {
    if (!reply) return {false, reply.error().reason, true};
    if (reply->status / 100 == 2 || (bills == 1 && meter.knows(*reply))) return {true};
    bool const away = reply->status / 100 == 5 || reply->status == 429;
    return {false, fmt::format("the meter answered {}: {}", reply->status, core::excerpt(reply->body, kToldOfAnswer)),
            away};
}

}  // namespace workforce::workers
