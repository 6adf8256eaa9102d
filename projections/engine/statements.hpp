// Statements made of an embedded text and fixed fragments, and the queries that all resources share.
//
// Nothing that a caller says ever becomes part of a statement: fragments come from tables in the code, values are
// parameters.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <deque>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/connection.hpp"
#include "core/database.hpp"
#include "core/result.hpp"
#include "projections/engine/query.hpp"

namespace workforce::projections {

/// The text with each `/*name*/` replaced by the fragment of that name.
std::string with_fragments(std::string_view sql,
                           std::initializer_list<std::pair<std::string_view, std::string_view>> fragments);
/// The text with what stands from `/*name*/` to `/*end name*/` replaced, markers and all.
std::string with_section(std::string_view sql, std::string_view name, std::string_view replacement);
/// The text for operators whose scope is all organizations: the condition on the organization is taken out.
std::string across_organizations(std::string_view sql);
/// The text for who sees rows of their own alone: the condition goes with the one on the tenant, which the text marks.
std::string with_own_rows(std::string_view sql, std::string_view condition);

/// A query in its variants; built once, lives as long as the program. Without `own`, the condition on a person's own
/// rows, it answers nobody who sees these alone.
class ScopedStatement {
   public:
    ScopedStatement(std::string name, std::string_view sql, std::string_view own = {});
    ScopedStatement(ScopedStatement const&) = delete;
    ScopedStatement& operator=(ScopedStatement const&) = delete;
    ~ScopedStatement() = default;

    /// Throws std::logic_error where the scope is narrowed to own rows and the query can't be.
    [[nodiscard]] core::Statement of(Scope const& scope) const;

   private:
    std::string name_, across_name_, own_name_, sql_, across_sql_, own_sql_;
};

/// The scope's facilities as a parameter: NULL for all.
core::Parameter facilities_parameter(Scope const& scope);

/// Takes the page's room as far as there is some, which is then the most that the page may have. Errors:
/// SERVICE_UNAVAILABLE.
core::Result<net::HeldBytes> take_room(PageRoom& room);
/// The refusal where there is none: SERVICE_UNAVAILABLE.
tl::unexpected<core::Problem> refuse_page();

/// The number of the first parameter that says whose own rows a statement of find_document() is narrowed to.
inline constexpr int kFirstOwnOfFind = 5;

/// Runs a statement of ($1 organization, $2 sandbox, $3 id, $4 facilities) that gives a document and its version; for
/// own rows of ($5 staff, $6 their facilities) as well.
boost::asio::awaitable<std::optional<Document>> find_document(core::Database& database,
                                                              ScopedStatement const& statement, Scope scope, Id id);
/// What a list may be sorted by.
struct SortKey {
    std::string_view name;    ///< as callers say it
    std::string_view column;  ///< whose values, with the id, order the list
    std::string_view type;    ///< of the column
};

/// The statements of a list. The text has $1 organization, $2 sandbox, $3 facilities, $4 limit, $5 and $6 the key and
/// id to go on from, $7 a number of bytes, and filters from $8 on, each of which lets everything pass when it is NULL;
/// it gives document, key and id, and a document only where `/*fits*/` holds. `own` is the condition on a person's own
/// rows, whose parameters, staff and their facilities, follow on all filters. Built once, lives as long as the program.
///
/// What is not asked for is taken out of the text as far as it pays: a plan that serves all parameters alike is good
/// only while each condition in it narrows the list. Filtered lists have too many shapes for that, and are planned each
/// time.
class ListStatements {
   public:
    /// `keys[0]` is the default order.
    ListStatements(std::string_view name, std::string_view sql, std::span<SortKey const> keys,
                   std::string_view own = {});

    /// Runs one page. `filters` are the parameters from $8 on. Refuses an unknown sort and an `after` of another one,
    /// and with SERVICE_UNAVAILABLE where the request's budget has no room for a page. Throws as ScopedStatement::of.
    boost::asio::awaitable<core::Result<Page>> run(core::Database& database, Scope scope, PageRequest request,
                                                   std::vector<core::Parameter> filters) const;

   private:
    /// What decides which text serves a request.
    struct Shape {
        std::size_t key = 0;
        bool descending = false;
        bool resumed = false;
        std::size_t facilities = 0;  ///< 0: all, 1: one, 2: several, which indexes serve differently
        bool filtered = false;
        bool summed = false;  ///< documents as far as they fit into the page together; else each that is small
    };
    static constexpr std::size_t kShapesOfKey = 2 * 2 * 3 * 2 * 2;

    [[nodiscard]] std::string text_of(std::string_view sql, Shape const& shape) const;
    [[nodiscard]] core::Result<Shape> shape_of(Scope const& scope, PageRequest const& request, bool filtered) const;
    static std::size_t place_of(Shape const& shape);

    std::span<SortKey const> keys_;
    std::deque<ScopedStatement> statements_;  // at place_of(shape)
};

}  // namespace workforce::projections
