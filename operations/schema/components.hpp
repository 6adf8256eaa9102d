// The named schemas of a document.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "core/json_io.hpp"

namespace workforce::operations {

/// Collects the schemas that are referred to, so that each is written once, under components. Not thread-safe.
class Components {
   public:
    /// Writes the members of an open schema object.
    using Definition = void (*)(core::JsonWriter&, Components&);

    /// `prefix`: what references begin with, up to the schema's name.
    explicit Components(std::string prefix = "#/components/schemas/") : prefix_(std::move(prefix)) {}

    /// Writes the member of an open schema object that refers to the definition of that name.
    /// Errors: std::logic_error for a second definition of the name.
    void refer(core::JsonWriter& w, std::string const& name, Definition definition);

    /// Writes all definitions that were referred to, and those that these refer to, as members of an open object, by
    /// name.
    void write(core::JsonWriter& w);

   private:
    std::string const prefix_;
    std::map<std::string, Definition> definitions_;
};

}  // namespace workforce::operations
