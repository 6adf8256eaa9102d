// The tools that rows of the operation table declare.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <unordered_map>

#include "core/scopes.hpp"
#include "operations/tools/tool.hpp"
#include "operations/tools/tool_schema.hpp"

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
    w.member("title", operation.summary);
    w.member("readOnlyHint", reads);
    w.member("destructiveHint", !reads && (operation.effect == Effect::destructive || operation.tool.destructive));
    w.member("idempotentHint", is_idempotent(operation));
    w.member("openWorldHint", operation.asks_provider);
    w.end_object();
}

std::string definition_of(Tool const& tool, ToolShape const& shape) {
    auto const& operation = *tool.operation;
    auto const& binding = tool.binding();
    core::JsonWriter w;
    w.begin_object();
    w.member("name", tool.name);
    w.member("title", operation.summary);
    w.member("description", std::string(operation.summary) + "." +
                                (binding.description.empty() ? "" : " " + std::string(binding.description)));
    w.key("inputSchema");
    w.raw(shape.input);
    w.key("outputSchema");
    w.raw(shape.output);
    w.key("annotations");
    write_annotations(w, operation);
    w.key("_meta");
    w.begin_object();
    w.member("svc/verb", operation.name);
    w.member("svc/scope", tool.scope);
    if (operation.other_permission) w.member("svc/otherScope", scope_of(operation.other_permission));
    if (operation.also_permission) w.member("svc/alsoScope", scope_of(operation.also_permission));
    w.member("svc/approval", core::enum_name(binding.approval));
    w.member("svc/requiredTier", core::enum_name(binding.tier));
    w.end_object();
    w.end_object();
    return w.take();
}

}  // namespace

std::vector<Tool> tools_of(std::span<Operation const> operations) {
    std::vector<Tool> all;
    for (auto const& operation : operations) {
        // Nobody could approve the call yet.
        if (!operation.tool || operation.tool.approval == Approval::always) continue;
        auto shape = shape_of(operation);
        Tool tool{&operation, operation.tool.name, scope_of(operation.permission), {}, {}};
        tool.definition = definition_of(tool, shape);
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
