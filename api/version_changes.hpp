// Breaking changes of the API, each brought by a version, and how requests and answers of older versions are had from
// those of today (spec 9). What only adds is no change: it is in all versions.
#pragma once

#include <rapidjson/document.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.hpp"
#include "operations/call.hpp"

namespace workforce::api {

class Router;

/// What one version broke, between it and the version before it. Handlers know today's form alone.
struct VersionChange {
    /// Changes an object of JSON in place.
    using Edit = void (*)(rapidjson::Document& document);

    std::string_view version;  ///< that brought it
    std::string_view note;     ///< a sentence for those who move to that version
    /// The operations that it is about. Empty: all, which a change of refusals alone may be.
    std::vector<std::string_view> verbs{};
    /// Turns parameters as older versions send them into those of this version.
    void (*parameters)(operations::QueryMap& parameters) = nullptr;
    /// Turns a body as older versions send it into that of this version.
    Edit body = nullptr;
    /// Turns an answer of this version into that of the version before it.
    Edit answer = nullptr;
    /// Turns a refusal of this version, an envelope of spec 2.10, into that of the version before it.
    Edit refusal = nullptr;
};

/// The registry: all breaking changes, in the order of their dates. It lives as long as the program.
std::span<VersionChange const> version_changes();

/// Checks changes against the routes. Throws std::logic_error for an operation that no route has, for a change of all
/// operations that is of more than refusals, and for one of bodies or answers that are no JSON: the records of a stream
/// leave while they are made.
void check_changes(std::span<VersionChange const> changes, Router const& router);

/// Turns what an older version sends to an operation into today's input. `newer` are the changes after that version.
void upgrade(std::span<VersionChange const> newer, std::string_view verb, operations::RawInput& input);
/// The body as upgrade() left it, where it may have changed it; else "".
std::string upgraded_body(std::span<VersionChange const> newer, operations::Call const& call);
/// Turns the answer of an operation, or a refusal that came before any (`verb` is empty), into that of an older
/// version, whether it was made now or is told again.
void downgrade(std::span<VersionChange const> newer, std::string_view verb, net::Reply& reply);

}  // namespace workforce::api
