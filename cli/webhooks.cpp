// `workforce webhooks`: subscriptions by trouble, for whoever is asked why nothing arrives.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/print_table.hpp"
#include "core/json.hpp"
#include "core/pretty_json.hpp"
#include "core/text.hpp"
#include "workers/engine/standing.hpp"
#include "workers/runtime.hpp"
#include "workers/webhooks/schedule.hpp"

namespace workforce::cli {
namespace {

constexpr int kShownWebhooks = 50;
constexpr int kMostWebhooks = 10'000;

struct WebhookArguments {
    bool json = false;
    bool worst = false;
    int limit = kShownWebhooks;
};

/// A subscription as operators are shown it.
struct WebhookRow {
    core::Id id = 0;
    core::Id organizationId = 0;
    bool isActive = true;
    std::int64_t consecutiveFailures = 0;
    std::int64_t pending = 0;
    core::Nullable<core::Timestamp> oldestDue{};  ///< when the oldest that is pending is or was due
    core::Nullable<core::Timestamp> lastDeliveryAt{};
    std::string lastError{};
    std::string url{};
};
BOOST_DESCRIBE_STRUCT(WebhookRow, (),
                      (id, organizationId, isActive, consecutiveFailures, pending, oldestDue, lastDeliveryAt, lastError,
                       url))

struct WebhookList {
    std::vector<WebhookRow> webhooks;
};
BOOST_DESCRIBE_STRUCT(WebhookList, (), (webhooks))

constexpr core::Statement kWorst{"webhooks_worst", R"(
SELECT s.webhook_id, s.organization_id, s.is_active, coalesce(q.consecutive_failures, 0) AS failures, d.pending, d.oldest,
       q.last_delivery_at, coalesce(a.error, '') AS error, s.doc::json ->> 'url' AS url
FROM reactor.webhook_subscription s
LEFT JOIN reactor.webhook_queue q ON q.webhook_id = s.webhook_id
CROSS JOIN LATERAL (
    SELECT count(*) AS pending, min(due_at) AS oldest FROM reactor.webhook_delivery d WHERE d.webhook_id = s.webhook_id) AS d
LEFT JOIN LATERAL (
    SELECT error FROM ops.webhook_attempt a WHERE a.webhook_id = s.webhook_id ORDER BY a.id DESC LIMIT 1) AS a ON true
WHERE NOT $2 OR NOT s.is_active OR q.consecutive_failures > 0 OR d.oldest < now() - interval '1 minute'
ORDER BY coalesce(q.consecutive_failures, 0) DESC, d.pending DESC, s.webhook_id
LIMIT $1)"};

WebhookList read_webhooks(core::Config const& configured, WebhookArguments const& arguments) {
    auto const config = workers::checked(configured);
    core::Connection connection(workers::reactor_session(workers::session(config, "", "workforce webhooks")));
    WebhookList list;
    for (auto const& row : connection.execute(kWorst, arguments.limit, arguments.worst)) {
        auto& shown = list.webhooks.emplace_back();
        shown.id = core::read<core::Id>(row["webhook_id"]);
        shown.organizationId = core::read<core::Id>(row["organization_id"]);
        shown.isActive = core::read<bool>(row["is_active"]);
        shown.consecutiveFailures = core::read<std::int64_t>(row["failures"]);
        shown.pending = core::read<std::int64_t>(row["pending"]);
        shown.oldestDue.value = core::read<std::optional<core::Timestamp>>(row["oldest"]);
        shown.lastDeliveryAt.value = core::read<std::optional<core::Timestamp>>(row["last_delivery_at"]);
        shown.lastError = core::read<std::string>(row["error"]);
        shown.url = core::read<std::string>(row["url"]);
    }
    return list;
}

std::string moment(core::Nullable<core::Timestamp> const& at) { return at.value ? core::to_string(*at.value) : "-"; }

int show_webhooks(core::Config const& config, WebhookArguments const& arguments) {
    auto const list = read_webhooks(config, arguments);
    if (arguments.json) {
        fmt::print("{}", core::pretty_json(*core::parse_json(core::to_json(list))));
        return 0;
    }
    std::vector<std::vector<std::string>> rows{
        {"WEBHOOK", "ORGANIZATION", "ACTIVE", "FAILURES", "PENDING", "OLDEST DUE", "LAST ATTEMPT", "LAST ERROR"}};
    for (auto const& each : list.webhooks) {
        rows.push_back({std::to_string(each.id), std::to_string(each.organizationId), each.isActive ? "yes" : "no",
                        std::to_string(each.consecutiveFailures), std::to_string(each.pending), moment(each.oldestDue),
                        moment(each.lastDeliveryAt), each.lastError});
    }
    print_table(rows);
    fmt::print("FAILURES counts attempts in a row. {} failed attempts of one delivery disable a subscription.\n",
               workers::kMostAttempts);
    return 0;
}

}  // namespace

void add_webhooks(CommandLine& line) {
    auto const arguments = std::make_shared<WebhookArguments>();
    auto* command = line.app.add_subcommand(
        "webhooks",
        fmt::format("Show webhook subscriptions, those with most failures in a row first; {} failed attempts of "
                    "one delivery disable one",
                    workers::kMostAttempts));
    command->add_flag("--json", arguments->json, "As JSON");
    command->add_flag("--worst", arguments->worst, "Those in trouble alone: inactive, failing, or a minute behind");
    command->add_option("--limit", arguments->limit, "How many at most")
        ->check(CLI::Range(1, kMostWebhooks, "NUMBER"))
        ->capture_default_str();
    command->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) { return show_webhooks(loaded.config, *arguments); };
    });
}

}  // namespace workforce::cli
