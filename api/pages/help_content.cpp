// The pages' content, page by page.
#include "api/pages/help_content.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "api/pages/limit_rows.hpp"
#include "api/pages/template.hpp"
#include "api/problem_reply.hpp"
#include "api/rest/error_meanings.hpp"
#include "api/rest/openapi_errors.hpp"
#include "api/rest/openapi_webhooks.hpp"
#include "core/pretty_json.hpp"
#include "events/webhook_types.hpp"
#include "net/http_client.hpp"
#include "operations/tools/tool.hpp"
#include "operations/webhook_payloads.hpp"
#include "workers/webhooks/schedule.hpp"

namespace workforce::api {

struct HelpLink {
    std::string path;
    std::string title;
    bool current = false;
};
BOOST_DESCRIBE_STRUCT(HelpLink, (), (path, title, current))

/// What every page has.
struct HelpFrame {
    std::string title;
    std::string lead;
    std::string version;  ///< the latest
    std::string base_url;
    std::vector<std::string> styles;
    std::vector<std::string> scripts;
    std::vector<HelpLink> pages;
};
BOOST_DESCRIBE_STRUCT(HelpFrame, (), (title, lead, version, base_url, styles, scripts, pages))

struct ReferencePage : HelpFrame {
    std::string description;
};
BOOST_DESCRIBE_STRUCT(ReferencePage, (HelpFrame), (description))

struct ErrorRow {
    std::string id;
    std::string name;
    std::string meaning;
    std::string suggestion;
    bool retryable = false;
};
BOOST_DESCRIBE_STRUCT(ErrorRow, (), (id, name, meaning, suggestion, retryable))

struct ErrorGroup {
    int status = 0;
    std::string reason;
    std::vector<ErrorRow> codes;
};
BOOST_DESCRIBE_STRUCT(ErrorGroup, (), (status, reason, codes))

struct ErrorsPage : HelpFrame {
    std::string example;
    std::vector<ErrorGroup> groups;
};
BOOST_DESCRIBE_STRUCT(ErrorsPage, (HelpFrame), (example, groups))

struct WebhookHeaderRow {
    std::string name;
    std::string description;
    bool always = false;
};
BOOST_DESCRIBE_STRUCT(WebhookHeaderRow, (), (name, description, always))

struct WebhookTypeRow {
    std::string type;
    std::string trigger;
    std::string permission;
    std::string example;
};
BOOST_DESCRIBE_STRUCT(WebhookTypeRow, (), (type, trigger, permission, example))

struct WebhooksPage : HelpFrame {
    std::int64_t answer_seconds = 0;
    int attempts = workers::kMostAttempts;
    std::string delays;
    std::vector<WebhookHeaderRow> headers;
    std::vector<WebhookTypeRow> types;
};
BOOST_DESCRIBE_STRUCT(WebhooksPage, (HelpFrame), (answer_seconds, attempts, delays, headers, types))

struct LimitsPage : HelpFrame {
    std::vector<LimitGroup> groups;
};
BOOST_DESCRIBE_STRUCT(LimitsPage, (HelpFrame), (groups))

struct VersionEntry {
    std::string date;
    std::string label;
    bool latest = false;
    std::string deprecated;
    std::string sunset;
    std::vector<std::string> changes;
};
BOOST_DESCRIBE_STRUCT(VersionEntry, (), (date, label, latest, deprecated, sunset, changes))

struct VersionsPage : HelpFrame {
    std::vector<VersionEntry> versions;
};
BOOST_DESCRIBE_STRUCT(VersionsPage, (HelpFrame), (versions))

struct ToolArgumentRow {
    std::string name;
    std::string description;
    bool required = false;
};
BOOST_DESCRIBE_STRUCT(ToolArgumentRow, (), (name, description, required))

struct ToolRow {
    std::string name;
    std::string description;
    std::string scope;
    std::string tier;
    bool reads = false;
    bool has_arguments = false;
    std::vector<ToolArgumentRow> arguments;
};
BOOST_DESCRIBE_STRUCT(ToolRow, (), (name, description, scope, tier, reads, has_arguments, arguments))

struct McpPage : HelpFrame {
    std::string mcp_url;
    std::string configuration;
    std::string limit;
    std::vector<ToolRow> tools;
};
BOOST_DESCRIBE_STRUCT(McpPage, (HelpFrame), (mcp_url, configuration, limit, tools))

namespace {

/// What the page has in common with all others.
template <class Page>
Page framed(HelpPage const& page, HelpContext const& context) {
    Page content;
    content.title = page.title;
    content.lead = page.lead;
    content.version = kLatestVersion;
    content.base_url = context.config.base_url;
    content.styles = {context.styles};
    for (auto const& other : help_pages()) {
        content.pages.push_back({std::string(other.path), std::string(other.title), other.path == page.path});
    }
    return content;
}

std::string pretty(std::string_view json) {
    auto text = core::pretty_json(*core::parse_json(json));
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

std::string reference_html(HelpPage const& page, HelpContext const& context) {
    auto content = framed<ReferencePage>(page, context);
    for (auto const& file : context.viewer) (file.ends_with(".css") ? content.styles : content.scripts).push_back(file);
    // Ours come last: its rules and its script are about the viewer's.
    std::ranges::rotate(content.styles, content.styles.begin() + 1);
    content.description = context.description;
    return fill_template("reference", content);
}

std::string_view reason_of(int status) {
    static std::map<int, std::string_view> const reasons{{400, "Bad request"},
                                                         {401, "Unauthorized"},
                                                         {403, "Forbidden"},
                                                         {404, "Not found"},
                                                         {405, "Method not allowed"},
                                                         {406, "Not acceptable"},
                                                         {408, "Request timeout"},
                                                         {409, "Conflict"},
                                                         {410, "Gone"},
                                                         {412, "Precondition failed"},
                                                         {413, "Content too large"},
                                                         {414, "URI too long"},
                                                         {415, "Unsupported media type"},
                                                         {423, "Locked"},
                                                         {429, "Too many requests"},
                                                         {431, "Header fields too large"},
                                                         {500, "Internal error"},
                                                         {502, "Bad gateway"},
                                                         {503, "Service unavailable"},
                                                         {504, "Gateway timeout"}};
    return reasons.at(status);
}

std::string errors_html(HelpPage const& page, HelpContext const& context) {
    auto content = framed<ErrorsPage>(page, context);
    auto const refused = core::validation_problem({{"startTime", "format", "must be HH:MM"}});
    content.example = pretty(problem_reply(refused, "req_01J9ZK3V8N4Q", context.config.base_url).body);
    std::set<std::string_view> told;
    for (auto const& [status, codes] : all_codes()) {
        auto& group = content.groups.emplace_back(ErrorGroup{status, std::string(reason_of(status)), {}});
        for (auto const code : codes) {
            auto const& info = core::info(code);
            bool const is_first = told.insert(info.name).second;
            group.codes.push_back({is_first ? std::string(info.name) : fmt::format("{}-{}", info.name, status),
                                   std::string(info.name), std::string(meaning_of(code)), std::string(info.suggestion),
                                   info.retryable});
        }
    }
    return fill_template("errors", content);
}

/// "30 seconds, 2 minutes and 1 hour".
std::string retry_delays() {
    std::string text;
    for (std::size_t i = 0; i < workers::kRetryDelays.size(); ++i) {
        if (i > 0) text += i + 1 == workers::kRetryDelays.size() ? " and " : ", ";
        text += duration_text(workers::kRetryDelays.at(i));
    }
    return text;
}

std::string webhooks_html(HelpPage const& page, HelpContext const& context) {
    auto content = framed<WebhooksPage>(page, context);
    content.answer_seconds = std::chrono::duration_cast<std::chrono::seconds>(net::ClientLimits{}.whole).count();
    content.delays = retry_delays();
    for (auto const& header : delivery_headers()) {
        content.headers.push_back({std::string(header.name), std::string(header.description), header.always});
    }
    for (auto const& payload : operations::webhook_payloads()) {
        core::JsonWriter example;
        payload.example(example);
        auto const* const type = events::find_webhook_type(payload.type);
        content.types.push_back({std::string(payload.type), std::string(operations::trigger_of(payload.type)),
                                 type == nullptr ? "" : std::string(type->permission.name()), pretty(example.text())});
    }
    return fill_template("webhooks", content);
}

std::string limits_html(HelpPage const& page, HelpContext const& context) {
    auto content = framed<LimitsPage>(page, context);
    content.groups = limit_groups(context.config);
    return fill_template("limits", content);
}

std::string versions_html(HelpPage const& page, HelpContext const& context) {
    auto content = framed<VersionsPage>(page, context);
    auto const list = core::parse_json(context.versions.document());
    for (auto const& version : (*list)["versions"].GetArray()) {
        auto const text = [&](char const* name) {
            return version[name].IsString() ? std::string(version[name].GetString()) : std::string();
        };
        auto& entry = content.versions.emplace_back(
            VersionEntry{text("date"), text("label"), false, text("deprecated"), text("sunset"), {}});
        entry.latest = entry.date == kLatestVersion;
        for (auto const& change : version["changes"].GetArray()) entry.changes.emplace_back(change.GetString());
    }
    std::ranges::reverse(content.versions);
    return fill_template("versions", content);
}

/// The tool as tools/list shows it, for people.
ToolRow row_of(operations::Tool const& tool) {
    auto const shown = core::parse_json(tool.definition);
    auto const& properties = (*shown)["inputSchema"]["properties"];
    ToolRow row{std::string(tool.name),
                (*shown)["description"].GetString(),
                tool.scope,
                std::string(core::enum_name(tool.binding().tier)),
                (*shown)["annotations"]["readOnlyHint"].GetBool(),
                !tool.arguments.empty(),
                {}};
    for (auto const& argument : tool.arguments) {
        auto const& schema = properties[argument.name.c_str()];
        auto const* const words = schema.HasMember("description") ? schema["description"].GetString() : "";
        row.arguments.push_back({argument.name, words, argument.required});
    }
    return row;
}

std::string mcp_html(HelpPage const& page, HelpContext const& context) {
    auto content = framed<McpPage>(page, context);
    content.mcp_url = context.config.mcp_url;
    content.configuration = pretty(fmt::format(
        R"({{"mcpServers":{{"workforce":{{"type":"http","url":"{}/mcp","headers":{{"Authorization":"Bearer svc_live_…"}}}}}}}})",
        content.mcp_url));
    content.limit = rate_text(context.config.mcp_rate_limit, std::chrono::minutes(1));
    for (auto const& tool : operations::tools()) content.tools.push_back(row_of(tool));
    return fill_template("mcp", content);
}

constexpr std::array kPages{
    HelpPage{"/docs", "Reference", "All operations of the API, with what they take, answer and refuse.",
             reference_html},
    HelpPage{"/docs/errors", "Errors", "What each error code means, and what to do about it.", errors_html},
    HelpPage{"/docs/webhooks", "Webhooks",
             "How the service tells you of events, and how to check that a delivery is genuine.", webhooks_html},
    HelpPage{"/docs/limits", "Limits", "How much you may ask for, and the headers that tell how much is left.",
             limits_html},
    HelpPage{"/docs/versions", "Versions", "The versions of the API, and until when each is answered.", versions_html},
    HelpPage{"/docs/mcp", "MCP", "How AI agents call the platform's operations as tools.", mcp_html},
};

}  // namespace

std::span<HelpPage const> help_pages() { return kPages; }

}  // namespace workforce::api
