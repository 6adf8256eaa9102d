// What members, parameters and types mean, in words: said once, and shown by REST's description and by tools.
//
// A text may name operations as `{shifts.list}`; REST shows the method and path of it, tools the tool's name.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace workforce::operations {

/// What one member means.
struct MemberWords {
    std::string_view member;  ///< its wire name
    std::string_view text;
};

/// The members of structs that mean the same by a name, such as those of a resource and of its changes. A struct is
/// named by its C++ name without namespaces; what derives from it has its words. The values before a path's parameter
/// are named by the path's segment there, with a slash: `staff/`.
struct StructWords {
    std::vector<std::string_view> structs;
    std::vector<MemberWords> members;
};

/// What the member of the struct that declares it means; empty where nothing is said. Thread-safe.
std::string_view words_of(std::string_view declaring, std::string_view member);

/// What the parameter of a path means, which stands there after that segment; empty where nothing is said.
std::string_view words_of_path(std::string_view segment, std::string_view parameter);

/// All groups, for whoever checks them.
std::vector<StructWords> const& all_words();

/// The text with `{verb}` replaced by what `shown` makes of the verb. Other braces stay, two in a row among them.
std::string with_names(std::string_view text, std::function<std::string(std::string_view verb)> const& shown);

}  // namespace workforce::operations
