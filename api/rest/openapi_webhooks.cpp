// Webhooks as OpenAPI 3.1 has them: operations of the subscriber's, by type.
#include "api/rest/openapi_webhooks.hpp"

#include <array>

#include "operations/webhook_payloads.hpp"

namespace workforce::api {
namespace {

using operations::Components;
using operations::WebhookPayload;

constexpr std::array kDeliveryHeaders{
    DeliveryHeader{"X-Service-Signature", true,
                   "sha256= and the HMAC-SHA256 of the body in hex, by the signing secret"},
    DeliveryHeader{"X-Service-Signature-Next", false,
                   "The same by the secret that is to take over, while there is one"},
    DeliveryHeader{"X-Service-Event", true, "The body's type"},
    DeliveryHeader{"X-Service-Delivery", true, "Id of the attempt"},
    DeliveryHeader{"X-Service-Timestamp", true, "When the attempt was made, in Unix seconds"},
    DeliveryHeader{"X-Service-Retry", false, "Number of the attempt, from the second on"},
    DeliveryHeader{"webhook-id", true, "The body's id, for libraries of Standard Webhooks"},
    DeliveryHeader{"webhook-timestamp", true, "When the attempt was made, in Unix seconds, for the same"},
    DeliveryHeader{"webhook-signature", true, "v1 signatures, with blanks between them, for the same"},
};

void write_delivery_headers(core::JsonWriter& w) {
    w.key("parameters");
    w.begin_array();
    for (auto const& [name, always, description] : kDeliveryHeaders) {
        w.begin_object();
        w.member("name", name);
        w.member("in", "header");
        w.member("description", description);
        w.member("required", always);
        w.key("schema");
        w.raw(R"({"type":"string"})");
        w.end_object();
    }
    w.end_array();
}

void write_delivery(core::JsonWriter& w, WebhookPayload const& payload, Components& components) {
    w.key("post");
    w.begin_object();
    w.member("operationId", "on_" + std::string(payload.type));
    w.key("tags");
    w.raw(R"(["webhooks"])");
    w.member("summary", payload.type);
    w.member("description", "Sent when " + std::string(operations::trigger_of(payload.type)) +
                                ". Answer 2xx within 10 seconds; anything else is tried again, six times in all.");
    w.key("security");
    w.raw("[]");
    write_delivery_headers(w);
    w.key("requestBody");
    w.begin_object();
    w.member("required", true);
    w.key("content");
    w.begin_object();
    w.key("application/json");
    w.begin_object();
    w.key("schema");
    w.begin_object();
    payload.schema(w, components);
    w.end_object();
    w.key("example");
    payload.example(w);
    w.end_object();
    w.end_object();
    w.end_object();
    w.key("responses");
    w.raw(R"({"2XX":{"description":"Taken; the body is kept for who looks into deliveries"}})");
    w.end_object();
}

}  // namespace

std::span<DeliveryHeader const> delivery_headers() { return kDeliveryHeaders; }

void write_webhooks(core::JsonWriter& w, Components& components) {
    w.key("webhooks");
    w.begin_object();
    for (auto const& payload : operations::webhook_payloads()) {
        w.key(payload.type);
        w.begin_object();
        write_delivery(w, payload, components);
        w.end_object();
    }
    w.end_object();
}

}  // namespace workforce::api
