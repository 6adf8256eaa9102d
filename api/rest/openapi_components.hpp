// What operations and components of the OpenAPI document are both written with, and the components.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json_io.hpp"
#include "operations/schema/components.hpp"

namespace workforce::api {

/// Members of an open schema object: texts of which one has to stand there.
void write_enum(core::JsonWriter& w, std::vector<std::string> const& values);
/// The member `schema` of an id.
void write_id_schema(core::JsonWriter& w);

/// The headers of answers to API keys with that status (specification 8), into an open object; people's have none.
void write_limit_headers(core::JsonWriter& w, std::uint16_t status);
/// The version of an answer, and what is told of one that is deprecated, into an open object.
void write_version_headers(core::JsonWriter& w);

/// The member `components`, with the schemas that were referred to so far.
void write_components(core::JsonWriter& w, operations::Components& components);

}  // namespace workforce::api
