// What event triggers can wait for (domain 1.11): the types of events, what each tells of itself, and filters over
// that.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "events/event.hpp"

namespace workforce::events {

/// Names of event types that a trigger can have, `shift.*` among them.
std::span<std::string_view const> trigger_event_types();

/// Whether a trigger with that event type waits for events of type `type`.
bool waits_for(std::string_view event_type, std::string_view type);

/// Members that `data` of events of a trigger's type can have, by which filters go. Empty for what is no such type.
std::vector<std::string_view> trigger_event_fields(std::string_view event_type);

/// What is wrong with a filter over events of that type, an object of names with a value each or with a list of values;
/// fields are named below "filter". A type that is none is somebody else's to refuse.
std::vector<core::FieldError> faults_of_filter(std::string_view event_type, core::JsonValue const& filter);

/// Whether each member of the filter is equal to the member of that name, or is a list with a value that is. A list in
/// `data` is equal to what is in it; what `data` lacks is equal to null.
bool passes_filter(core::JsonValue const& filter, core::JsonValue const& data);

/// An event as a trigger sees it.
struct TriggerEvent {
    std::vector<core::Id> facilities;  ///< where it happened; empty: in the organization as a whole
    std::string data;                  ///< a JSON object, nothing of it personal
};

/// Nothing for an event that no trigger can wait for. Pure.
std::optional<TriggerEvent> trigger_event(Event const& event);

}  // namespace workforce::events
