// Statements of read models out of their declarations.
#include "projections/engine/read_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

constexpr int kFirstFilter = 8;  // parameters before it are those of ListStatements

struct UpsertColumn {
    std::string_view name;
    std::string_view type;     ///< empty for a document
    std::string_view updated;  ///< what it becomes where the row is there: a format of table and name
};

constexpr std::string_view kKey;  // stays
constexpr std::string_view kLast = "{1} = excluded.{1}";
constexpr std::string_view kEver = "{1} = {0}.{1} OR excluded.{1}";  // once true it stays so

/// In the order in which ReadModel::write gives them.
std::vector<UpsertColumn> upsert_columns(ReadModelSpec const& spec) {
    std::vector<UpsertColumn> all{{"organization_id", "bigint", kKey},
                                  {"is_sandbox", "boolean", kKey},
                                  {"id", "bigint", kKey},
                                  {"version", "bigint", kLast},
                                  {"lacks_event", "boolean", kEver}};
    if (spec.has_erased) all.push_back({"erased", "boolean", kEver});
    for (auto const& [name, type] : spec.columns) all.push_back({name, type, kLast});
    all.push_back({"doc", "", kLast});
    for (auto const& name : spec.documents) all.push_back({name, "", kLast});
    return all;
}

void append(std::string& list, std::string const& item) {
    if (!list.empty()) list += ", ";
    list += item;
}

/// The text with each `$name` replaced by what `number_of` says of it.
template <class NumberOf>
std::string numbered(std::string_view sql, NumberOf number_of) {
    std::string text;
    for (std::size_t at = 0; at < sql.size();) {
        auto end = at + 1;
        while (end < sql.size() && std::isalnum(static_cast<unsigned char>(sql[end]))) ++end;
        if (sql[at] == '$') {
            text += fmt::format("${}", number_of(sql.substr(at + 1, end - at - 1)));
            at = end;
        } else {
            text += sql[at++];
        }
    }
    return text;
}

std::string seen_at(ReadModelSpec const& spec, int facilities) {
    return numbered(spec.seen_at, [&](std::string_view) { return facilities; });
}

/// The condition on own rows, whose parameters begin with that number. `OR true` is gone once planned, but has given
/// them their types.
std::string own_text(ReadModelSpec const& spec, int first) {
    if (spec.own.empty()) return {};
    auto const number_of = [&](std::string_view name) {
        if (name == "staff") return first;
        if (name == "facilities") return first + 1;
        throw std::logic_error(fmt::format("read model {}: own rows go by no ${}", spec.name, name));
    };
    return fmt::format("(${}::bigint IS NULL OR ${}::bigint[] IS NULL OR true) AND ({})", first, first + 1,
                       numbered(spec.own, number_of));
}

std::string shown(ReadModelSpec const& spec) {
    return spec.shown.empty() ? std::string() : fmt::format("AND {}", spec.shown);
}

/// What GET answers: the resource, with what is shown besides.
std::string document(ReadModelSpec const& spec) {
    if (spec.beside.empty() && spec.document.empty()) return "t.doc";
    std::string_view const resource = spec.document.empty() ? "t.doc" : spec.document;
    if (spec.beside.empty()) return fmt::format("{} AS doc", resource);
    return fmt::format("left({}, -1) || ',' || substr({}, 2) AS doc", resource, spec.beside);
}

std::string conditions(ReadModelSpec const& spec) {
    auto const number_of = [&](std::string_view member) {
        int number = kFirstFilter;
        for (auto const& condition : spec.conditions) {
            if (condition.member.empty()) continue;
            if (condition.member == member) return number;
            ++number;
        }
        throw std::logic_error(fmt::format("read model {}: there is no filter ${}", spec.name, member));
    };
    std::string text;
    for (auto const& [sql, member, type] : spec.conditions) {
        if (!text.empty()) text += "\n      ";
        if (member.empty()) {
            text += fmt::format("AND {}", numbered(sql, number_of));
        } else {
            text += fmt::format("AND (${}::{} IS NULL OR {})", number_of(member), type, numbered(sql, number_of));
        }
    }
    return text;
}

std::string statement_name(ReadModelSpec const& spec, std::string_view what) {
    return fmt::format("{}_{}", spec.name, what);
}

}  // namespace

std::string load_text(ReadModelSpec const& spec) {
    return with_fragments(sql::engine_read_model_load, {{"table", spec.table}, {"further", spec.further}});
}

std::string upsert_text(ReadModelSpec const& spec) {
    std::string columns, values, arrays, assignments;
    int number = 0;
    for (auto const& [name, type, updated] : upsert_columns(spec)) {
        ++number;
        bool const list = type.ends_with("[]");
        append(columns, std::string(name));
        append(values, list ? fmt::format("u.{}::{}", name, type) : fmt::format("u.{}", name));
        append(arrays, type.empty() ? fmt::format(R"(string_to_array(${}, E'\x1e'))", number)
                                    : fmt::format("${}::{}[]", number, list ? "text" : type));
        if (!updated.empty()) append(assignments, fmt::format(fmt::runtime(updated), spec.table, name));
    }
    return with_fragments(sql::engine_read_model_upsert, {{"table", spec.table},
                                                          {"columns", columns},
                                                          {"values", values},
                                                          {"arrays", arrays},
                                                          {"assignments", assignments}});
}

std::string find_text(ReadModelSpec const& spec) {
    return with_fragments(
        sql::engine_read_model_find,
        {{"table", spec.table}, {"document", document(spec)}, {"seen_at", seen_at(spec, 4)}, {"shown", shown(spec)}});
}

std::string list_text(ReadModelSpec const& spec) {
    // PostgreSQL takes COALESCE for a function that may leak, and evaluates it only after row-level security: no index
    // serves such a condition. CASE says the same and is known not to.
    for (auto const& condition : spec.conditions) {
        if (condition.sql.find("COALESCE") != std::string_view::npos) {
            throw std::logic_error(fmt::format("no index serves a condition with COALESCE: {}", condition.sql));
        }
    }
    return with_fragments(sql::engine_read_model_list, {{"table", spec.table},
                                                        {"document", document(spec)},
                                                        {"seen_at", seen_at(spec, 3)},
                                                        {"shown", shown(spec)},
                                                        {"conditions", conditions(spec)}});
}

std::string find_own_text(ReadModelSpec const& spec) { return own_text(spec, kFirstOwnOfFind); }

std::string list_own_text(ReadModelSpec const& spec) {
    auto const filters =
        std::ranges::count_if(spec.conditions, [](auto const& condition) { return !condition.member.empty(); });
    return own_text(spec, kFirstFilter + static_cast<int>(filters));
}

AnyReadModel::AnyReadModel(ReadModelSpec spec)
    : spec_(std::move(spec)),
      load_name_(statement_name(spec_, "load")),
      load_text_(projections::load_text(spec_)),
      upsert_name_(statement_name(spec_, "upsert")),
      upsert_text_(projections::upsert_text(spec_)),
      by_id_(statement_name(spec_, "find"), find_text(spec_), find_own_text(spec_)),
      lists_(statement_name(spec_, "list"), list_text(spec_), spec_.sorts, list_own_text(spec_)) {}

std::vector<std::string> AnyReadModel::sort_names() const {
    std::vector<std::string> names;
    for (auto const& key : spec_.sorts) {
        names.emplace_back(key.name);
        names.push_back('-' + names.back());
    }
    return names;
}

}  // namespace workforce::projections
