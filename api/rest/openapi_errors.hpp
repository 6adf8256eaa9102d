// Refusals in the OpenAPI document: their one schema, and which codes an operation answers with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "api/rest/route.hpp"

namespace workforce::api {

/// By their status; two of different statuses may have one name.
using CodesByStatus = std::map<std::uint16_t, std::vector<core::Code>>;

/// All codes. Thread-safe.
CodesByStatus const& all_codes();

/// The codes that the route may refuse or fail with.
CodesByStatus codes_of(Route const& route);

/// "NOT_FOUND, FORBIDDEN".
std::string names_of(std::vector<core::Code> const& codes);

/// Writes the members of an open schema object: the envelope of every refusal (spec 2.10).
void write_error_schema(core::JsonWriter& w, operations::Components& components);

/// Writes the member `examples` of a media type: a refusal for each code, by its name.
void write_error_examples(core::JsonWriter& w, std::vector<core::Code> const& codes);

/// Whether asking changes something.
bool changes(Route const& route);
/// Whether the route answers with what its path names, and not with something new.
bool of_its_id(Route const& route);
/// Whether idempotency keys act on it (spec 8).
bool is_keyed(Route const& route);

}  // namespace workforce::api
