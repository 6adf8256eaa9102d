// What the audit log records (domain 1.9). What happens to kinds that the activity feed shows (events/aggregate.hpp) is
// work, and leaves no entry unless a rule says so; each type of event of other kinds has a rule.
#pragma once

#include <span>
#include <string_view>

#include "events/event.hpp"

namespace workforce::projections {

/// What becomes of events of one type.
struct AuditRule {
    std::string_view event;   ///< the type
    std::string_view action;  ///< of their entries; empty: they leave none
    std::string_view reason;  ///< why they leave none, though the feed does not show them
    /// Whether an event leaves an entry; null: all do.
    bool (*applies)(events::AnyEvent const& event) = nullptr;
    /// Adds what the metadata has of an event besides; null: nothing. Nothing personal, for entries stay.
    void (*tell)(core::JsonWriter& w, events::AnyEvent const& event) = nullptr;
    /// The subject, a user, is who acted: the installation records it for them.
    bool by_subject = false;
};

/// All rules.
std::span<AuditRule const> audit_rules();

/// The rule by which the event leaves an entry; null where it leaves none.
AuditRule const* audit_rule(events::Event const& event);

}  // namespace workforce::projections
