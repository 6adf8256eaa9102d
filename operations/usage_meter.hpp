// Which outcomes are metered, and what a usage row says of one (domain 8.1, 8.2).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/time.hpp"
#include "operations/operation.hpp"
#include "operations/outcome.hpp"

namespace workforce::operations {

/// A usage row, as small as can be copied: views are of text that lives as long as the program.
struct UsageRow {
    core::Timestamp at;  ///< when the request came
    CorrelationId request{};
    core::Id organization = 0;
    core::Id facility = 0;
    core::Id key = 0;  ///< 0: no API key
    core::Id user = 0;
    core::Id run = 0;  ///< of an agent; 0: none
    std::string_view channel{};
    std::string_view credential_type{};
    std::string_view tool{};
    std::string_view error_code{};
    std::string_view marker{};
    ShortName<64> agent{};
    std::int32_t latency_ms = 0;
    std::uint16_t status = 0;
    bool sandbox = false;
    std::optional<core::Digest> dedupe{};
};
static_assert(std::is_trivially_copyable_v<UsageRow>);

/// What usage calls an operation that was asked for by REST: "POST /api/shifts/{id}/assign". Lives as long as the
/// program.
std::string_view rest_tool(Operation const& operation);

/// The row of an outcome that ended now; nothing for what is not metered. Takes neither lock nor memory.
std::optional<UsageRow> metered(Facts const& facts, core::Timestamp now);

}  // namespace workforce::operations
