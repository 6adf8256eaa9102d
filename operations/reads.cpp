// Pages of lists.
#include "operations/reads.hpp"

#include "operations/cursor.hpp"

namespace workforce::operations {
namespace {

/// What a cursor is bound to: the route and every parameter but where and how much.
std::string cursor_binding(Call const& call) {
    std::string binding(call.operation.http.path);
    binding += '\n' + call.caller->lineage();
    for (auto const& [name, value] : call.input.parameters) {
        if (name == "cursor" || name == "limit") continue;
        binding.append("\n").append(name).append("=").append(value);
    }
    return binding;
}

std::string scope_json(Call const& call, ListQuery const& query) {
    auto const& caller = *call.caller;
    core::JsonWriter w;
    w.begin_object();
    if (query.facilityId) {
        w.member("facilityId", *query.facilityId);
    } else if (caller.facilities.size() == 1) {
        w.member("facilityId", caller.facilities.front());
    } else {
        w.member("orgUnitId", caller.organization);
    }
    w.end_object();
    return w.take();
}

}  // namespace

core::Result<projections::PageRequest> page_request(Call const& call, ListQuery const& query) {
    projections::PageRequest page;
    page.limit = static_cast<int>(std::min<std::int64_t>(query.limit ? query.limit->value : 50, 200));
    page.sort = text_or_empty(query.sort);
    if (!query.cursor) return page;
    auto keys = decode_cursor(*query.cursor, cursor_binding(call), call.services.cursor_secret);
    if (!keys) return tl::unexpected(keys.error());
    page.after = std::move(*keys);
    return page;
}

Outcome list_outcome(Call const& call, ListQuery const& query, projections::PageRequest const& request,
                     projections::Page const& page) {
    core::JsonWriter w;
    w.begin_object();
    w.key("pagination");
    w.begin_object();
    w.member("limit", request.limit);
    w.member("hasMore", page.has_more);
    w.key("nextCursor");
    if (page.has_more) {
        w.string(encode_cursor(page.next, cursor_binding(call), call.services.cursor_secret));
    } else {
        w.null();
    }
    w.end_object();
    w.key("scope");
    w.raw(scope_json(call, query));
    w.end_object();
    // The rows are text of some size, which the writer would copy byte by byte.
    auto const rest = w.text().substr(1);
    Outcome outcome;
    outcome.body.reserve(page.rows.size() + rest.size() + 16);
    outcome.body.append(R"({"data":)").append(page.rows).append(",").append(rest);
    return outcome;
}

}  // namespace workforce::operations
