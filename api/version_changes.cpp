// The registry of breaking changes, and their edits one after another.
#include "api/version_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <stdexcept>

#include "api/rest/route.hpp"
#include "core/json.hpp"

namespace workforce::api {
namespace {

using operations::MediaType;

bool concerns(VersionChange const& change, std::string_view verb) {
    return change.verbs.empty() || std::ranges::count(change.verbs, verb) > 0;
}

std::string text_of(rapidjson::Document const& document) {
    rapidjson::StringBuffer buffer;
    rapidjson::Writer writer(buffer);
    document.Accept(writer);
    return {buffer.GetString(), buffer.GetSize()};
}

/// Why a change can't be made for the operation, or "".
std::string_view misfit(VersionChange const& change, operations::HttpBinding const& http) {
    if (change.body != nullptr && http.takes != MediaType::json) return "its body is no JSON";
    bool const json = std::ranges::all_of(http.gives, [](MediaType type) { return type == MediaType::json; });
    if (change.answer != nullptr && !json) return "its answer is not always JSON";
    return "";
}

}  // namespace

std::span<VersionChange const> version_changes() {
    static std::vector<VersionChange> const changes{
        // No version has broken anything yet.
    };
    return changes;
}

void check_changes(std::span<VersionChange const> changes, Router const& router) {
    for (auto const& change : changes) {
        auto const refuse = [&](std::string_view verb, std::string_view why) {
            throw std::logic_error(fmt::format("a change of version {} for '{}': {}", change.version, verb, why));
        };
        bool const refusals_alone = change.parameters == nullptr && change.body == nullptr && change.answer == nullptr;
        if (change.verbs.empty() && !refusals_alone) refuse("", "only refusals change for all operations");
        for (auto const verb : change.verbs) {
            auto const route =
                std::ranges::find(router.routes(), verb, [](Route const& each) { return each.operation->name; });
            if (route == router.routes().end()) refuse(verb, "there is no such operation");
            if (auto const why = misfit(change, route->http()); !why.empty()) refuse(verb, why);
        }
    }
}

void upgrade(std::span<VersionChange const> newer, std::string_view verb, operations::RawInput& input) {
    for (auto const& change : newer) {
        if (!concerns(change, verb)) continue;
        if (change.parameters != nullptr) change.parameters(input.parameters);
        bool const object = input.body && *input.body && (*input.body)->IsObject();
        if (change.body != nullptr && object) change.body(**input.body);
    }
}

std::string upgraded_body(std::span<VersionChange const> newer, operations::Call const& call) {
    bool const edits = std::ranges::any_of(newer, [&](VersionChange const& change) {
        return change.body != nullptr && concerns(change, call.operation.name);
    });
    return edits && call.input.body && *call.input.body ? text_of(**call.input.body) : std::string();
}

void downgrade(std::span<VersionChange const> newer, std::string_view verb, net::Reply& reply) {
    bool const refused = reply.status >= 400;
    auto const edit_of = [&](VersionChange const& change) {
        auto const edit = refused ? change.refusal : change.answer;
        return concerns(change, verb) ? edit : nullptr;
    };
    bool const edits =
        std::ranges::any_of(newer, [&](VersionChange const& change) { return edit_of(change) != nullptr; });
    if (!edits || reply.body.empty()) return;
    auto document = core::parse_json(reply.body);
    if (!document || !document->IsObject()) {
        throw std::logic_error(fmt::format("an answer of '{}' is no JSON object", verb));
    }
    for (auto const& change : newer | std::views::reverse) {
        if (auto const edit = edit_of(change)) edit(*document);
    }
    reply.body = text_of(*document);
}

}  // namespace workforce::api
