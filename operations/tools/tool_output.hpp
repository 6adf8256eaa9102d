// The JSON Schemas of what tools give, from those of their operations.
#pragma once

#include <rapidjson/document.h>

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "operations/operation.hpp"

namespace workforce::operations {

/// What tools give. A resource is told in full by one tool; others name that one, for its members are many and a list
/// of tools is read whole. Not thread-safe.
class ToolOutputs {
   public:
    /// Of these operations' tools; they outlive this.
    explicit ToolOutputs(std::span<Operation const> offered);

    /// The schema of what the operation's tool gives, a success or an error: one JSON object that refers to nothing
    /// outside itself.
    [[nodiscard]] std::string schema_of(Operation const& operation) const;

   private:
    struct Told {
        std::string_view tool;
        rapidjson::Document definition;
    };
    /// The tool, other than this one, that tells all of the definition or most of it; null: none does.
    [[nodiscard]] Told const* telling(std::string_view tool, core::JsonValue const& name,
                                      core::JsonValue const& definition) const;

    std::map<std::string, Told, std::less<>> told_;  // by the names of resources
};

}  // namespace workforce::operations
