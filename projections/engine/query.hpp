// What every query takes and gives: whose rows, which page, and resources as the text that GET answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/connection.hpp"
#include "core/text.hpp"
#include "net/byte_budget.hpp"

namespace workforce::projections {

using core::Id;

/// Whom a query is narrowed to who may see rows of their own alone. A read model declares which these are.
struct OwnRows {
    Id staff = 0;                  ///< their staff record; 0: they have none, and so no row of one
    std::vector<Id> facilities{};  ///< where they see what nobody has yet; empty: in all of the organization
};

/// Whose rows a query may see; each query filters by it, and row-level security does so again.
struct Scope {
    Id organization = 0;  ///< 0: all of them, which takes operator_access
    bool sandbox = false;
    bool operator_access = false;  ///< across organizations; only ever from an internal principal
    std::vector<Id> facilities{};  ///< empty: all of the organization's
    std::optional<OwnRows> own{};  ///< whose rows of all these; nothing: everybody's
};

/// The scope as the session's row-level security knows it. An operator who looks at one organization is held to it.
inline core::TenantContext tenant(Scope const& scope) {
    return {scope.organization, scope.sandbox, scope.operator_access && scope.organization == 0};
}

/// A resource as it was rendered when its last event was folded.
struct Document {
    std::string doc;           ///< the JSON text that GET answers, verbatim
    std::int64_t version = 0;  ///< the aggregate's version, for the ETag
    Id facility = 0;           ///< where the statement tells it; else 0
};

/// What every list can be narrowed by: the base of each list's filter. Members are what callers may say; nothing does
/// not narrow.
struct ChangeFilter {
    std::optional<core::Timestamp> updatedSince{};  ///< changed then or later
};
BOOST_DESCRIBE_STRUCT(ChangeFilter, (), (updatedSince))

/// The same of a list that is searched by text.
struct ListFilter : ChangeFilter {
    std::optional<core::Text<2, 100>> q{};  ///< part of the text that the list is searched by, in any case
};
BOOST_DESCRIBE_STRUCT(ListFilter, (ChangeFilter), (q))

/// How many bytes the rows of a page may have. A page ends early where they are more, but has one row at least.
struct PageRoom {
    std::size_t most = std::size_t{2} << 20;
    net::ByteBudget* budget = nullptr;  ///< that they are taken from; null: from none
    net::ByteHolder holder{};           ///< whom they count for
};

/// Rows that a page has at most.
inline constexpr int kMaxLimit = 200;

/// Which part of a list.
struct PageRequest {
    int limit = 50;      ///< 1 to kMaxLimit; others are clamped
    std::string sort{};  ///< one of the list's sort keys, descending with a leading '-'; empty: the list's default
    /// Where the page before ended: its Page::next. Nothing: from the start.
    std::optional<std::vector<std::string>> after{};
    PageRoom room{};
};

/// Part of a list.
struct Page {
    std::string rows = "[]";  ///< JSON array of the resources
    bool has_more = false;
    std::vector<std::string>
        next{};             ///< sort key and id of the last row, for PageRequest::after; empty without has_more
    net::HeldBytes held{};  ///< of the room that was asked for, as many bytes as the rows have
};

}  // namespace workforce::projections
