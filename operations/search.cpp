// One question to the lists of people, shifts, leads and facilities (domain 3.6).
#include <algorithm>
#include <array>

#include "operations/declare.hpp"
#include "operations/words/words.hpp"
#include "projections/facilities/facilities.hpp"
#include "projections/leads/leads.hpp"
#include "projections/shifts/shifts.hpp"
#include "projections/staff/staff.hpp"

namespace workforce::operations {

/// Kinds of resources that are searched, in the order of an answer.
enum class FoundKind : std::uint8_t { staff, shift, lead, facility };
BOOST_DESCRIBE_ENUM(FoundKind, staff, shift, lead, facility)

struct SearchQuery : ScopeQuery {
    core::Text<2, 100> q;
    std::optional<core::Int<1, core::kMaxId>> limit;  ///< default 20, which is also the most
};
BOOST_DESCRIBE_STRUCT(SearchQuery, (ScopeQuery), (q, limit))

/// A resource that was found.
struct Found {
    FoundKind kind = FoundKind::staff;
    Id id = 0;
    std::string title;
    std::string subtitle;
    core::Nullable<Id> facilityId;  ///< null: of no facility, or of several
};
BOOST_DESCRIBE_STRUCT(Found, (), (kind, id, title, subtitle, facilityId))

struct FoundAll {
    std::vector<Found> data;
};
BOOST_DESCRIBE_STRUCT(FoundAll, (), (data))

template <>
struct ApiExample<FoundAll> {
    static void write(core::JsonWriter& w, Side, FoundAll const&) {
        w.raw(R"({"data":[{"kind":"shift","id":12,"title":"Night shift","subtitle":"2026-07-24 19:00-07:00, ICU",)"
              R"("facilityId":1}]})");
    }
};

namespace {

using boost::asio::awaitable;
using Hits = std::vector<Found>;

constexpr std::size_t kMostHits = 20;

Found found(events::Staff const& person) {
    auto const& at = person.facilityIds;
    return {.kind = FoundKind::staff,
            .id = person.id,
            .title = projections::full_name(person.firstName.value, person.lastName.value),
            .subtitle = person.email.value,
            .facilityId = at.size() == 1 ? core::Nullable<Id>(at.front()) : core::Nullable<Id>()};
}

Found found(events::Shift const& shift) {
    auto when = fmt::format("{} {}-{}", core::to_string(shift.date), core::to_string(shift.startTime),
                            core::to_string(shift.endTime));
    if (!shift.department.value.empty()) when += ", " + shift.department.value;
    return {.kind = FoundKind::shift,
            .id = shift.id,
            .title = shift.title.value,
            .subtitle = std::move(when),
            .facilityId = shift.facilityId};
}

Found found(events::Lead const& lead) {
    auto const& name = lead.name.value.value;
    auto const& company = lead.company.value;
    auto const& email = lead.email.value.value;
    return {.kind = FoundKind::lead,
            .id = lead.id,
            .title = name.empty() ? company : name,
            .subtitle = name.empty() || company.empty() ? email : company,
            .facilityId = lead.facilityId};
}

Found found(events::Facility const& facility) {
    return {.kind = FoundKind::facility,
            .id = facility.id,
            .title = facility.name.value,
            .subtitle = facility.code.value,
            .facilityId = facility.id};
}

/// The first rows of the read model's list that match, those of them before others whose title begins so. The caller
/// has no right to read such rows: none. Errors: as of the list.
template <auto Model>
awaitable<core::Result<Hits>> hits_of(Call& call, SearchQuery const& query, std::string_view sort) {
    using Resource = typename ModelOf<Model>::Resource;
    Hits hits;
    auto const* reader = reader_of(*call.caller, events::kKindOfState<typename ModelOf<Model>::State>);
    if (reader == nullptr) co_return hits;
    auto const scope = read_scope_of(call, *reader, query.facilityId);
    if (!scope) co_return tl::unexpected(scope.error());
    auto const& services = call.services;
    typename ModelOf<Model>::Filter filter;
    filter.q = query.q;
    projections::PageRequest request{.limit = kMostHits, .sort = std::string(sort)};
    request.room = {services.page_bytes, &services.replies, call.caller->byte_holder()};
    auto const page =
        co_await Model().lists().run(services.database_of(*scope), *scope, std::move(request), Model().filters(filter));
    if (!page) co_return tl::unexpected(page.error());
    for (auto const& resource : core::from_stored_json<std::vector<Resource>>(page->rows))
        hits.push_back(found(resource));
    auto const begins = core::fold_case(query.q.value);
    std::ranges::stable_partition(hits,
                                  [&](Found const& hit) { return core::fold_case(hit.title).starts_with(begins); });
    co_return hits;
}

/// As many as there is place for, each kind in turn, so that no kind crowds another out; in the order of kinds.
Hits fairly(std::span<Hits> kinds, std::size_t most) {
    std::vector<std::size_t> taken(kinds.size());
    for (bool more = true; more && most > 0;) {
        more = false;
        for (std::size_t i = 0; i < kinds.size() && most > 0; ++i) {
            if (taken[i] == kinds[i].size()) continue;
            ++taken[i];
            --most;
            more = true;
        }
    }
    Hits all;
    for (std::size_t i = 0; i < kinds.size(); ++i)
        std::move(kinds[i].begin(), kinds[i].begin() + static_cast<std::ptrdiff_t>(taken[i]), std::back_inserter(all));
    return all;
}

awaitable<Outcome> search(Call& call) {
    auto const query = read_query<SearchQuery>(call.input.parameters);
    if (!query) co_return refuse(call, query.error());
    if (auto scope = read_scope(call, query->facilityId); !scope) co_return refuse(call, scope.error());
    co_await await_own_writes(call);
    if (auto known = co_await check_facility(call, query->facilityId); !known) co_return refuse(call, known.error());
    std::array<core::Result<Hits>, 4> lists{co_await hits_of<projections::staff>(call, *query, "lastName"),
                                            co_await hits_of<projections::shifts>(call, *query, "-startsAt"),
                                            co_await hits_of<projections::leads>(call, *query, "-createdAt"),
                                            co_await hits_of<projections::facilities>(call, *query, "name")};
    std::array<Hits, 4> kinds;
    for (std::size_t i = 0; i < lists.size(); ++i) {
        if (!lists[i]) co_return refuse(call, lists[i].error());
        kinds[i] = *std::move(lists[i]);
    }
    auto const limit = query->limit ? static_cast<std::size_t>(query->limit->value) : kMostHits;
    Outcome outcome{.body = core::to_json(FoundAll{fairly(kinds, std::min(limit, kMostHits))})};
    outcome.facility = query->facilityId.value_or(0);
    co_return outcome;
}

}  // namespace

std::vector<Operation> search_operations() {
    auto row = query_with<FoundAll, SearchQuery>("search.all", "Search people, shifts, leads and facilities", search);
    row.description =
        "Returns at most 20 of the active people, shifts, leads and active facilities that have that text in their "
        "names "
        "and the like, of the kinds that you may read: each as {staff.list}, {shifts.list}, {leads.list} and "
        "{facilities.list} find them by q. Each kind gets its share of the places, and of the first 20 that such a "
        "list "
        "has those come first whose title begins so.";
    for (auto const kind :
         {events::Kind::staff, events::Kind::shift, events::Kind::lead, events::Kind::facility, events::Kind::user})
        row.reads.push_back(core::enum_name(kind));
    return {std::move(row).for_any_organization().at(net::Method::get, "/api/search")};
}

std::vector<StructWords> search_words() {
    return {
        {{"SearchQuery"},
         {{"q", "Part of a name, title, e-mail address, department, specialty, company or code, in any case"},
          {"limit", "How many at most; 20 by default, and never more"}}},
        {{"Found"},
         {{"kind", "What it is, which tells where id leads"},
          {"id", "Its id among those of its kind"},
          {"title", "The person's or facility's name, the shift's title, the lead's name or company"},
          {"subtitle",
           "The person's e-mail address, the shift's date and times, the lead's company or e-mail address, "
           "the facility's code"},
          {"facilityId", "The facility that it is of, or is; null: none, or several"}}},
        {{"FoundAll"}, {{"data", "What was found, kind by kind"}}},
        {{"FoundKind"}, {{"", "The kinds of resources that are searched"}}},
    };
}

}  // namespace workforce::operations
