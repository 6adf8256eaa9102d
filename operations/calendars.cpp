// A person's shifts for calendar programs, which read an address with a token in it (domain 3.3).
#include <algorithm>
#include <map>

#include "commands/command.hpp"
#include "core/excerpt.hpp"
#include "operations/accounts.hpp"
#include "operations/calendar_text.hpp"
#include "operations/declare.hpp"
#include "operations/oauth/oauth.hpp"
#include "operations/words/words.hpp"
#include "projections/facilities/facilities.hpp"
#include "projections/organizations/organizations.hpp"
#include "projections/shifts/shifts.hpp"
#include "projections/staff/staff.hpp"
#include "workers/store/calendar_tokens.hpp"

namespace workforce::operations {

struct CalendarQuery {
    core::Text<1, 100> token;
};
BOOST_DESCRIBE_STRUCT(CalendarQuery, (), (token))

struct CalendarAddress {
    std::string url;
};
BOOST_DESCRIBE_STRUCT(CalendarAddress, (), (url))

template <>
struct ApiExample<CalendarAddress> {
    static void write(core::JsonWriter& w, Side, CalendarAddress const&) {
        w.raw(R"({"url":"https://api.example.com/api/staff/12/calendar.ics?token=8fQz…"})");
    }
};

namespace {

using boost::asio::awaitable;
using core::Code;

constexpr std::int32_t kDaysBack = 31;
constexpr std::size_t kMostShifts = 500;  // of which the text is far from what a stranger's answer may have
constexpr std::size_t kMostNotes = 500;   // bytes

workers::CalendarTokens& tokens(Call& call) { return call.services.accounts->calendar_tokens; }

/// The person whose calendar the call shares or ends. Their own address shows all their shifts; an address that
/// somebody else makes shows no more than its maker sees. Errors: NOT_FOUND.
awaitable<core::Result<workers::CalendarOwner>> asked_owner(Call& call) {
    auto const id = call.input.path.id();
    auto const seen = co_await require_seen(call, projections::staff(), id);
    if (!seen) co_return tl::unexpected(seen.error());
    auto const& caller = *call.caller;
    workers::CalendarOwner owner{call.meta.organization, call.meta.sandbox, id};
    bool const themselves = caller.counts_as_person() && caller.user.staffId.value == id;
    if (!themselves) owner.facilities = caller.facilities;
    co_return owner;
}

awaitable<Outcome> make_token(Call& call) {
    auto const owner = co_await asked_owner(call);
    if (!owner) co_return refuse(call, owner.error());
    auto const token = co_await tokens(call).make(*owner);
    if (!token) co_return refuse(call, commands::not_found(projections::staff().spec().noun, owner->staff).value());
    CalendarAddress const address{
        fmt::format("{}/api/staff/{}/calendar.ics?token={}", call.services.oauth->issuer, owner->staff, *token)};
    co_return Outcome{.body = core::to_json(address)};
}

awaitable<Outcome> end_token(Call& call) {
    auto const owner = co_await asked_owner(call);
    if (!owner) co_return refuse(call, owner.error());
    co_await tokens(call).remove(*owner);
    co_return Outcome{.status = 204};
}

/// The resource that a read model shows of that id; nothing where there is none.
template <auto Model>
awaitable<std::optional<typename ModelOf<Model>::Resource>> found_by_id(Call& call, projections::Scope scope, Id id) {
    auto const document = co_await Model().find(call.services.database_of(scope), scope, id);
    if (!document) co_return std::nullopt;
    co_return core::from_stored_json<typename ModelOf<Model>::Resource>(document->doc);
}

/// The active person that a token opens the calendar of, in an active organization; nothing for any other token.
awaitable<std::optional<events::Staff>> person_of(Call& call, workers::CalendarOwner const& owner) {
    projections::Scope const live{owner.organization, false};
    auto const organization = co_await found_by_id<projections::organizations>(call, live, owner.organization);
    if (!organization || !organization->isActive) co_return std::nullopt;
    projections::Scope const scope{owner.organization, owner.sandbox};
    auto person = co_await found_by_id<projections::staff>(call, scope, owner.staff);
    if (!person || !person->isActive) co_return std::nullopt;
    co_return person;
}

/// The shifts that the person is on from some weeks back, the earliest first, at most kMostShifts. Errors: as of lists.
awaitable<core::Result<std::vector<events::Shift>>> shifts_of(Call& call, workers::CalendarOwner const& owner) {
    projections::Scope const scope{owner.organization, owner.sandbox, false, owner.facilities};
    projections::ShiftFilter filter;
    filter.staffId = owner.staff;
    filter.from = core::Date{core::local_date(core::now(), "UTC").days - kDaysBack};
    projections::PageRequest request{.limit = projections::kMaxLimit, .sort = "startsAt"};
    std::vector<events::Shift> shifts;
    while (true) {
        auto page = co_await projections::shifts().lists().run(call.services.database_of(scope), scope, request,
                                                               projections::shifts().filters(filter));
        if (!page) co_return tl::unexpected(page.error());
        std::ranges::move(core::from_stored_json<std::vector<events::Shift>>(page->rows), std::back_inserter(shifts));
        if (shifts.size() > kMostShifts) shifts.resize(kMostShifts);
        if (!page->has_more || shifts.size() == kMostShifts) co_return shifts;
        request.after = std::move(page->next);
    }
}

std::string place_of(events::Facility const& facility) {
    std::string place = facility.name.value;
    for (auto const& part : {facility.address.line1.value, facility.address.city.value}) {
        if (!part.empty()) place += ", " + part;
    }
    return place;
}

std::string description_of(events::Shift const& shift) {
    std::string lines;
    for (auto const& line :
         {shift.department.value, shift.specialty.value, core::excerpt(shift.notes.value, kMostNotes)}) {
        if (line.empty()) continue;
        if (!lines.empty()) lines += '\n';
        lines += line;
    }
    return lines;
}

awaitable<Outcome> read_calendar(Call& call) {
    core::Problem const absent{Code::not_found, "There is no such calendar.", {}, "Have a new address made."};
    auto const query = read_query<CalendarQuery>(call.input.parameters);
    if (!query) co_return refuse(call, query.error());
    auto const owner = co_await tokens(call).find(query->token.value);
    if (!owner || owner->staff != call.input.path.id()) co_return refuse(call, absent);
    auto const person = co_await person_of(call, *owner);
    if (!person) co_return refuse(call, absent);
    auto const shifts = co_await shifts_of(call, *owner);
    if (!shifts) co_return refuse(call, shifts.error());
    std::map<Id, std::string> places;
    std::vector<CalendarEntry> entries;
    auto const host = call.services.oauth->issuer.substr(call.services.oauth->issuer.find("//") + 2);
    for (auto const& shift : *shifts) {
        auto const [place, is_new] = places.try_emplace(shift.facilityId);
        if (is_new) {
            projections::Scope const scope{owner->organization, owner->sandbox};
            auto const facility = co_await found_by_id<projections::facilities>(call, scope, shift.facilityId);
            if (facility) place->second = place_of(*facility);
        }
        entries.push_back({.uid = fmt::format("shift-{}@{}", shift.id, host),
                           .changed = shift.updatedAt,
                           .starts = shift.startsAt,
                           .ends = shift.endsAt,
                           .title = shift.title.value,
                           .place = place->second,
                           .description = description_of(shift)});
    }
    auto const name = projections::full_name(person->firstName.value.value, person->lastName.value.value);
    co_return Outcome{.body = calendar_text("Shifts of " + name, entries)};
}

Operation of_person(Operation row) {
    row.parameters = parameters_of<TargetQuery>();
    return std::move(row)
        .appends_nothing()
        .needs("staff.edit")
        .or_own("scheduling.request")
        .also_needs("shifts.view")
        .about_named(events::Kind::staff, "id");
}

}  // namespace

std::vector<Operation> calendar_operations() {
    using enum net::Method;
    Operation made = query<CalendarAddress>("calendars.share", "Make the address of a person's calendar", make_token);
    Operation ended;
    ended.name = "calendars.end";
    ended.summary = "End the address of a person's calendar";
    ended.success = 204;
    ended.handler = end_token;
    Operation read =
        query_with<std::string, CalendarQuery>("calendars.get", "A person's shifts as a calendar", read_calendar);
    for (auto const kind :
         {events::Kind::shift, events::Kind::staff, events::Kind::facility, events::Kind::organization})
        read.reads.push_back(core::enum_name(kind));
    return {
        of_person(std::move(made))
            .says(
                "Returns an address that calendar programs subscribe to, with a token in it, which is shown this once: "
                "whoever has it reads the person's shifts. A former address of the person ends. People make their own; "
                "staff.edit with shifts.view makes anybody's, of shifts that the caller sees.")
            .at(post, "/api/staff/{id:int}/calendar-token"),
        of_person(std::move(ended))
            .says("The person's address ends, if there is one.")
            .destroys()
            .at(del, "/api/staff/{id:int}/calendar-token"),
        std::move(read)
            .says("Returns the shifts that the person is on, from 31 days back and at most 500, as iCalendar (RFC "
                  "5545), by the address that {calendars.share} gave. 404 once that ended, and while the person is not "
                  "active.")
            .refuses({Code::not_found})
            .by_anyone()
            .gives({MediaType::calendar})
            .at(get, "/api/staff/{id:int}/calendar.ics"),
    };
}

std::vector<StructWords> calendar_words() {
    return {
        {{"CalendarQuery"}, {{"token", "What the address has, from {calendars.share}"}}},
        {{"CalendarAddress"}, {{"url", "The address, with its token; shown this once"}}},
    };
}

}  // namespace workforce::operations
