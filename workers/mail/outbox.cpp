// Rows of ops.outbox.
#include "workers/mail/outbox.hpp"

#include "core/json_io.hpp"

namespace workforce::workers {
namespace {

// It need not wait for the disk: the commit that finishes the work comes later, and takes this one with it.
constexpr core::Statement kAdd{"outbox_add",
                               "INSERT INTO ops.outbox (id, organization_id, person, sealed, state)"
                               " SELECT $1::uuid, $2::bigint, $3::text, $4::bytea, $5::text"
                               " FROM set_config('synchronous_commit', 'off', true)"
                               " ON CONFLICT (id) DO NOTHING"};
constexpr core::Statement kList{"outbox_list",
                                "SELECT id, created_at, organization_id, person, sealed, state, attempts, last_error"
                                " FROM ops.outbox"
                                " ORDER BY created_at DESC, id DESC LIMIT $1"};

}  // namespace

void Outbox::send(Mail const& mail) {
    auto const sealed = seal_for(keyring_, mail.person, kOutboxPlace, core::to_json(mail.text));
    if (!sealed) return;
    sessions_.run([&](core::Connection& connection) {
        connection.execute(kAdd, mail.id, mail.organization, mail.person, core::Bytes{*sealed},
                           core::enum_name(leaves_ ? MailState::waiting : MailState::kept));
    });
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
        auto const json = open_for(keyring, mail.person, kOutboxPlace, core::read_bytes(row["sealed"]));
        if (json) mail.text = core::from_stored_json<MailText>(*json);
    }
    return mails;
}

}  // namespace workforce::workers
