// The attributes of a log record (CloudEvents 1.0, JSON format): those that an envelope is made of, and `source`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/json.hpp"
#include "events/envelope.hpp"

namespace workforce::events {

/// What activations call the envelope, and its newest revision: 2 has the attributes of outcomes.
inline constexpr std::string_view kEnvelopeName = "envelope";
inline constexpr std::int32_t kEnvelopeRevision = 2;

/// Writes the attributes of an event into the object that the writer is in, as that revision of the envelope has them.
void write_attributes(core::JsonWriter& w, Envelope const& meta, std::string const& source, std::string_view type,
                      std::int32_t version, std::int32_t revision = kEnvelopeRevision);

/// The envelope that a record's attributes tell, each the first of its name. Errors: DamagedEvent where one is missing
/// or malformed; UnknownEvent for a subject of an unknown kind.
Envelope read_attributes(core::JsonValue const& record);

/// One attribute that is a text; empty where there is none. Errors: DamagedEvent for one that is no string.
std::string_view attribute_text(core::JsonValue const& record, char const* name);

}  // namespace workforce::events
