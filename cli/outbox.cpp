// `workforce outbox`: the mails that were written, and what became of them.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/print_table.hpp"
#include "core/pretty_json.hpp"
#include "events/master_key_table.hpp"
#include "events/postgres_keyring.hpp"
#include "workers/mail/delivery.hpp"
#include "workers/mail/outbox.hpp"
#include "workers/runtime.hpp"

namespace workforce::cli {
namespace {

constexpr int kShown = 50;
constexpr int kMost = 10'000;

struct OutboxArguments {
    bool json = false;
    int limit = kShown;
    std::vector<std::string> ids{};
};

/// A mail as operators are shown it; the last three are empty once it was sent, or the person was erased.
struct MailRow {
    std::string id;
    core::Timestamp at;
    core::Id organizationId = 0;
    std::string person;
    workers::MailState state = workers::MailState::kept;
    int attempts = 0;
    std::string lastError{};
    bool erased = false;
    std::string to{};
    std::string subject{};
    std::string text{};
};
BOOST_DESCRIBE_STRUCT(MailRow, (),
                      (id, at, organizationId, person, state, attempts, lastError, erased, to, subject, text))

struct MailList {
    std::vector<MailRow> mails;
};
BOOST_DESCRIBE_STRUCT(MailList, (), (mails))

core::Connection open_outbox(core::Config const& config) {
    return core::Connection(workers::session(config, "workforce_writer", "workforce outbox"));
}

MailList read_mails(core::Config const& configured, int limit) {
    auto const config = workers::checked(configured);
    auto connection = open_outbox(config);
    events::PostgresKeyring keyring(
        {config.database_url, "workforce_writer", events::load_master_keys(config, connection), 1});
    MailList list;
    for (auto& mail : workers::list_outbox(connection, keyring, limit)) {
        auto text = mail.text.value_or(workers::MailText{});
        bool const erased = !mail.text && mail.state != workers::MailState::sent;
        list.mails.push_back({mail.id, mail.at, mail.organization, mail.person, mail.state, mail.attempts,
                              mail.last_error, erased, std::move(text.to), std::move(text.subject),
                              std::move(text.text)});
    }
    return list;
}

int show(core::Config const& config, OutboxArguments const& arguments) {
    auto const list = read_mails(config, arguments.limit);
    if (arguments.json) {
        fmt::print("{}", core::pretty_json(*core::parse_json(core::to_json(list))));
        return 0;
    }
    std::vector<std::vector<std::string>> rows{{"AT", "ORGANIZATION", "PERSON", "STATE", "TO", "SUBJECT", "WHY"}};
    for (auto const& each : list.mails) {
        rows.push_back({core::to_string(each.at), std::to_string(each.organizationId), each.person,
                        std::string(core::enum_name(each.state)), each.erased ? "(erased)" : each.to, each.subject,
                        each.lastError});
    }
    print_table(rows);
    return 0;
}

int retry(core::Config const& configured, OutboxArguments const& arguments) {
    auto connection = open_outbox(workers::checked(configured));
    fmt::print("mails that wait again: {}\n", workers::retry_dropped(connection, arguments.ids));
    return 0;
}

}  // namespace

void add_outbox(CommandLine& line) {
    auto const arguments = std::make_shared<OutboxArguments>();
    auto* command = line.app.add_subcommand("outbox", "Show mails and what became of them, newest first; retry");
    command->require_subcommand(0, 1);
    command->add_flag("--json", arguments->json, "As JSON, with texts");
    command->add_option("--limit", arguments->limit, "How many at most")
        ->check(CLI::Range(1, kMost, "NUMBER"))
        ->capture_default_str();
    command->callback([&line, arguments, command] {
        if (!command->get_subcommands().empty()) return;
        line.run = [arguments](core::LoadedConfig const& loaded) { return show(loaded.config, *arguments); };
    });
    auto* again = command->add_subcommand("retry", "Have mails that were dropped tried again; all where none is named");
    again->add_option("ID", arguments->ids, "Which");
    again->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) { return retry(loaded.config, *arguments); };
    });
}

}  // namespace workforce::cli
