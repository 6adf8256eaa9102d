// Query strings: parameters are UTF-8 text, and what a list accepts as a filter is what was written.
#include <utility>

#include "events/shift.hpp"
#include "events/staff.hpp"
#include "operations/reads.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {
namespace {

/// A filter of each type that lists have.
struct EveryFilter : projections::ListFilter {
    std::optional<std::vector<events::ShiftStatus>> status;
    std::optional<core::Date> from;
    std::optional<core::Date> to;
    std::optional<std::vector<events::EmploymentType>> employmentType;
    std::optional<core::ShortText> specialty;
    std::optional<core::Id> staffId;
    std::optional<bool> open;
};
BOOST_DESCRIBE_STRUCT(EveryFilter, (projections::ListFilter),
                      (status, from, to, employmentType, specialty, staffId, open))

std::string encoded(std::string_view text) {
    std::string result;
    for (unsigned char const c : text) result += {'%', "0123456789ABCDEF"[c >> 4U], "0123456789abcdef"[c & 15U]};
    return result;
}

/// Filters reach SQL as parameters, which can't hold a NUL.
bool is_line(std::optional<core::ShortText> const& text) {
    return !text ||
           (is_utf8(text->value) && text->value.find_first_of(std::string_view("\0\n", 2)) == std::string::npos);
}

template <class Query>
std::string read(operations::QueryMap const& parameters) {
    auto const query = operations::read_query<Query>(parameters);
    if (!query) {
        require(core::parse_json(query.error().details).has_value(), "a refusal's details are JSON");
        return {};
    }
    if (query->limit) require(query->limit->value >= 1, "a limit is positive");
    if (query->updatedSince) require(*query->updatedSince >= core::kFirstMoment, "PostgreSQL knows the moment");
    if constexpr (requires { query->from; }) {
        if (query->from) require(*query->from >= core::kFirstDate, "PostgreSQL knows the day");
    }
    if constexpr (requires { query->specialty; }) require(is_line(query->specialty), "a filter is a line of text");
    return core::to_json(*query);
}

}  // namespace

void fuzz(std::string_view input) {
    (void)operations::percent_decode(input, false);
    auto const parameters = operations::parse_query(input);
    if (!parameters) return;
    std::string again;
    for (auto const& [name, value] : *parameters) {
        require(is_utf8(name) && is_utf8(value), "parameters are UTF-8");
        again += encoded(name) + '=' + encoded(value) + '&';
    }
    auto const second = operations::parse_query(again);
    require(second && *second == *parameters, "parameters that are encoded come back");
    read<operations::ListQuery<projections::ListFilter>>(*parameters);
    auto const list = read<operations::ListQuery<EveryFilter>>(*parameters);
    require(list == read<operations::ListQuery<EveryFilter>>(*second), "a filter means the same however it is encoded");
    (void)operations::read_query<operations::ScopeQuery>(*parameters);
}

}  // namespace workforce::tests
