// The member `webhooks` of the OpenAPI document.
#pragma once

#include "core/json_io.hpp"
#include "operations/schema/components.hpp"

namespace workforce::api {

/// Writes the member: for each type of event the request that subscribers get.
void write_webhooks(core::JsonWriter& w, operations::Components& components);

}  // namespace workforce::api
