// Asking for what there is to choose from.
#include "operations/dashboard/page_options.hpp"

#include <algorithm>

#include "core/json_values.hpp"

namespace workforce::operations {
namespace {

using PageOptions = std::vector<InputOption>;

constexpr std::size_t kMostHeld = 20;  // of a list's ids, that are looked for one by one

/// The options that an answer lists, by these members; none of a refusal.
PageOptions options_listed(Outcome const& outcome, std::initializer_list<char const*> called) {
    if (outcome.status >= 300) return {};
    return options_of(*core::parse_json(outcome.body), called);
}

/// Asks for the first 200 of a list where the caller may.
boost::asio::awaitable<Outcome> first_of_list(Call& page, std::string_view operation, QueryMap query) {
    query.emplace("limit", "200");
    return ask(page, {.operation = operation, .parameters = std::move(query)});
}

}  // namespace

boost::asio::awaitable<PageOptions> facility_choices(Call& page, core::JsonValue const* held) {
    auto choices = options_listed(co_await first_of_list(page, "facilities.list", {{"sort", "name"}}), {"name"});
    std::size_t left = held == nullptr ? 0 : kMostHeld;
    for (rapidjson::SizeType i = 0; left > 0 && i < held->Size(); ++i) {
        auto const value = core::json_of((*held)[i]);
        if (std::ranges::count(choices, value, &InputOption::value) > 0) continue;
        --left;
        auto const outcome =
            co_await ask(page, {.operation = "facilities.get", .path = path_of((*held)[i].GetInt64())});
        if (outcome.status >= 300) continue;
        auto const facility = core::parse_json(outcome.body);
        auto const* const note = (*facility)["isActive"].IsTrue() ? "" : " (out of use)";
        choices.push_back({value, (*facility)["name"].GetString() + std::string(note)});
    }
    co_return choices;
}
boost::asio::awaitable<PageOptions> user_choices(Call& page) {
    co_return options_listed(co_await first_of_list(page, "users.list", {{"status", "active,invited,locked"}}),
                             {"firstName", "lastName"});
}
boost::asio::awaitable<PageOptions> staff_choices(Call& page) {
    co_return options_listed(co_await first_of_list(page, "staff.list", {{"sort", "lastName"}}),
                             {"firstName", "lastName"});
}
boost::asio::awaitable<PageOptions> agent_choices(Call& page) {
    co_return options_listed(co_await first_of_list(page, "agents.list", {{"isActive", "any"}, {"sort", "name"}}),
                             {"name"});
}
boost::asio::awaitable<PageOptions> organization_choices(Call& page) {
    if (!page.caller->across_organizations) co_return PageOptions();
    co_return options_listed(co_await first_of_list(page, "organizations.list", {}), {"name"});
}

std::vector<FormField> with_organization(Call const& call, std::span<FormField const> inputs) {
    std::vector<FormField> all;
    if (call.caller->across_organizations) {
        all.push_back({.name = "orgUnitId", .label = "Organization", .kind = FieldKind::id, .required = true});
    }
    all.insert(all.end(), inputs.begin(), inputs.end());
    return all;
}

}  // namespace workforce::operations
