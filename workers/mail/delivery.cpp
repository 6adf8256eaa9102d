// Claims, attempts and their ends, a mail at a time: so that a server that is slow makes nobody else send it, too.
#include "workers/mail/delivery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/logging.hpp"
#include "workers/engine/inactive_organizations.hpp"
#include "workers/engine/work_table.hpp"
#include "workers/mail/outbox.hpp"
#include "workers/mail/sealed_mail.hpp"

namespace workforce::workers {
namespace {

// The session commits synchronously: nobody sends what a crash of the database would take back.
constexpr core::Statement kClaimMail{"mail_claim", R"(
WITH due AS MATERIALIZED (
    SELECT id FROM ops.outbox WHERE state = 'waiting' AND due_at <= now()
        AND NOT EXISTS (SELECT FROM reactor.pause WHERE name = $2)
    ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
UPDATE ops.outbox AS mail SET due_at = now() + $1 * interval '1 second', attempts = attempts + 1
FROM due WHERE mail.id = due.id
RETURNING mail.id, mail.organization_id, mail.person, mail.sealed, mail.created_at, mail.attempts,
    mail.created_at < now() - interval '3 days' AS late,
    EXISTS (SELECT FROM reactor.inactive_organization i
            WHERE i.reactor = 'shift_mail' AND i.organization_id = mail.organization_id) AS inactive)"};
// A text that was sent is nobody's any more, links that open accounts among it.
constexpr core::Statement kMailSent{
    "mail_sent", "UPDATE ops.outbox SET state = 'sent', sealed = '', last_error = '' WHERE id = $1::uuid"};
constexpr core::Statement kMailDropped{"mail_dropped",
                                       "UPDATE ops.outbox SET state = 'dropped', last_error = $2 WHERE id = $1::uuid"};
constexpr core::Statement kMailPostponed{
    "mail_postponed",
    "UPDATE ops.outbox SET due_at = now() + $2 * interval '1 millisecond', last_error = $3 WHERE id = $1::uuid"};
constexpr core::Statement kRetryMails{"mail_retry", R"(
UPDATE ops.outbox SET state = 'waiting', due_at = now(), attempts = 0
WHERE state = 'dropped' AND (id::text = ANY ($1::text[]) OR cardinality($1::text[]) = 0))"};
constexpr core::Statement kPruneMails{"mail_prune", R"(
DELETE FROM ops.outbox WHERE id = ANY (ARRAY(
    SELECT id FROM ops.outbox WHERE state <> 'waiting' AND created_at < now() - $1 * interval '1 day'
    ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)))"};

constexpr std::chrono::minutes kInactiveWait{1};
constexpr int kPrunedMails = 5000;  // that one statement deletes

}  // namespace

struct MailDelivery::Claimed {
    Mail mail;
    std::string sealed;
    core::Timestamp written{};
    int attempts = 0;
    bool late = false;
    bool inactive = false;  ///< its organization is not active
};

MailDelivery::MailDelivery(core::SessionPool& sessions, events::Keyring& keyring, std::unique_ptr<MailChannel> channel,
                           std::string const& name, core::Metrics& metrics)
    : sessions_(sessions), keyring_(keyring), channel_(std::move(channel)), name_(name) {
    constexpr std::array<std::string_view, 3> kOutcomes{"sent", "failed", "dropped"};
    for (std::size_t i = 0; i < kOutcomes.size(); ++i) {
        counters_.at(i) = &metrics.counter("workforce_mails_total", "Attempts to send a mail, by what came of them",
                                           {{"channel", name}, {"outcome", std::string(kOutcomes.at(i))}});
    }
}

void MailDelivery::round(std::stop_token const& stop) {
    if (std::chrono::steady_clock::now() < rests_until_) return;
    while (!stop.stop_requested()) {
        auto claimed = claim();
        if (!claimed) break;
        if (claimed->inactive) {  // it was written since those that waited were dropped, or the fold is behind
            if (claimed->late) {
                drop(*claimed, kInactiveOrganization, core::Level::info);
            } else {
                postpone(*claimed, kInactiveWait, kInactiveOrganization);
            }
            continue;
        }
        auto const result = attempt(*claimed, stop);
        if (!result) {
            drop(*claimed, "the person was erased", core::Level::info);
        } else if (result->result != Sending::unreachable) {
            settle(*claimed, *result);
            end_trouble();
        } else if (stop.stop_requested()) {
            postpone(*claimed, std::chrono::milliseconds(0), "");
        } else {
            begin_rest(*claimed, result->why);
            break;
        }
    }
    channel_->rest();
}

std::optional<MailDelivery::Claimed> MailDelivery::claim() {
    return sessions_.run([](core::Connection& connection) -> std::optional<Claimed> {
        auto const rows = connection.execute(kClaimMail, kLease.count(), kMailDelivery);
        if (rows.empty()) return std::nullopt;
        auto const row = rows[0];
        return Claimed{.mail = {core::read<std::string>(row["id"]),
                                core::read<core::Id>(row["organization_id"]),
                                core::read<std::string>(row["person"]),
                                {}},
                       .sealed = core::read_bytes(row["sealed"]),
                       .written = core::read<core::Timestamp>(row["created_at"]),
                       .attempts = core::read<int>(row["attempts"]),
                       .late = core::read<bool>(row["late"]),
                       .inactive = core::read<bool>(row["inactive"])};
    });
}

std::optional<MailAttempt> MailDelivery::attempt(Claimed& claimed, std::stop_token const& stop) {
    try {
        auto text = open_mail(keyring_, claimed.mail.person, claimed.sealed);
        if (!text) return std::nullopt;
        claimed.mail.text = *std::move(text);
        return channel_->send(claimed.mail, claimed.written, stop);
    } catch (core::DatabaseUnavailable const&) {
        throw;
    } catch (std::exception const& error) {
        return MailAttempt{Sending::deferred, error.what()};
    }
}

void MailDelivery::settle(Claimed const& claimed, MailAttempt const& attempt) {
    auto const& mail = claimed.mail;
    if (attempt.result == Sending::sent) {
        sessions_.run([&](core::Connection& connection) { connection.execute(kMailSent, mail.id); });
        counters_[sent]->Increment();
    } else if (attempt.result == Sending::refused) {
        drop(claimed, attempt.why);
    } else if (!failed_for_days(claimed, attempt.why)) {
        core::log(core::Level::info, "a mail did not leave and is tried again",
                  {{"mail", mail.id}, {"person", mail.person}, {"attempts", claimed.attempts}, {"error", attempt.why}});
        postpone(claimed, pause_after(claimed.attempts), attempt.why);
    }
}

bool MailDelivery::failed_for_days(Claimed const& claimed, std::string_view why) {
    counters_[failed]->Increment();
    if (claimed.late) drop(claimed, fmt::format("given up after days: {}", why));
    return claimed.late;
}

void MailDelivery::postpone(Claimed const& claimed, std::chrono::milliseconds pause, std::string_view why) {
    sessions_.run(
        [&](core::Connection& connection) { connection.execute(kMailPostponed, claimed.mail.id, pause.count(), why); });
}

void MailDelivery::drop(Claimed const& claimed, std::string_view why, core::Level level) {
    sessions_.run([&](core::Connection& connection) { connection.execute(kMailDropped, claimed.mail.id, why); });
    counters_[dropped]->Increment();
    core::log(level, "a mail is dropped",
              {{"mail", claimed.mail.id}, {"person", claimed.mail.person}, {"channel", name_}, {"error", why}});
}

// The mail that met the trouble goes behind the others, whose turn comes before its own again.
void MailDelivery::begin_rest(Claimed const& claimed, std::string_view why) {
    std::chrono::seconds const rest = std::min(kFirstRest * (1 << std::min(troubles_, 10)), kLongestRest);
    ++troubles_;
    rests_until_ = std::chrono::steady_clock::now() + rest;
    core::log(core::Level::warn, "no mail leaves",
              {{"channel", name_}, {"error", why}, {"rest_seconds", rest.count()}});
    if (!failed_for_days(claimed, why)) postpone(claimed, rest, why);
}

void MailDelivery::end_trouble() {
    if (std::exchange(troubles_, 0) > 0) core::log(core::Level::info, "mails leave again", {{"channel", name_}});
}

int retry_dropped(core::Connection& connection, std::vector<std::string> const& ids) {
    return static_cast<int>(connection.execute(kRetryMails, ids).affected_rows());
}

boost::asio::awaitable<void> prune_outbox(core::Database& writes, int kept_days) {
    bool more = true;
    while (more) {
        more = co_await writes.run([kept_days](core::Connection& connection) {
            return connection.execute(kPruneMails, kept_days, kPrunedMails).affected_rows() == kPrunedMails;
        });
    }
}

}  // namespace workforce::workers
