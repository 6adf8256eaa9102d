// A row of work for each message that goes to somebody by e-mail.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/json_values.hpp"
#include "events/event.hpp"
#include "events/message.hpp"
#include "workers/mail/mailer.hpp"
#include "workers/reactors/reactors.hpp"
#include "workers/reactors/usage.hpp"

namespace workforce::workers {
namespace {

constexpr std::string_view kMessageMail = "message_mail";
constexpr std::string_view kUntitled = "You have a message";

constexpr core::Statement kAddMessageWork{"message_mail_add_work", R"(
INSERT INTO message_mail_work (id, partition, position, organization_id, is_sandbox, message_id, correlation_id)
VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING)"};

bool waits_for_mail(events::AnyEvent const& event) {
    auto const* sent = events::get_if<events::MessageSent>(event);
    return sent && std::ranges::any_of(sent->deliveries, [](events::MessageDelivery const& each) {
               return each.channel == events::MessageChannel::email && each.status == events::DeliveryStatus::queued;
           });
}

/// One batch of a partition's events, folded within a transaction.
struct MessageMailBatch {
    core::Connection& connection;
    events::Keyring& keyring;
    int partition;

    void fold(std::span<events::Event const> events) {
        std::optional<std::int64_t> acts_from;
        for (auto const& [meta, data] : events) {
            if (!waits_for_mail(data)) continue;
            if (!acts_from) acts_from = acts_after(connection, kMessageMail, partition);
            if (meta.position <= *acts_from) continue;
            connection.execute(kAddMessageWork, meta.id, partition, meta.position, meta.organization, meta.sandbox,
                               meta.subject.id, meta.correlation());
        }
    }
};

OperationRequest message_request(pqxx::row const& row, std::string verb) {
    return {.verb = std::move(verb),
            .organization = core::read<core::Id>(row["organization_id"]),
            .sandbox = core::read<bool>(row["is_sandbox"]),
            .id = core::read<core::Id>(row["message_id"]),
            .key = {},
            .correlation_id = core::read<std::string>(row["correlation_id"]),
            .event_id = core::read<std::string>(row["id"])};
}

/// What a message says, and how it stands with those to whom it waits to be sent once the mails are handed over.
struct MessageBatch {
    std::vector<Mail> mails;
    std::vector<std::size_t> delivery_of;  ///< by mail, the place of its delivery
    std::vector<events::MessageDelivery> deliveries;
};

void fail(events::MessageDelivery& delivery, std::string why) {
    delivery.status = events::DeliveryStatus::failed;
    delivery.error = std::move(why);
}

MessageBatch batch_of(core::JsonValue const& told, core::Id message, core::Id organization) {
    auto const text = [&](char const* name) { return std::string(core::text_of(told[name])); };
    auto const withheld = text("withheld");
    auto const conversation = text("conversation");
    auto const subject = text("subject").empty() ? std::string(kUntitled) : text("subject");
    MessageBatch batch;
    for (auto const& recipient : told["recipients"].GetArray()) {
        events::MessageDelivery delivery;
        core::JsonReader reader(core::JsonReader::Trust::stored);
        core::JsonType<events::ParticipantType>::read(recipient["type"], delivery.recipientType, reader);
        delivery.recipientId = recipient["id"].GetInt64();
        delivery.channel = events::MessageChannel::email;
        delivery.status = events::DeliveryStatus::sent;
        std::string address(core::text_of(recipient["address"]));
        if (!withheld.empty() || address.empty()) {
            fail(delivery, withheld.empty() ? "no_address" : withheld);
        } else {
            auto person = fmt::format("{}/{}", core::enum_name(delivery.recipientType), delivery.recipientId);
            auto id = request_uuid(fmt::format("message/{}/{}", message, person));
            batch.delivery_of.push_back(batch.deliveries.size());
            batch.mails.push_back({.id = std::move(id),
                                   .organization = organization,
                                   .person = std::move(person),
                                   .text = {std::move(address), subject, text("body") + '\n'},
                                   .about = conversation});
        }
        batch.deliveries.push_back(std::move(delivery));
    }
    return batch;
}

void send_message_mails(std::span<pqxx::row const> rows, Effects const& effects) {
    auto const& row = rows.front();  // it takes one at a time
    auto asked = message_request(row, "messages.mails");
    auto const organization = asked.organization;
    auto const message = asked.id;
    auto const answer = submit_or_throw(effects, std::move(asked));
    auto const told = core::parse_json(answer.body);
    if (!told) throw std::runtime_error("no mails");
    auto batch = batch_of(*told, message, organization);
    if (batch.deliveries.empty()) return;
    if (!batch.mails.empty()) {
        std::vector<std::string> persons{batch.mails.front().about};
        for (auto const& mail : batch.mails) persons.push_back(mail.person);
        effects.keyring.prefetch(persons);
        for (auto const lost : effects.mailer.send(batch.mails))
            fail(batch.deliveries.at(batch.delivery_of.at(lost)), "erased");
    }
    auto settled = message_request(row, "messages.settle_deliveries");
    core::JsonWriter w;
    w.begin_object();
    w.key("deliveries");
    core::write_json(w, batch.deliveries);
    w.end_object();
    settled.body = w.take();
    settled.key = fmt::format("{}/{}", kMessageMail, settled.event_id);
    submit_or_throw(effects, std::move(settled));
}

}  // namespace

ReactorType message_mail() {
    static WorkTable const work(kMessageMail, "message_mail_work");
    return {.name = kMessageMail,
            .revision = 1,
            .kinds = {events::Kind::message},
            .make = fold_by<MessageMailBatch>,
            .work = &work,
            .perform = send_message_mails};
}

}  // namespace workforce::workers
