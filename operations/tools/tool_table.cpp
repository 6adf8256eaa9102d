// The tools that rows of the operation table declare.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <unordered_map>

#include "core/scopes.hpp"
#include "operations/tools/tool.hpp"
#include "operations/tools/tool_output.hpp"
#include "operations/tools/tool_schema.hpp"
#include "operations/words/words.hpp"

namespace workforce::operations {
namespace {

/// The scope of the catalogue that covers the permission, of its own resource; empty where there is none.
std::string scope_of(std::optional<core::Permission> const& permission) {
    if (!permission) return {};
    auto const name = permission->name();
    auto const resource = name.substr(0, name.find('.'));
    for (auto const& scope : core::scope_catalogue()) {
        if (scope.name.substr(0, scope.name.find(':')) != resource) continue;
        std::array const alone{std::string(scope.name)};
        if (core::permits(alone, name)) return std::string(scope.name);
    }
    return {};
}

/// Whether a repeated call with the same arguments succeeds and changes nothing more.
bool is_idempotent(Operation const& operation) {
    bool const merges = operation.http.method == net::Method::patch;
    return operation.effect == Effect::read || merges || operation.tool.idempotent;
}

void write_annotations(core::JsonWriter& w, Operation const& operation) {
    bool const reads = operation.effect == Effect::read;
    w.begin_object();
    w.member("readOnlyHint", reads);
    w.member("destructiveHint", !reads && (operation.effect == Effect::destructive || operation.tool.destructive));
    w.member("idempotentHint", is_idempotent(operation));
    w.member("openWorldHint", operation.asks_provider);
    w.end_object();
}

/// How descriptions name an operation: by its tool, else as REST does.
std::string name_of(std::string_view verb) {
    auto const& all = operations();
    auto const found = std::ranges::find(all, verb, &Operation::name);
    if (found == all.end()) throw std::logic_error("words name an operation that is not there: " + std::string(verb));
    if (found->tool) return std::string(found->tool.name);
    std::string path(found->http.path);
    for (auto at = path.find(":int}"); at != std::string::npos; at = path.find(":int}")) path.erase(at, 4);
    return std::string(to_string(found->http.method)) + ' ' + path;
}

/// The description that models read: the operation's words, the tool's own, and the tier where few keys have it.
std::string description_of(Tool const& tool) {
    auto const& binding = tool.binding();
    std::string text(tool.operation->description);
    if (!binding.description.empty()) text.append(" ").append(binding.description);
    if (binding.tier == events::ModelTier::advanced) text += " Takes a key of the tier advanced.";
    if (binding.approval == Approval::always) {
        text +=
            " Always waits for a person: answers pending_approval with approvalId; {approvals.get} has its result once "
            "it was approved.";
    }
    return text;
}

std::string definition_of(Tool const& tool, ToolShape const& shape, std::string const& output) {
    auto const& operation = *tool.operation;
    auto const& binding = tool.binding();
    core::JsonWriter w;
    w.begin_object();
    w.member("name", tool.name);
    w.member("title", operation.summary);
    w.member("description", description_of(tool));
    w.key("inputSchema");
    w.raw(shape.input);
    w.key("outputSchema");
    w.raw(output);
    w.key("annotations");
    write_annotations(w, operation);
    w.key("_meta");
    w.begin_object();
    w.member("svc/verb", operation.name);
    w.member("svc/scope", tool.scope);
    if (operation.other_permission) w.member("svc/otherScope", scope_of(operation.other_permission));
    if (operation.further_permission) w.member("svc/furtherScope", scope_of(operation.further_permission));
    if (operation.also_permission) w.member("svc/alsoScope", scope_of(operation.also_permission));
    w.member("svc/approval", core::enum_name(binding.approval));
    w.member("svc/requiredTier", core::enum_name(binding.tier));
    w.end_object();
    w.end_object();
    return with_names(w.text(), name_of);
}

}  // namespace

std::vector<Tool> tools_of(std::span<Operation const> operations) {
    std::vector<Tool> all;
    ToolOutputs const outputs(operations);
    for (auto const& operation : operations) {
        if (!operation.tool) continue;
        auto shape = shape_of(operation);
        Tool tool{&operation, operation.tool.name, scope_of(operation.permission), {}, {}};
        tool.definition = definition_of(tool, shape, outputs.schema_of(operation));
        tool.arguments = std::move(shape.arguments);
        all.push_back(std::move(tool));
    }
    // Whoever has a look begins with what takes no permission.
    std::ranges::stable_partition(all, [](Tool const& tool) { return tool.scope.empty(); });
    return all;
}

std::vector<Tool> const& tools() {
    static auto const all = tools_of(operations());
    return all;
}

Tool const* find_tool(std::string_view name) {
    static auto const by_name = [] {
        std::unordered_map<std::string_view, Tool const*> found;
        for (auto const& tool : tools()) found.emplace(tool.name, &tool);
        return found;
    }();
    auto const found = by_name.find(name);
    return found == by_name.end() ? nullptr : found->second;
}

}  // namespace workforce::operations
