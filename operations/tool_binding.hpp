// How models reach an operation: what its row says of the tool (domain 6.3).
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "events/api_key.hpp"
#include "operations/schema/components.hpp"

namespace workforce::operations {

/// When a person has to approve a call before it is done (domain 6.3).
enum class Approval : std::uint8_t {
    never,
    headless,  ///< where no person is at the other end: in runs of agents
    always,
};
BOOST_DESCRIBE_ENUM(Approval, never, headless, always)

/// A field of the operation's input under the name that the tool has for it.
struct RenamedField {
    std::string_view argument;
    std::string_view field;
};

/// How tools/call reaches an operation. Without a name there is no tool.
struct ToolBinding {
    std::string_view name{};                            ///< "shifts_assign"
    events::ModelTier tier = events::ModelTier::basic;  ///< the least grade of a credential that may call it
    Approval approval = Approval::never;
    bool (*waits_if)(core::JsonValue const& arguments) = nullptr;  ///< of calls with which `approval` holds; null: all
    bool headless = true;                                          ///< runs of agents may call it
    bool destructive = false;        ///< it takes something away, also where its method is none that does
    bool idempotent = false;         ///< a repeat is done and does nothing more, also where its method is no merge
    std::string_view description{};  ///< what a model is told besides the operation's summary
    std::vector<RenamedField> renamed{};
    std::vector<std::string_view> required{};  ///< arguments that the operation does not need, and the tool does
    std::vector<std::string_view> omitted{};   ///< fields of the operation that are no arguments
    Components::Definition input = nullptr;    ///< instead of the operation's body
    Components::Definition answer = nullptr;   ///< instead of its answer
    bool answers_list = false;                 ///< its answer is an array, which the tool gives as {data: […]}

    explicit operator bool() const { return !name.empty(); }
};

}  // namespace workforce::operations
