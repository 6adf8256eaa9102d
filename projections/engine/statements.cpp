// Fragments into texts, pages out of results.
#include "projections/engine/statements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <pqxx/except>
#include <stdexcept>

#include "core/json.hpp"

namespace workforce::projections {
namespace {

constexpr std::size_t kLargeDocument = 8 << 10;  // whoever has one is asked for again, with the sizes summed up
constexpr std::size_t kPageFrame = 512;          // for what an answer has around the rows
constexpr std::size_t kBytesParameter = 6;       // $7
/// Which documents of a page are read, of at most $7 bytes each, or together: the first one whatever its size.
constexpr std::string_view kFitsAlone = "octet_length(page.doc) <= $7::bigint";
constexpr std::string_view kFitsTogether =
    "row_number() OVER (ORDER BY page.key /*direction*/, page.id /*direction*/) = 1 OR sum(octet_length(page.doc) + 1) "
    "OVER (ORDER BY page.key /*direction*/, page.id /*direction*/) <= $7::bigint";
constexpr std::size_t kLeastPage = 64 << 10;  // a page that may have less is refused

void replace_all(std::string& text, std::string_view what, std::string_view by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
        text.replace(at, what.size(), by);
    }
}

tl::unexpected<core::Problem> refuse_cursor() {
    return core::refuse(core::Code::invalid_cursor, "The cursor does not belong to this list.");
}

/// A document and its version, out of at most one row of these.
std::optional<Document> first_document(core::Rows rows) {
    if (rows.empty()) return std::nullopt;
    auto& row = rows.front();
    Document document{std::move(row.at(0)).value(), core::parse_integer(row.at(1).value()).value()};
    if (row.size() > 2) document.facility = core::parse_integer(row.at(2).value()).value();
    return document;
}

/// As the condition on own rows takes them. The first is never NULL: a list that has it is a filtered one.
void append_own(std::vector<core::Parameter>& parameters, OwnRows const& own) {
    parameters.push_back(core::to_parameter(own.staff));
    parameters.push_back(own.facilities.empty() ? core::Parameter() : core::to_parameter(own.facilities));
}

using RowNumber = pqxx::result::size_type;

/// Whether a row of the page is there without its document.
bool lacks_document(pqxx::result const& rows, int limit) {
    auto const count = std::min<RowNumber>(rows.size(), static_cast<RowNumber>(limit));
    for (RowNumber i = 0; i < count; ++i) {
        if (rows[i][0].is_null()) return true;
    }
    return false;
}

/// Documents joined to a JSON array, up to a row without one, and of so many bytes, but one; the row past these only
/// tells that there is more.
Page page_of(pqxx::result const& rows, int limit, std::size_t bytes) {
    Page page;
    auto const most = std::min<RowNumber>(rows.size(), static_cast<RowNumber>(limit));
    std::size_t size = 2;
    RowNumber count = 0;
    for (; count < most && !rows[count][0].is_null(); ++count) {
        auto const larger = size + rows[count][0].size() + 1;
        if (count > 0 && larger > bytes) break;
        size = larger;
    }
    page.rows.clear();
    page.rows.reserve(size + kPageFrame);
    page.rows += '[';
    for (RowNumber i = 0; i < count; ++i) {
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

tl::unexpected<core::Problem> refuse_page() {
    return core::refuse(core::Code::service_unavailable, "Answers that were not read yet fill your share of memory.");
}

core::Result<net::HeldBytes> take_room(PageRoom& room) {
    if (room.budget == nullptr) return net::HeldBytes();
    auto const bytes = room.budget->take_share(room.holder, std::min(kLeastPage, room.most), room.most);
    if (bytes == 0) return refuse_page();
    room.most = bytes;
    return net::HeldBytes(*room.budget, room.holder, bytes);
}

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

std::string with_own_rows(std::string_view sql, std::string_view condition) {
    constexpr std::string_view kTenant = "/*end tenant*/";
    std::string text(sql);
    if (text.find(kTenant) == std::string::npos) throw std::logic_error("a statement marks no tenant");
    replace_all(text, kTenant, fmt::format("{} AND ({})", kTenant, condition));
    return text;
}

ScopedStatement::ScopedStatement(std::string name, std::string_view sql, std::string_view own)
    : name_(std::move(name)),
      across_name_(name_ + ".across"),
      own_name_(name_ + ".own"),
      sql_(sql),
      across_sql_(across_organizations(sql)),
      own_sql_(own.empty() ? std::string() : with_own_rows(sql, own)) {}

core::Statement ScopedStatement::of(Scope const& scope) const {
    if (scope.own) {
        if (own_sql_.empty()) throw std::logic_error(name_ + " is not declared to have a person's own rows");
        return {own_name_, own_sql_};  // of one organization, whoever asks
    }
    bool const across = scope.organization == 0 && scope.operator_access;
    return across ? core::Statement{across_name_, across_sql_} : core::Statement{name_, sql_};
}

core::Parameter facilities_parameter(Scope const& scope) {
    return scope.facilities.empty() ? core::Parameter() : core::to_parameter(scope.facilities);
}

boost::asio::awaitable<std::optional<Document>> find_document(core::Database& database,
                                                              ScopedStatement const& statement, Scope scope, Id id) {
    auto const context = tenant(scope);
    std::vector<core::Parameter> parameters{core::to_parameter(context.organization),
                                            core::to_parameter(context.sandbox), core::to_parameter(id),
                                            facilities_parameter(scope)};
    if (scope.own) append_own(parameters, *scope.own);
    auto rows = co_await database.find({statement.of(scope), context, std::move(parameters)});
    co_return first_document(std::move(rows));
}

ListStatements::ListStatements(std::string_view name, std::string_view sql, std::span<SortKey const> keys,
                               std::string_view own)
    : keys_(keys) {
    for (std::size_t key = 0; key < keys.size(); ++key) {
        for (std::size_t place = 0; place < kShapesOfKey; ++place) {
            Shape const shape{key, (place & 1) != 0, (place & 2) != 0, place / 8 % 3, (place & 4) != 0, place >= 24};
            auto label = fmt::format("{}.{}{}{}{}{}.{}", name, shape.descending ? "-" : "", keys[key].name,
                                     shape.resumed ? ".after" : "", shape.filtered ? ".filtered" : "",
                                     shape.summed ? ".summed" : "", shape.facilities);
            // The numbers of its parameters follow on those of all filters.
            statements_.emplace_back(std::move(label), text_of(sql, shape), shape.filtered ? own : std::string_view());
        }
    }
}

std::size_t ListStatements::place_of(Shape const& shape) {
    return shape.key * kShapesOfKey + (shape.summed ? 24u : 0u) + shape.facilities * 8 + (shape.filtered ? 4u : 0u) +
           (shape.resumed ? 2u : 0u) + (shape.descending ? 1u : 0u);
}

std::string ListStatements::text_of(std::string_view sql, Shape const& shape) const {
    auto const& key = keys_[shape.key];
    // `OR true` is gone once planned, but has given the parameter its type.
    auto text =
        shape.facilities == 0 ? with_section(sql, "facilities", "($3::bigint[] IS NULL OR true)") : std::string(sql);
    if (shape.facilities == 1) replace_all(text, "= ANY ($3)", "= ($3::bigint[])[1]");
    if (!shape.resumed) text = with_section(text, "after", "($5::text IS NULL OR $6::text IS NULL OR true)");
    if (!shape.filtered) text = with_section(text, "filters", "");
    text = with_fragments(text, {{"fits", shape.summed ? kFitsTogether : kFitsAlone}});
    return with_fragments(text, {{"key", key.column},
                                 {"type", key.type},
                                 {"direction", shape.descending ? "DESC" : "ASC"},
                                 {"beyond", shape.descending ? "<" : ">"}});
}

core::Result<ListStatements::Shape> ListStatements::shape_of(Scope const& scope, PageRequest const& request,
                                                             bool filtered) const {
    std::string_view name = request.sort.empty() ? keys_.front().name : std::string_view(request.sort);
    bool const descending = name.starts_with('-');
    if (descending) name.remove_prefix(1);
    auto const key = std::find_if(keys_.begin(), keys_.end(), [&](SortKey const& each) { return each.name == name; });
    if (key == keys_.end()) {
        std::string known;
        for (auto const& each : keys_) known += fmt::format("{}{}", known.empty() ? "" : ", ", each.name);
        core::FieldError error{"sort", "enum", "must be one of " + known + ", or one with '-' before it"};
        return tl::unexpected(core::validation_problem({error}));
    }
    if (request.after && request.after->size() != 2) return refuse_cursor();
    return Shape{static_cast<std::size_t>(key - keys_.begin()),     descending, request.after.has_value(),
                 std::min<std::size_t>(scope.facilities.size(), 2), filtered,   false};
}

boost::asio::awaitable<core::Result<Page>> ListStatements::run(core::Database& database, Scope scope,
                                                               PageRequest request,
                                                               std::vector<core::Parameter> filters) const {
    if (scope.own) append_own(filters, *scope.own);
    bool const filtered =
        std::any_of(filters.begin(), filters.end(), [](auto const& filter) { return filter.has_value(); });
    auto shape = shape_of(scope, request, filtered);
    if (!shape) co_return tl::unexpected(shape.error());
    int const limit = std::clamp(request.limit, 1, kMaxLimit);
    std::vector<core::Parameter> parameters{core::to_parameter(scope.organization), core::to_parameter(scope.sandbox),
                                            facilities_parameter(scope), core::to_parameter(limit + 1)};
    for (std::size_t i = 0; i < 2; ++i) {
        parameters.push_back(request.after ? core::to_parameter((*request.after)[i]) : core::Parameter());
    }
    parameters.push_back(core::to_parameter(kLargeDocument));
    if (filtered) std::move(filters.begin(), filters.end(), std::back_inserter(parameters));
    auto const plain = statements_[place_of(*shape)].of(scope);
    shape->summed = true;
    auto const summed = statements_[place_of(*shape)].of(scope);
    auto execute = [plain, summed, parameters = std::move(parameters), limit, resumed = shape->resumed,
                    room = request.room](core::Connection& connection) mutable -> core::Result<Page> {
        auto held = take_room(room);
        if (!held) return tl::unexpected(held.error());
        try {
            auto rows = connection.execute_prepared(plain, parameters);
            // Documents of any size are read only once their sum is known, for libpq holds a result whole.
            if (lacks_document(rows, limit)) {
                rows = pqxx::result();
                parameters[kBytesParameter] = core::to_parameter(room.most);
                rows = connection.execute_prepared(summed, parameters);
            }
            auto page = page_of(rows, limit, room.most);
            page.held = *std::move(held);
            if (!page.held.resize(page.rows.size())) return refuse_page();  // the first row, of any size
            return page;
        } catch (pqxx::data_exception const&) {
            if (!resumed) throw;  // only the key to go on from is not ours to vouch for
            return refuse_cursor();
        }
    };
    co_return co_await database.run(std::move(execute), tenant(scope));
}

}  // namespace workforce::projections
