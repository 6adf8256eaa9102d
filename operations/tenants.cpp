// What was found before, else one look at the kind's read model.
#include "operations/tenants.hpp"

#include <fmt/format.h>

#include <deque>
#include <string>

#include "events/aggregate.hpp"
#include "projections/registry.hpp"

namespace workforce::operations {
namespace {

struct Lookup {
    std::string name;
    std::string sql;
};

/// By kind; of an installation's own kinds the sandbox sees the live rows.
std::deque<Lookup> make_lookups() {
    std::deque<Lookup> all;
    for (auto const kind : events::kAllKinds) {
        auto const table = projections::table_of(kind);
        auto const rows = events::is_sandboxed(kind) ? "is_sandbox = $2" : "(is_sandbox = $2 OR NOT is_sandbox)";
        all.push_back({fmt::format("tenant_of_{}", core::enum_name(kind)),
                       fmt::format("SELECT organization_id FROM read.{} WHERE id = $1 AND {} LIMIT 1", table, rows)});
    }
    return all;
}

}  // namespace

boost::asio::awaitable<std::optional<core::Id>> Tenants::of(events::Kind kind, bool sandbox, core::Id id) {
    static auto const lookups = make_lookups();
    Key const key{kind, sandbox, id};
    {
        std::lock_guard const lock(mutex_);
        if (auto const found = known_.find(key); found != known_.end()) co_return found->second;
    }
    auto const& lookup = lookups.at(static_cast<std::size_t>(kind));
    auto const rows = co_await operators_.find({{lookup.name, lookup.sql},
                                                {.sandbox = sandbox, .operator_access = true},
                                                {core::to_parameter(id), core::to_parameter(sandbox)}});
    if (rows.empty()) co_return std::nullopt;
    auto const organization = core::parse_integer(rows.front().at(0).value()).value();
    std::lock_guard const lock(mutex_);
    if (known_.size() >= kLimit) known_.clear();
    known_.insert_or_assign(key, organization);
    co_return organization;
}

}  // namespace workforce::operations
