// Rows of auth.sign_in_record, and of auth.link that wait for their mail.
#include "workers/jobs/sign_in_records.hpp"

#include <fmt/format.h>

#include <exception>
#include <set>
#include <utility>

#include "core/logging.hpp"
#include "workers/sql.hpp"

namespace workforce::workers {
namespace {

using boost::asio::awaitable;

constexpr core::Statement kRecords{"sign_in_records", R"(
SELECT r.id, r.key, r.organization_id, r.user_id, r.operation, r.body, r.request_id FROM auth.sign_in_record r
JOIN ops.organization_home h ON h.organization_id = r.organization_id AND h.partition = ANY ($1::int[])
ORDER BY r.id LIMIT 200)"};
// Of names that nobody has, which are there for the work that they are alone (password_store.cpp).
constexpr core::Statement kForgetNobodys{"sign_in_forget_nobodys", R"(
WITH records AS (DELETE FROM auth.sign_in_record WHERE organization_id = 0)
DELETE FROM auth.request_origin WHERE organization_id = 0)"};
constexpr core::Statement kTold{"sign_in_told", "DELETE FROM auth.sign_in_record WHERE id = ANY ($1::bigint[])"};
// Rows are locked in one order; those that somebody counts in now are left to the next round.
constexpr core::Statement kEndLocks{"sign_in_end_locks", R"(
WITH ended AS (
    DELETE FROM auth.sign_in_failure WHERE account = ANY (ARRAY(
        SELECT account FROM auth.sign_in_failure WHERE locked_until <= now() ORDER BY account FOR UPDATE SKIP LOCKED))
    RETURNING organization_id, user_id
)
INSERT INTO auth.sign_in_record (organization_id, user_id, operation)
SELECT organization_id, user_id, 'users.unlock' FROM ended WHERE user_id IS NOT NULL)"};
constexpr core::Statement kForgetFailures{"sign_in_forget_failures", R"(
DELETE FROM auth.sign_in_failure WHERE account = ANY (ARRAY(
    SELECT account FROM auth.sign_in_failure WHERE began_at < now() - interval '15 minutes' AND locked_until IS NULL
    ORDER BY account LIMIT 1000 FOR UPDATE SKIP LOCKED)))"};

constexpr core::Statement kForgetLinks{"sign_in_forget_links", "DELETE FROM auth.link WHERE ends_at < now()"};
// A user whose making failed, and whose process did not live to forget the password. A week is more than any read model
// is behind.
constexpr core::Statement kForgetPasswords{"sign_in_forget_passwords", R"(
DELETE FROM auth.password p WHERE p.set_at < now() - interval '7 days' AND NOT EXISTS (
    SELECT FROM ops.reservation r WHERE r.kind = 'user' AND r.subject_id = p.user_id))"};

constexpr core::Statement kToMail{"links_to_mail", sql::jobs_links_to_mail};
constexpr core::Statement kMailed{"links_mailed", "UPDATE auth.link SET mailed_at = now() WHERE id = $1::uuid"};

struct SignInRecord {
    core::Id id = 0;
    OperationRequest request;
};

std::vector<SignInRecord> read_records(core::Connection& connection, std::vector<int> const& partitions) {
    connection.execute(kEndLocks);
    connection.execute(kForgetFailures);
    connection.execute(kForgetNobodys);
    std::vector<SignInRecord> records;
    for (auto const& row : connection.execute(kRecords, partitions)) {
        records.push_back({core::read<core::Id>(row[0]),
                           {.verb = core::read<std::string>(row[4]),
                            .organization = core::read<core::Id>(row[2]),
                            .id = core::read<core::Id>(row[3]),
                            .body = core::read<std::string>(row[5]),
                            .key = "sign-in " + core::read<std::string>(row[1]),
                            .correlation_id = core::read<std::string>(row[6])}});
    }
    return records;
}

/// Asks for each; of an organization until one can't be done now. Returns those that need not be asked for again.
awaitable<std::vector<core::Id>> ask_for(std::vector<SignInRecord> records, AskOperation const& ask) {
    std::vector<core::Id> told;
    std::set<core::Id> waiting;
    for (auto& record : records) {
        auto const organization = record.request.organization;
        if (waiting.contains(organization)) continue;
        auto const answer = co_await ask(std::move(record.request));
        if (answer || answer.error().code == core::Code::not_found) {
            told.push_back(record.id);
        } else {
            waiting.insert(organization);
        }
    }
    co_return told;
}

MailText text_of(LinkPurpose purpose, std::string to, std::string_view name, std::string const& base_url,
                 std::string const& token) {
    if (purpose == LinkPurpose::invite) {
        return {std::move(to), "Your invitation",
                fmt::format("Hello {},\n\nyou were invited to the workforce platform. Set your password within 72 "
                            "hours:\n\n{}/invite/{}\n",
                            name, base_url, token)};
    }
    return {std::move(to), "Set a new password",
            fmt::format("Hello {},\n\nsomebody, maybe you, asked for a new password. Set it within an hour:\n\n"
                        "{}/reset/{}\n\nIf it was not you, nothing needs to be done.\n",
                        name, base_url, token)};
}

}  // namespace

awaitable<void> tell_sign_ins(core::Database& writes, std::vector<int> partitions, AskOperation ask) {
    if (partitions.empty()) co_return;
    auto records = co_await writes.run([partitions = std::move(partitions)](core::Connection& connection) {
        return read_records(connection, partitions);
    });
    if (records.empty()) co_return;
    auto told = co_await ask_for(std::move(records), ask);
    if (told.empty()) co_return;
    co_await writes.execute(kTold, told);
}

awaitable<void> forget_sign_in_rests(core::Database& writes) {
    co_await writes.run([](core::Connection& connection) {
        connection.execute(kForgetLinks);
        connection.execute(kForgetPasswords);
    });
}

void mail_links(core::SessionPool& readers, core::SessionPool& writers, PasswordStore const& passwords, Mailer& mailer,
                std::string const& base_url) {
    std::vector<Mail> mails;
    readers.run([&](core::Connection& connection) {
        mails.clear();
        for (auto const& row : connection.execute(kToMail)) {
            auto const id = core::read<std::string>(row["id"]);
            auto const purpose = core::parse_enum<LinkPurpose>(core::read<std::string>(row["purpose"])).value();
            mails.push_back({id, core::read<core::Id>(row["organization_id"]),
                             fmt::format("user/{}", core::read<core::Id>(row["user_id"])),
                             text_of(purpose, core::read<std::string>(row["email"]),
                                     core::read<std::string>(row["first_name"]), base_url, passwords.token_of(id))});
        }
    });
    for (auto const& mail : mails) {
        try {
            mailer.send({&mail, 1});
        } catch (std::exception const& error) {  // others are not kept back by it
            core::log(core::Level::warn, "a mail could not be sent and is tried again",
                      {{"mail", mail.id}, {"person", mail.person}, {"error", error.what()}});
            continue;
        }
        writers.run([&](core::Connection& connection) { connection.execute(kMailed, mail.id); });
    }
}

}  // namespace workforce::workers
