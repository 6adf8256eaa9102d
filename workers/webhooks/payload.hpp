// What subscribers are told of an event: the bytes that are signed and sent. Members of `data`: payload_data.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/text.hpp"
#include "events/event.hpp"
#include "events/lead.hpp"

namespace workforce::workers {

using core::Id;

/// What is known of a lead that payloads tell, as the event before left it. The name is personal.
struct LeadBrief {
    static constexpr std::string_view kTable = "webhook_lead";  // where the reactor keeps it (folded_rows.hpp)
    static constexpr std::string_view kId = "lead_id";
    static constexpr auto kPerson = events::Kind::lead;
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

/// The types that there are messages of; besides these only tests are sent.
std::vector<std::string_view> message_types();

/// The body of a test.
std::string test_body(std::string_view id, Id webhook, core::Timestamp now);

}  // namespace workforce::workers
