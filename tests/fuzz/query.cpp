// Query strings: parameters are UTF-8 text, and what a list accepts as a filter is what was written.
#include <utility>

#include "api/rest/read_routes.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {
namespace {

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
std::string read(api::QueryMap const& parameters) {
    auto const query = api::read_query<Query>(parameters);
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
    (void)api::percent_decode(input, false);
    auto const parameters = api::parse_query(input);
    if (!parameters) return;
    std::string again;
    for (auto const& [name, value] : *parameters) {
        require(is_utf8(name) && is_utf8(value), "parameters are UTF-8");
        again += encoded(name) + '=' + encoded(value) + '&';
    }
    auto const second = api::parse_query(again);
    require(second && *second == *parameters, "parameters that are encoded come back");
    read<api::ListQuery>(*parameters);
    auto const list = read<api::ShiftListQuery>(*parameters);
    require(list == read<api::ShiftListQuery>(*second), "a filter means the same however it is encoded");
    read<api::StaffListQuery>(*parameters);
    read<api::FacilityListQuery>(*parameters);
    (void)api::read_query<api::ScopeQuery>(*parameters);
    (void)api::read_query<api::ActivityQuery>(*parameters);
}

}  // namespace workforce::tests
