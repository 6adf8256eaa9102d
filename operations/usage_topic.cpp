// Members of a usage row, as the API names them.
#include "operations/usage_topic.hpp"

#include <string_view>

#include "core/crypto.hpp"
#include "core/json.hpp"

namespace workforce::operations {
namespace {

void id_member(core::JsonWriter& w, std::string_view name, core::Id id) {
    w.key(name);
    if (id == 0) {
        w.null();
    } else {
        w.integer(id);
    }
}

void text_member(core::JsonWriter& w, std::string_view name, std::string_view text) {
    w.key(name);
    if (text.empty()) {
        w.null();
    } else {
        w.string(text);
    }
}

}  // namespace

std::string usage_event(UsageRow const& row, std::string const& source) {
    core::JsonWriter w;
    w.begin_object();
    w.member("specversion", "1.0");
    w.member("id", row.request.text());
    w.member("source", source);
    w.member("type", "workforce.usage");
    w.member("subject", "organization:" + std::to_string(row.organization));
    w.member("time", core::to_string(row.at));
    w.member("datacontenttype", "application/json");
    w.key("data");
    w.begin_object();
    w.member("requestId", row.request.text());
    w.member("channel", row.channel);
    w.member("organizationId", row.organization);
    id_member(w, "facilityId", row.facility);
    w.member("credentialType", row.credential_type);
    id_member(w, "apiKeyId", row.key);
    id_member(w, "userId", row.user);
    w.member("agentLabel", row.agent.text());
    w.member("tool", row.tool);
    w.member("statusCode", static_cast<std::int64_t>(row.status));
    w.key("isError");
    w.boolean(row.status >= 400);
    text_member(w, "errorCode", row.error_code);
    w.member("latencyMs", static_cast<std::int64_t>(row.latency_ms));
    text_member(w, "outcomeType", row.marker);
    text_member(w, "dedupeKey", row.dedupe ? core::hex_encode(core::bytes(*row.dedupe)) : std::string());
    w.key("isSandbox");
    w.boolean(row.sandbox);
    w.end_object();
    w.end_object();
    return w.take();
}

}  // namespace workforce::operations
