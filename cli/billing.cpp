// `workforce billing`: what the billing meter has heard of, and what operators decide of the rest.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/print_table.hpp"
#include "core/pretty_json.hpp"
#include "core/sql_values.hpp"
#include "workers/billing/delivery.hpp"
#include "workers/runtime.hpp"

namespace workforce::cli {
namespace {

constexpr int kBillsShown = 50;
constexpr int kMostBills = 10'000;

constexpr core::Statement kListBills{"billing_list", R"(
SELECT id, organization_id, event_name, coalesce(subject, '') AS subject, identifier, occurred_at, status, attempts, last_error
FROM ops.billing_outbox WHERE $1 = '' OR status = $1 ORDER BY id DESC LIMIT $2)"};

struct BillingArguments {
    bool json = false;
    int limit = kBillsShown;
    std::string status{};
    std::vector<core::Id> ids{};
};

/// A row as operators are shown it.
struct ListedBill {
    core::Id id = 0;
    core::Id organizationId = 0;
    std::string eventName;
    std::string subject;
    std::string identifier;
    core::Timestamp occurredAt;
    std::string status;
    int attempts = 0;
    std::string lastError;
};
BOOST_DESCRIBE_STRUCT(ListedBill, (),
                      (id, organizationId, eventName, subject, identifier, occurredAt, status, attempts, lastError))

struct BillList {
    std::vector<ListedBill> bills;
};
BOOST_DESCRIBE_STRUCT(BillList, (), (bills))

core::Connection open_billing(core::Config const& configured) {
    return core::Connection(workers::session(workers::checked(configured), "workforce_writer", "workforce billing"));
}

BillList read_bills(core::Connection& connection, BillingArguments const& arguments) {
    BillList list;
    for (auto const& row : connection.execute(kListBills, arguments.status, arguments.limit)) {
        list.bills.push_back({core::read<core::Id>(row["id"]), core::read<core::Id>(row["organization_id"]),
                              core::read<std::string>(row["event_name"]), core::read<std::string>(row["subject"]),
                              core::read<std::string>(row["identifier"]),
                              core::read<core::Timestamp>(row["occurred_at"]), core::read<std::string>(row["status"]),
                              core::read<int>(row["attempts"]), core::read<std::string>(row["last_error"])});
    }
    return list;
}

int list(core::Config const& config, BillingArguments const& arguments) {
    auto connection = open_billing(config);
    auto const found = read_bills(connection, arguments);
    if (arguments.json) {
        fmt::print("{}", core::pretty_json(*core::parse_json(core::to_json(found))));
        return 0;
    }
    std::vector<std::vector<std::string>> rows{
        {"ID", "AT", "ORGANIZATION", "OUTCOME", "SUBJECT", "STATUS", "ATTEMPTS", "WHY"}};
    for (auto const& each : found.bills) {
        rows.push_back({std::to_string(each.id), core::to_string(each.occurredAt), std::to_string(each.organizationId),
                        each.eventName, each.subject, each.status, std::to_string(each.attempts), each.lastError});
    }
    print_table(rows);
    return 0;
}

}  // namespace

void add_billing(CommandLine& line) {
    auto const arguments = std::make_shared<BillingArguments>();
    auto* command = line.app.add_subcommand("billing", "Outcomes for the billing meter: list, resend, drop");
    command->require_subcommand(1);
    auto* listed = command->add_subcommand("list", "Show rows, newest first");
    listed->add_flag("--json", arguments->json, "As JSON");
    listed->add_option("--status", arguments->status, "Only those that stand so")
        ->check(CLI::IsMember({"pending", "sent", "dead", "held", "no_subject"}));
    listed->add_option("--limit", arguments->limit, "How many at most")
        ->check(CLI::Range(1, kMostBills, "NUMBER"))
        ->capture_default_str();
    listed->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) { return list(loaded.config, *arguments); };
    });
    auto const deciding = [&](char const* name, char const* help, char const* told,
                              int (*decide)(core::Connection&, std::vector<core::Id> const&)) {
        auto* decision = command->add_subcommand(name, help);
        decision->add_option("ID", arguments->ids, "Which")->required();
        decision->callback([&line, arguments, told, decide] {
            line.run = [arguments, told, decide](core::LoadedConfig const& loaded) {
                auto connection = open_billing(loaded.config);
                fmt::print("{}: {}\n", told, decide(connection, arguments->ids));
                return 0;
            };
        });
    };
    deciding("resend",
             "Have rows that are dead, held or without a subject sent, under their identifiers: a meter that has "
             "forgotten those after a day bills once more",
             "rows to be sent", workers::resend_bills);
    deciding("drop", "End such rows: nobody is billed for them", "rows dropped", workers::drop_bills);
}

}  // namespace workforce::cli
