// The tables beside log and read models: which of them a backup takes, what a restore makes of them, and how an erasure
// reaches what they hold of a person. A migration that adds one adds its row here; a test compares the two.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace workforce::cli {

/// When a backup takes a table.
enum class Taken : std::uint8_t {
    never,
    before_log,  ///< what follows the log, and so must not be ahead of it
    after_log,   ///< what is stored before the event that needs it
    with_keys,   ///< after the log, apart from it
};

struct SideTable {
    std::string_view name;
    Taken taken = Taken::never;
    std::string_view restore;  ///< what comes of the rows
    std::string_view erasure;
    int since = 0;       ///< the migration that made it, where a restore takes backups of before as well
    bool apart = false;  ///< kept with the keys: it tells of persons what no destroyed key takes away
};

inline constexpr std::string_view kKeyTable = "vault.person_key";
inline constexpr std::string_view kKeptKeyTable = "vault.kept_key";
inline constexpr std::string_view kSecretTable = "auth.api_key_secret";
inline constexpr std::string_view kReservationTable = "ops.reservation";
inline constexpr std::string_view kAddressTable = "ops.user_email";  ///< in its place in backups of before schema 24
inline constexpr std::string_view kReactorCheckpoints = "reactor.checkpoint";

inline constexpr auto kSideTables = std::to_array<SideTable>({
    {"ops.lease", Taken::never, "none: processes make them", "nothing personal"},
    {"ops.process", Taken::never, "none: processes make them", "nothing personal"},
    {"ops.job", Taken::never, "none: processes make them", "nothing personal"},
    {"ops.event_activation", Taken::never, "none: the first process activates what it knows", "nothing personal"},
    {"ops.last_write", Taken::never, "none: they matter for seconds", "nothing personal"},
    {"ops.rate_limit", Taken::never, "none: windows begin anew", "nothing personal"},
    {"ops.organization_home", Taken::after_log, "as they were", "nothing personal"},
    {"ops.organization_request", Taken::after_log, "as they were", "nothing personal", 37},
    {kReservationTable, Taken::after_log, "those of users who were erased are freed", "deleted with the person's key"},
    {kSecretTable, Taken::after_log, "as they were; revoked are those of the log and of the tombstones",
     "nothing personal"},
    {"auth.shown_secret", Taken::never, "none: a retry gets no secret", "nothing personal"},
    {"auth.account_standing", Taken::never, "which accounts are active, as the log says", "nothing personal"},
    {"auth.account_right", Taken::never, "what users may do, as the log says", "nothing personal"},
    {"auth.api_key_use", Taken::never, "none: keys were not used yet", "addresses of keys of the person are emptied"},
    {"auth.request_origin", Taken::never, "none: where requests came from is known of the installation's own alone",
     "rows of the person's requests are deleted"},
    {"ops.mcp_stream", Taken::never, "none: they matter for minutes", "deleted, whoever's they are"},
    {"ops.mcp_frame", Taken::never, "none: they matter for minutes", "deleted with their streams"},
    {"auth.signing_secret", Taken::after_log, "as they were, under the master key of the backup", "nothing personal",
     43},
    {"auth.signing_key", Taken::never, "none: processes make one, and tokens of before end", "nothing personal"},
    {"auth.password", Taken::after_log, "as they were, but for users who were erased; or none, where that is asked for",
     "deleted with the person's key", 39, true},
    {"auth.mfa", Taken::after_log, "as they were, but for users who were erased", "deleted with the person's key", 81,
     true},
    {"auth.mfa_recovery", Taken::after_log, "as they were, but for users who were erased",
     "deleted with the person's key", 81, true},
    {"auth.calendar_token", Taken::never, "none: addresses of calendars end", "deleted with the person's key"},
    {"auth.session", Taken::never, "none: all sessions end", "deleted with the person's key"},
    {"auth.sign_in_failure", Taken::never, "none: they matter for minutes", "deleted with the person's key"},
    {"auth.link", Taken::never, "none: links by mail end", "deleted with the person's key"},
    {"auth.sign_in_record", Taken::never, "none: the log tells what it was told of", "deleted with the person's key"},
    {"auth.oauth_client", Taken::after_log, "as they were", "nothing personal", 80},
    {"auth.oauth_document", Taken::never, "none: they are fetched again", "nothing personal"},
    {"auth.oauth_code", Taken::never, "none: who was asked is asked again", "nothing personal; ended with the grants"},
    {"auth.oauth_device", Taken::never, "none: devices ask anew", "addresses of devices go within the hour"},
    {"auth.oauth_guess", Taken::never, "none: they matter for minutes", "nothing personal"},
    {"auth.oauth_chain", Taken::never, "none: all tokens end", "nothing personal; ended with the grants"},
    {"auth.oauth_refresh", Taken::never, "none: all tokens end", "nothing personal; ended with the grants"},
    {"vault.master_key", Taken::never, "none: the restore records the one that opens the keys", "nothing personal"},
    {kKeptKeyTable, Taken::with_keys, "as they were", "nothing personal"},
    {kKeyTable, Taken::with_keys, "as they were; destroyed are those of persons erased since", "the key is destroyed"},
    // Of one moment: what was done is gone from the work, and stands in the outbox.
    {kReactorCheckpoints, Taken::before_log, "as they were; a reactor that has none begins at the log's head",
     "nothing personal"},
    {"reactor.poison", Taken::before_log, "as they were", "nothing personal"},
    {"reactor.poison_decision", Taken::before_log, "as they were", "nothing personal"},
    {"reactor.pause", Taken::before_log, "as they were; and reactors, due jobs and mails are paused",
     "nothing personal"},
    {"reactor.inactive_organization", Taken::before_log, "as they were", "nothing personal", 53},
    {"reactor.shift_mail_staff", Taken::before_log, "as they were",
     "sealed under the person's key; deleted when the erasure is folded"},
    {"reactor.shift_mail_shift", Taken::before_log, "as they were", "nothing personal"},
    {"reactor.shift_mail_work", Taken::before_log, "as they were; done once reactors are resumed",
     "sealed under the person's key; dropped when it is due"},
    {"reactor.notification_user", Taken::before_log, "as they were", "deleted when the erasure is folded"},
    {"reactor.notification_shift", Taken::before_log, "as they were", "nothing personal"},
    {"reactor.notification_webhook", Taken::before_log, "as they were", "nothing personal"},
    {"reactor.notification_payroll_run", Taken::before_log, "as they were", "nothing personal", 72},
    {"reactor.notification_work", Taken::before_log, "as they were; done once reactors are resumed",
     "nothing personal; comes to nothing when it is done"},
    {"reactor.approval_work", Taken::before_log, "as they were; done once reactors are resumed", "nothing personal",
     83},
    {"reactor.message_mail_work", Taken::before_log, "as they were; done once reactors are resumed", "nothing personal",
     110},
    {"reactor.trigger_rule", Taken::before_log, "as they were", "nothing personal", 90},
    {"reactor.trigger_work", Taken::before_log, "as they were; done once reactors are resumed", "nothing personal", 90},
    {"reactor.webhook_subscription", Taken::before_log, "as they were", "nothing personal", 43},
    {"reactor.webhook_reader", Taken::before_log, "as they were", "nothing personal", 46},
    {"reactor.webhook_lead", Taken::before_log, "as they were",
     "sealed under the lead's key; deleted when the erasure is folded", 43},
    {"reactor.webhook_delivery", Taken::before_log, "as they were; sent once reactors are resumed", "nothing personal",
     43},
    {"reactor.webhook_queue", Taken::before_log, "as they were", "nothing personal", 43},
    {"ops.webhook_body", Taken::before_log, "as they were", "sealed under the person's key", 43},
    {"ops.webhook_attempt", Taken::before_log, "as they were", "responses to what names the person are emptied", 43,
     true},
    {"reactor.payroll_run", Taken::before_log, "as they were", "nothing personal", 72},
    {"reactor.payroll_payments", Taken::before_log, "as they were", "nothing personal", 72},
    {"reactor.payroll_work", Taken::before_log, "as they were; submitted under the same keys once reactors are resumed",
     "nothing personal", 72},
    {"reactor.payroll_attempt", Taken::before_log, "as they were; asked for once reactors are resumed",
     "nothing personal", 72},
    {"reactor.payroll_callback", Taken::never, "none: the provider is asked instead",
     "reports wait for minutes, of runs that nobody knows for a week"},
    {"reactor.agent_run_work", Taken::before_log, "as it was; runs go on once reactors are resumed", "nothing personal",
     87},
    {"reactor.usage_marker", Taken::before_log, "as they were", "nothing personal", 76},
    {"reactor.usage_organization", Taken::before_log, "as they were", "nothing personal", 76},
    {"reactor.usage_payroll_run", Taken::before_log, "as they were", "nothing personal", 102},
    {"ops.billing_outbox", Taken::before_log,
     "as they were; pending rows of the last hours are sent once reactors are resumed, older ones are held",
     "nothing personal", 76},
    {"usage.call", Taken::before_log, "as they were", "left as they are: ids alone", 75},
    {"usage.open_batch", Taken::before_log, "as they were", "nothing personal", 75},
    {"usage.total", Taken::before_log, "as they were", "nothing personal", 75},
    {"usage.latency", Taken::before_log, "as they were", "nothing personal", 75},
    {"ops.outbox", Taken::before_log, "as they were; sent once mails are resumed", "sealed under the person's key"},
});

/// The names of those that a backup takes then.
inline std::vector<std::string> tables_taken(Taken when) {
    std::vector<std::string> names;
    for (auto const& table : kSideTables) {
        if (table.taken == when) names.emplace_back(table.name);
    }
    return names;
}

}  // namespace workforce::cli
