// Members of requests that are texts by type, and of which only some texts are taken.
#pragma once

#include <string_view>

#include "operations/schema/api_schema.hpp"

namespace workforce::operations {

/// The schema that a request has in the place of the member's own: a list of texts that are known by name. Readers name
/// what else is wrong; answers show what was stored, of which more may come.
struct NamedValues {
    std::string_view declaring;  ///< the struct that declares the member
    std::string_view member;
    void (*write)(core::JsonWriter&, Side, Components&);
};

/// Those of the member, or null.
NamedValues const* named_values(std::string_view declaring, std::string_view member);

}  // namespace workforce::operations
