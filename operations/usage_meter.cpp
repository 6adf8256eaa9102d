// Facts to usage rows.
#include "operations/usage_meter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "net/http.hpp"
#include "operations/call.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kUsagePaths = "/api/api-usage/";
constexpr std::string_view kDirect = "direct";

/// What metering asks of an operation.
struct MeteredOperation {
    std::string tool;
    std::string by_put;        ///< the same, where it was asked for by PUT instead of PATCH
    bool reads_usage = false;  ///< by REST it is not metered
};

/// "/api/shifts/{id:int}/assign" without its types.
std::string plain_path(std::string_view path) {
    std::string plain;
    bool type = false;
    for (char const c : path) {
        type = (type || c == ':') && c != '}';
        if (!type) plain += c;
    }
    return plain;
}

std::vector<MeteredOperation> const& metered_operations() {
    static auto const all = [] {
        std::vector<MeteredOperation> rows;
        for (auto const& operation : operations()) {
            auto& row = rows.emplace_back();
            auto const path = plain_path(operation.http.path);
            row.tool = fmt::format("{} {}", net::to_string(operation.http.method), path);
            row.by_put = "PUT " + path;
            row.reads_usage = operation.http.path.starts_with(kUsagePaths);
        }
        return rows;
    }();
    return all;
}

/// Whether the request got as far as to be metered, by whom it came (domain 8.2).
bool is_metered(Facts const& facts) {
    if (facts.verb.empty() || facts.credential_kind.empty()) return false;
    if (facts.credential_type == events::ActorType::system || facts.status == 401 || facts.status == 429) return false;
    if (is_tool_channel(facts.channel)) return true;
    if (facts.credential_type == events::ActorType::user) return !facts.marker.empty();
    return !metered_operations()[facts.row].reads_usage;
}

std::int32_t milliseconds(double seconds) {
    constexpr double kMost = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(std::llround(std::clamp(seconds * 1000, 0.0, kMost)));
}

}  // namespace

std::string_view rest_tool(Operation const& operation) { return metered_operations()[operation.row].tool; }

std::optional<UsageRow> metered(Facts const& facts, core::Timestamp now) {
    if (!is_metered(facts)) return std::nullopt;
    bool const by_tool = is_tool_channel(facts.channel);
    UsageRow row;
    row.latency_ms = milliseconds(facts.seconds);
    row.at = {now.ms - row.latency_ms};
    row.request = facts.correlation;
    row.organization = facts.organization;
    row.facility = facts.facility;
    if (facts.credential_type == events::ActorType::api_key) row.key = facts.credential;
    row.user = facts.user;
    row.run = facts.run;
    bool const session = !by_tool && facts.credential_type == events::ActorType::user;
    row.channel = session ? std::string_view("session") : facts.channel;
    row.credential_type = facts.credential_kind;
    auto const& operation = metered_operations()[facts.row];
    row.tool = by_tool ? facts.tool : std::string_view(facts.by_put ? operation.by_put : operation.tool);
    if (facts.refused) row.error_code = core::info(*facts.refused).name;
    row.marker = facts.marker;
    row.agent = facts.client.text().empty() ? ShortName<64>(kDirect) : facts.client;
    row.status = facts.status;
    row.sandbox = facts.sandbox;
    row.dedupe = facts.dedupe;
    return row;
}

}  // namespace workforce::operations
