// Rows of ops.outbox.
#include "workers/mail/outbox.hpp"

#include "core/row_columns.hpp"
#include "workers/mail/sealed_mail.hpp"

namespace workforce::workers {
namespace {

// It need not wait for the disk: the commit that finishes the work comes later, and takes this one with it.
constexpr core::Statement kAdd{"outbox_add",
                               "INSERT INTO ops.outbox (id, organization_id, person, sealed, state)"
                               " SELECT mail.*, $1::text FROM set_config('synchronous_commit', 'off', true),"
                               " unnest($2::uuid[], $3::bigint[], $4::text[], $5::bytea[]) AS mail"
                               " ORDER BY 1"  // two workers with the same mails wait for each other in one order
                               " ON CONFLICT (id) DO NOTHING"};
constexpr core::Statement kList{"outbox_list",
                                "SELECT id, created_at, organization_id, person, sealed, state, attempts, last_error"
                                " FROM ops.outbox"
                                " ORDER BY created_at DESC, id DESC LIMIT $1"};

}  // namespace

std::vector<std::size_t> Outbox::send(std::span<Mail const> mails) {
    std::vector<std::tuple<std::string_view, core::Id, std::string_view, core::Blob>> rows;
    std::vector<std::size_t> lost;
    for (std::size_t i = 0; i < mails.size(); ++i) {
        auto const& mail = mails[i];
        auto text = seal_mail(keyring_, mail);
        if (!text) {
            lost.push_back(i);
            continue;
        }
        rows.emplace_back(mail.id, mail.organization, mail.person, core::Blob{*std::move(text)});
    }
    if (rows.empty()) return lost;
    auto const state = core::enum_name(leaves_ ? MailState::waiting : MailState::kept);
    sessions_.run(
        [&](core::Connection& connection) { core::execute_rows(connection, kAdd, rows, std::identity(), state); });
    return lost;
}

std::vector<OutboxMail> list_outbox(core::Connection& connection, events::Keyring& keyring, int limit) {
    std::vector<OutboxMail> mails;
    for (auto const& row : connection.execute(kList, limit)) {
        auto& mail = mails.emplace_back(
            OutboxMail{core::read<std::string>(row["id"]), core::read<core::Timestamp>(row["created_at"]),
                       core::read<core::Id>(row["organization_id"]), core::read<std::string>(row["person"]),
                       core::parse_enum<MailState>(core::read<std::string>(row["state"])).value(),
                       core::read<int>(row["attempts"]), core::read<std::string>(row["last_error"])});
        if (mail.state == MailState::sent) continue;  // its text is gone
        mail.text = open_mail(keyring, mail.person, core::read_bytes(row["sealed"]));
    }
    return mails;
}

}  // namespace workforce::workers
