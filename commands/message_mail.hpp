// How messages leave by e-mail: what the installation itself asks for.
#pragma once

#include <string>
#include <vector>

#include "commands/message.hpp"

namespace workforce::commands {

/// Somebody to whom a message waits to be sent.
struct MailRecipient {
    events::ParticipantType type = events::ParticipantType::user;
    Id id = 0;
    std::string address;  ///< empty: they have none any more
};
BOOST_DESCRIBE_STRUCT(MailRecipient, (), (type, id, address))

/// A message on its way by e-mail.
struct MessageMails {
    std::string conversation;  ///< whose key seals what it says: "conversation/42"
    std::string subject;
    std::string body;
    std::string withheld;  ///< why it is not sent any more: retracted, erased; else empty
    std::vector<MailRecipient> recipients;
};
BOOST_DESCRIBE_STRUCT(MessageMails, (), (conversation, subject, body, withheld, recipients))

/// The mails that a message waits to be sent as. Their recipients are empty where it was deleted, or where there is
/// none.
MessageMails message_mails(View const& view, Id message);

/// How it stands with recipients who waited. Those who do not wait are left as they are.
struct SettleDeliveries {
    using Answer = Nothing;
    Id id = 0;
    std::vector<events::MessageDelivery> deliveries;
};
BOOST_DESCRIBE_STRUCT(SettleDeliveries, (), (deliveries))
Result<Decision> decide(View const& view, SettleDeliveries const& command, Context const& context);

}  // namespace workforce::commands
