// What subscribers are told of (spec 6.1): each type with who may read it and the event that causes it.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/scopes.hpp"
#include "core/text.hpp"

namespace workforce::events {

/// A type of webhook.
struct WebhookType {
    std::string_view name;        ///< as subscribers say it: `shift_posted`
    std::string_view trigger;     ///< in a sentence (spec 6.1)
    core::Permission permission;  ///< who may read what it tells of (domain 11.10)
};

/// All types that events cause, in the order of the spec.
std::span<WebhookType const> webhook_types();
/// The type of that name, or null.
WebhookType const* find_webhook_type(std::string_view name);

/// What stands for all types.
inline constexpr std::string_view kEveryType = "*";
/// The type that only the test endpoint sends.
inline constexpr std::string_view kTestType = "test";

/// Whether a subscription can name it: a type, "*", or "test", which nothing else sends.
bool can_subscribe_to(std::string_view name);

/// The types that these permissions may read; "*" where integrations.manage_webhooks lifts the narrowing.
std::vector<std::string> readable_types(core::Permissions const& permissions);

/// Of the types that a subscription names those that its creator may read. `readable` as readable_types() has it.
std::vector<std::string> effective_types(std::span<core::ShortText const> named, std::span<std::string const> readable);

/// Of the types that a subscription delivers those that a replay asks for; `wanted` empty: all.
std::vector<std::string> types_to_replay(std::vector<std::string> const& effective,
                                         std::vector<std::string> const& wanted);

/// Whether a type is among these, or "*" is.
bool includes_type(std::span<std::string const> types, std::string_view type);

/// Members of the metadata that the system sets.
inline constexpr auto kReservedMetadata =
    std::to_array<std::string_view>({"disabledReason", "disabledAt", "lastError"});

}  // namespace workforce::events
