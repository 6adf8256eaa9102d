// What subscribers are told of an event: `data` for each type (domain 7.1), and the bytes that are signed and sent.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/text.hpp"
#include "events/catalogue.hpp"

namespace workforce::workers {

using core::Id;

/// What is known of a lead that payloads tell, as the event before left it. The name is personal.
struct LeadBrief {
    std::string name;
    std::string company;
    events::LeadStatus status = events::LeadStatus::new_;
    core::Nullable<events::LeadStatus> previousStatus;
    core::Nullable<Id> ownerUserId;
    core::Nullable<Id> facilityId;
};
BOOST_DESCRIBE_STRUCT(LeadBrief, (), (name, company, status, previousStatus, ownerUserId, facilityId))

/// Folds one event into it. Nothing is left of a lead that was deleted or erased.
void fold(std::optional<LeadBrief>& lead, events::LeadEvent const& event);

/// What an event is to subscribers.
struct WebhookMessage {
    std::string_view type;       ///< of events::webhook_types()
    std::vector<Id> facilities;  ///< where it happened; empty: in the organization as a whole
    std::string person;          ///< whose personal data it tells ("lead/7"); empty: nobody's
    std::string body;            ///< `{id, type, data, occurredAt}`
};

/// The message of an event, or nothing where no subscriber hears of it. `lead` is the event's lead, where it is one's.
/// Pure.
std::optional<WebhookMessage> message_of(events::Event const& event, std::optional<LeadBrief> const& lead);

/// The body of a test.
std::string test_body(std::string_view id, Id webhook, core::Timestamp now);

}  // namespace workforce::workers
