// Scopes as people read them where they consent.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace workforce::operations {

/// What a scope lets a client do, by how much it matters.
enum class ScopeWeight : std::uint8_t { reads, changes, sensitive };

struct ScopeWords {
    ScopeWeight weight = ScopeWeight::reads;
    std::string text;  ///< goes on with "It may": "see shifts and who works them"
};

/// The words of a scope that a client can be given.
ScopeWords words_of_scope(std::string_view scope);

/// The scopes of a text with spaces between them, each once, in their order.
std::vector<std::string> scopes_of_text(std::string_view text);
std::string text_of_scopes(std::span<std::string const> scopes);

/// What a client gets that asks for no scope in particular (spec 5.2): each reading scope of the catalogue, as far as
/// `most` has it; empty: all of them.
std::vector<std::string> default_scopes(std::span<std::string const> most);

}  // namespace workforce::operations
