// Rows of the page of limits.
#include "api/pages/limit_rows.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

#include "events/api_key.hpp"
#include "operations/operation.hpp"
#include "projections/engine/query.hpp"

namespace workforce::api {
namespace {

LimitGroup rates(core::Config const& config) {
    std::chrono::seconds const window(config.rate_window_seconds);
    std::chrono::minutes const minute(1);
    auto const of_keys = window.count() == 0 ? std::string("no limit") : rate_text(events::kDefaultRateLimit, window);
    return {"rates",
            "Requests",
            "More requests get 429 with Retry-After. Each process counts people and addresses for itself; API keys are "
            "counted for all processes together.",
            {{"An API key on REST", of_keys + "; its own rateLimitPerMin, from 1 to 6,000, counts instead"},
             {"A person", rate_text(config.user_rate_limit, minute)},
             {"A person with the role staff", rate_text(config.staff_rate_limit, minute)},
             {"An address without a valid credential", rate_text(config.address_rate_limit, minute)},
             {"Attempts to sign in from an address", rate_text(config.login_rate_limit, minute)},
             {"MCP, by key, person or address", rate_text(config.mcp_rate_limit, minute)}}};
}

LimitGroup rest_headers() {
    return {"rest-headers",
            "Headers of REST",
            "On each answer to an API key.",
            {{"X-RateLimit-Limit", "Requests of the window", true},
             {"X-RateLimit-Remaining", "How many of them are left", true},
             {"X-RateLimit-Reset", "When the next window begins, in Unix seconds", true},
             {"X-RateLimit-Window", "The window's length, such as 60s", true},
             {"X-RateLimit-Policy", "Limit and window, as 60;w=60; not on a 429", true},
             {"Retry-After", "On 429 and 503: after how many seconds to ask again", true}}};
}

LimitGroup mcp_headers() {
    return {"mcp-headers",
            "Headers of MCP",
            "On each answer.",
            {{"RateLimit-Limit", "Requests of the window", true},
             {"RateLimit-Remaining", "How many of them are left", true},
             {"RateLimit-Reset", "After how many seconds the next window begins", true}}};
}

/// "shifts.import, staff.import" by the bytes that their bodies may have, where that is not the usual number.
std::map<std::uint32_t, std::string> other_bodies() {
    std::map<std::uint32_t, std::string> verbs;
    for (auto const& operation : operations::operations()) {
        if (operation.http.max_body == operations::kMaxBody) continue;
        auto& names = verbs[operation.http.max_body];
        names += (names.empty() ? "" : ", ") + std::string(operation.name);
    }
    return verbs;
}

LimitGroup sizes(core::Config const& config) {
    LimitGroup group{"sizes", "Sizes", "", {}};
    auto const kibibytes = [](std::uint64_t bytes) { return fmt::format("{} KiB", bytes / 1024); };
    group.rows.push_back({"A body", kibibytes(operations::kMaxBody)});
    for (auto const& [bytes, verbs] : other_bodies()) group.rows.push_back({"A body of " + verbs, kibibytes(bytes)});
    projections::PageRequest const page;
    group.rows.push_back(
        {"A page of a list", fmt::format("{} rows, or as many as limit says, up to {}; it ends earlier at {}",
                                         page.limit, projections::kMaxLimit, kibibytes(config.page_bytes))});
    group.rows.push_back({"Faults that a refusal names", "100; details.total counts all"});
    group.rows.push_back({"An Idempotency-Key", "1 to 255 characters; the first answer is kept for 24 hours"});
    return group;
}

LimitGroup at_a_time(core::Config const& config) {
    return {
        "at-a-time",
        "At a time",
        "",
        {{"Requests of one organization",
          fmt::format("{}, in each process; more get 503", config.organization_requests)},
         {"Streams of one credential", fmt::format("{}, in each process; more get 429", config.credential_streams)},
         {"Connections of one address", config.connections_per_address == 0
                                            ? std::string("no limit")
                                            : fmt::format("{}, in each process", config.connections_per_address)},
         {"Webhook subscriptions", fmt::format("{} of an organization, {} of one creator; more get 409 LIMIT_REACHED",
                                               config.webhook_subscriptions, config.creator_webhook_subscriptions)}}};
}

}  // namespace

std::vector<LimitGroup> limit_groups(core::Config const& config) {
    return {rates(config), rest_headers(), mcp_headers(), sizes(config), at_a_time(config)};
}

std::string rate_text(std::int64_t requests, std::chrono::seconds window) {
    if (requests == 0) return "no limit";
    auto const text = duration_text(window);
    return fmt::format("{} requests {}", requests, text == "1 minute" ? "a minute" : "in " + text);
}

std::string duration_text(std::chrono::seconds duration) {
    struct Unit {
        std::int64_t seconds;
        std::string_view name;
    };
    constexpr std::array kUnits{Unit{3600, "hour"}, Unit{60, "minute"}, Unit{1, "second"}};
    auto const count = duration.count();
    for (auto const& [seconds, name] : kUnits) {
        if (count < seconds || count % seconds != 0) continue;
        return fmt::format("{} {}{}", count / seconds, name, count == seconds ? "" : "s");
    }
    return "0 seconds";
}

}  // namespace workforce::api
