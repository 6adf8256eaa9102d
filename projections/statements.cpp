// Fragments into texts, pages out of results.
#include "projections/statements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <pqxx/except>
#include <stdexcept>

#include "core/json.hpp"

namespace workforce::projections {
namespace {

constexpr int kMaxLimit = 200;

void replace_all(std::string& text, std::string_view what, std::string_view by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
        text.replace(at, what.size(), by);
    }
}

tl::unexpected<core::Problem> refuse_cursor() {
    return core::refuse(core::Code::invalid_cursor, "The cursor does not belong to this list.");
}

/// Documents joined to a JSON array; the row past the limit only tells that there is more.
Page page_of(pqxx::result const& rows, int limit) {
    Page page;
    auto const count = std::min<pqxx::result::size_type>(rows.size(), static_cast<pqxx::result::size_type>(limit));
    std::size_t size = 2;
    for (pqxx::result::size_type i = 0; i < count; ++i) size += rows[i][0].size() + 1;
    page.rows.clear();
    page.rows.reserve(size);
    page.rows += '[';
    for (pqxx::result::size_type i = 0; i < count; ++i) {
        if (i > 0) page.rows += ',';
        page.rows += core::read_view(rows[i][0]);
    }
    page.rows += ']';
    page.has_more = rows.size() > count;
    if (page.has_more) {
        auto const last = rows[count - 1];
        page.next = {core::read<std::string>(last[1]), core::read<std::string>(last[2])};
    }
    return page;
}

}  // namespace

std::string with_fragments(std::string_view sql,
                           std::initializer_list<std::pair<std::string_view, std::string_view>> fragments) {
    std::string text(sql);
    for (auto const& [name, fragment] : fragments) replace_all(text, fmt::format("/*{}*/", name), fragment);
    return text;
}

std::string with_section(std::string_view sql, std::string_view name, std::string_view replacement) {
    std::string text(sql);
    auto const begin = fmt::format("/*{}*/", name);
    auto const end = fmt::format("/*end {}*/", name);
    for (auto at = text.find(begin); at != std::string::npos; at = text.find(begin, at + replacement.size())) {
        auto const last = text.find(end, at);
        if (last == std::string::npos) throw std::logic_error("a statement lacks " + end);
        text.replace(at, last + end.size() - at, replacement);
    }
    return text;
}

std::string across_organizations(std::string_view sql) {
    return with_section(sql, "organization", "$1::bigint = 0 AND");  // the parameter stays, and keeps its type
}

core::Parameter facilities_parameter(Scope const& scope) { return unless_empty(scope.facilities); }

boost::asio::awaitable<std::optional<Document>> find_document(core::Database& database, ScopedStatement const& statement,
                                                              Scope scope, Id id) {
    auto const chosen = statement.of(scope);
    co_return co_await database.run([chosen, context = tenant(scope), facilities = facilities_parameter(scope),
                                     id](core::Connection& connection) -> std::optional<Document> {
        connection.use(context);
        auto const rows = connection.execute(chosen, context.organization, context.sandbox, id, facilities);
        if (rows.empty()) return std::nullopt;
        return Document{std::string(core::read_view(rows[0][0])), core::read<std::int64_t>(rows[0][1])};
    });
}

boost::asio::awaitable<std::optional<Document>> find_anywhere(core::Database& database, core::Statement statement, Id id) {
    co_return co_await database.run([statement, id](core::Connection& connection) -> std::optional<Document> {
        connection.use({.organization = 0, .sandbox = true, .operator_access = true});
        auto const rows = connection.execute(statement, id);
        if (rows.empty()) return std::nullopt;
        return Document{core::read<std::string>(rows[0][0]), core::read<std::int64_t>(rows[0][1])};
    });
}

ListStatements::ListStatements(std::string_view name, std::string_view sql, std::span<SortKey const> keys) : keys_(keys) {
    for (auto const& key : keys) {
        for (auto const facilities : {Facilities::all, Facilities::one, Facilities::several}) {
            auto const narrowed = facilities == Facilities::all   ? std::string(sql)
                                  : facilities == Facilities::one ? with_section(sql, "facilities", "t.facility_id = ($3::bigint[])[1]")
                                                                  : with_section(sql, "facilities", "t.facility_id = ANY ($3::bigint[])");
            for (bool const descending : {false, true}) {
                auto const ordered = with_fragments(narrowed, {{"key", key.column},
                                                               {"type", key.type},
                                                               {"direction", descending ? "DESC" : "ASC"},
                                                               {"beyond", descending ? "<" : ">"}});
                auto const label = fmt::format("{}.{}{}.{}", name, descending ? "-" : "", key.name, static_cast<int>(facilities));
                statements_.emplace_back(label, with_section(ordered, "after", "AND ($5::text IS NULL AND $6::text IS NULL)"));
                statements_.emplace_back(label + ".after", ordered);
            }
        }
    }
}

core::Result<core::Statement> ListStatements::choose(Scope const& scope, PageRequest const& request) const {
    std::string_view name = request.sort;
    bool const descending = name.starts_with('-');
    if (descending) name.remove_prefix(1);
    auto const key = name.empty() && !descending
                         ? keys_.begin()
                         : std::find_if(keys_.begin(), keys_.end(), [&](SortKey const& each) { return each.name == name; });
    if (key == keys_.end()) {
        std::string known;
        for (auto const& each : keys_) known += fmt::format("{}{}", known.empty() ? "" : ", ", each.name);
        core::FieldError error{"sort", "enum", "must be one of " + known + ", or one with '-' before it"};
        return tl::unexpected(core::validation_problem({error}));
    }
    if (request.after && request.after->size() != 2) return refuse_cursor();
    auto const facilities = std::min<std::size_t>(scope.facilities.size(), 2);
    auto const place = static_cast<std::size_t>(key - keys_.begin()) * kVariants + facilities * 4 +
                       (descending ? 2 : 0) + (request.after ? 1 : 0);
    return statements_[place].of(scope);
}

boost::asio::awaitable<core::Result<Page>> ListStatements::run(core::Database& database, Scope scope,
                                                               PageRequest request,
                                                               std::vector<core::Parameter> filters) const {
    auto const chosen = choose(scope, request);
    if (!chosen) co_return tl::unexpected(chosen.error());
    int const limit = std::clamp(request.limit, 1, kMaxLimit);
    std::vector<core::Parameter> parameters{core::to_parameter(scope.organization), core::to_parameter(scope.sandbox),
                                            facilities_parameter(scope), core::to_parameter(limit + 1)};
    for (std::size_t i = 0; i < 2; ++i) {
        parameters.push_back(request.after ? core::to_parameter((*request.after)[i]) : core::Parameter());
    }
    std::move(filters.begin(), filters.end(), std::back_inserter(parameters));
    co_return co_await database.run(
        [statement = *chosen, context = tenant(scope), parameters = std::move(parameters), limit,
         resumed = request.after.has_value()](core::Connection& connection) -> core::Result<Page> {
            connection.use(context);
            try {
                return page_of(connection.execute_prepared(statement, parameters), limit);
            } catch (pqxx::data_exception const&) {
                if (!resumed) throw;  // only the key to go on from is not ours to vouch for
                return refuse_cursor();
            }
        });
}

}  // namespace workforce::projections
