// The answer of a command that carried an idempotency key: what a retry is told again.
#pragma once

#include <variant>

#include "events/resource.hpp"

namespace workforce::events {

/// Ends the events of a keyed command, 2xx or refusal. Key and fingerprint stand in the envelope.
struct CommandAnswered {
    std::int32_t status = 200;
    std::string location;      ///< Location header, or empty
    std::int64_t version = 0;  ///< the aggregate version for the ETag, 0 for none
    core::Internal<std::string>
        sealedFor;  ///< whose key seals the body: the person that it tells of, else the organization
    core::Personal<std::string> body;

    static constexpr std::string_view kType = "command.answered";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(CommandAnswered, (), (status, location, version, sealedFor, body))

using CommandEvent = std::variant<CommandAnswered>;

template <>
struct Aggregate<Kind::command> : Declared<void, CommandEvent> {
    static constexpr Residence kResidence = Residence::none;
    static constexpr bool kInActivity = false;
};

}  // namespace workforce::events
