// The member `webhooks` of the OpenAPI document.
#pragma once

#include <span>
#include <string_view>

#include "core/json_io.hpp"
#include "operations/schema/components.hpp"

namespace workforce::api {

/// A header field of deliveries.
struct DeliveryHeader {
    std::string_view name;
    bool always = true;  ///< it is in each delivery
    std::string_view description;
};
/// All of them that tell of the event.
std::span<DeliveryHeader const> delivery_headers();

/// Writes the member: for each type of event the request that subscribers get.
void write_webhooks(core::JsonWriter& w, operations::Components& components);

}  // namespace workforce::api
