// The rules of assign, asked of everybody at once.
#include "operations/staff_available.hpp"

#include <algorithm>
#include <tuple>

#include "commands/assignment_rules.hpp"
#include "commands/shift_times.hpp"
#include "operations/declare.hpp"
#include "projections/facilities/facilities.hpp"
#include "projections/organizations/organizations.hpp"
#include "projections/shifts/shifts.hpp"
#include "projections/staff/candidates.hpp"
#include "projections/staff/staff.hpp"

namespace workforce::operations {

/// A shift that there is, or one that there may be.
struct AvailableQuery {
    std::optional<Id> shiftId;
    std::optional<Id> facilityId;
    std::optional<core::Date> date;
    std::optional<core::TimeOfDay> startTime;
    std::optional<core::TimeOfDay> endTime;
    std::optional<core::ShortText> specialty;
    std::optional<core::Int<1, core::kMaxId>> limit;
    std::optional<Id> orgUnitId;

    void check(core::FieldCheck& fields) const {
        auto const ask = [&](char const* name, bool given) {
            if (shiftId && given) fields.fail(name, "excluded", "can't be given with shiftId");
            if (!shiftId && !given && fields.sound(name) && fields.sound("shiftId"))
                fields.fail(name, "required", "is required where no shiftId is given");
        };
        ask("facilityId", facilityId.has_value());
        ask("date", date.has_value());
        ask("startTime", startTime.has_value());
        ask("endTime", endTime.has_value());
        if (shiftId && specialty) fields.fail("specialty", "excluded", "can't be given with shiftId");
        events::check_shift_times(date, startTime, endTime, fields);
    }
};
BOOST_DESCRIBE_STRUCT(AvailableQuery, (), (shiftId, facilityId, date, startTime, endTime, specialty, limit, orgUnitId))

/// A rule that the person would break, and whether that blocks.
struct RatedViolation : commands::Violation {
    events::RuleLevel level = events::RuleLevel::flag;
};
BOOST_DESCRIBE_STRUCT(RatedViolation, (commands::Violation), (level))

struct AvailablePerson {
    events::Staff staff;
    std::vector<RatedViolation> violations;
};
BOOST_DESCRIBE_STRUCT(AvailablePerson, (), (staff, violations))

/// The answer, which get_available() makes of stored JSON.
struct AvailablePeople {
    std::vector<AvailablePerson> data;
    std::int64_t total = 0;  ///< how many people were ranked
    ListScope scope;
};
BOOST_DESCRIBE_STRUCT(AvailablePeople, (), (data, total, scope))

template <>
struct ApiExample<RatedViolation> {
    static void write(core::JsonWriter& w, Side, RatedViolation const&) {
        w.raw(R"({"code":"REST_PERIOD_VIOLATION","staffId":1,"shiftId":2,"level":"flag",)"
              R"("message":"Less than 480 minutes lie between this shift and another one of the staff member."})");
    }
};

namespace {

using boost::asio::awaitable;

/// A person with the place that they have among all.
struct Ranked {
    int blocked = 0;  ///< 0: no rule is broken; 1: some are; 2: one of these blocks
    std::int64_t planned_ms = 0;
    std::string last_name_key;
    Id staff = 0;
    std::vector<commands::Finding> findings;

    [[nodiscard]] auto key() const { return std::tie(blocked, planned_ms, last_name_key, staff); }
};

Ranked rank(events::Shift const& shift, commands::AssignmentRules const& rules, projections::Candidate candidate,
            Caller const& caller) {
    Ranked ranked;
    ranked.last_name_key = std::move(candidate.last_name_key);
    ranked.staff = candidate.staff;
    commands::PersonFacts facts;
    facts.weekly = std::move(candidate.weekly);
    for (auto const& off : candidate.away) facts.away.push_back({off.starts, off.ends, off.id});
    for (auto const& time : candidate.planned) {
        if (time.shift == shift.id) continue;
        bool const shown = caller.facilities.empty() || std::ranges::count(caller.facilities, time.facility) != 0;
        facts.others.push_back({time.starts, time.ends, time.shift, shown});
        bool const same_week = time.starts >= rules.week_starts && time.starts < rules.week_ends;
        if (same_week) ranked.planned_ms += time.ends.ms - time.starts.ms;
    }
    events::Staff staff;  // as far as rules look at one
    staff.id = candidate.staff;
    staff.maxWeeklyHours = candidate.max_weekly_hours;
    if (candidate.has_specialty) staff.specialty = shift.specialty;
    for (auto const& credential : candidate.credentials) facts.held.push_back(&credential);
    ranked.findings = commands::check_assignment(shift, staff, rules, facts);
    for (auto const& finding : ranked.findings)
        ranked.blocked = std::max(ranked.blocked, finding.level == events::RuleLevel::block ? 2 : 1);
    return ranked;
}

/// The document of one resource in the caller's scope. Errors: NOT_FOUND naming it.
template <class Resource, class Model>
awaitable<core::Result<Resource>> read_one(Call& call, projections::Scope scope, Model const& model, Id id) {
    auto const document =
        co_await projections::find_document(call.services.database_of(scope), model.by_id(), scope, id);
    if (!document) co_return commands::not_found(model.spec().noun, id);
    co_return core::from_stored_json<Resource>(document->doc);
}

/// The shift that is asked about, as far as rules go by it. Errors: NOT_FOUND, and VALIDATION_ERROR for its times.
awaitable<core::Result<events::Shift>> asked_shift(Call& call, projections::Scope const& scope,
                                                   AvailableQuery const& query) {
    if (query.shiftId) {
        auto const& model = projections::shifts();
        co_return co_await read_one<events::Shift>(call, scope, model, *query.shiftId);
    }
    events::Shift shift;
    shift.facilityId = *query.facilityId;
    if (query.specialty) shift.specialty = *query.specialty;
    co_return shift;
}

awaitable<core::Result<events::OrganizationSettings>> settings_of(Call& call, projections::Scope const& scope) {
    projections::Scope const live{scope.organization, false, scope.operator_access};
    auto const found =
        co_await read_one<events::Organization>(call, live, projections::organizations(), scope.organization);
    if (!found) co_return tl::unexpected(found.error());
    co_return found->settings;
}

/// Writes the page: of those who are ranked whoever has a document, in the same order.
std::string ranking_of(std::span<Ranked const> ranked, std::vector<std::pair<Id, std::string>> const& docs,
                       Id facility) {
    core::JsonWriter w;
    w.begin_object();
    w.key("data");
    w.begin_array();
    auto person = ranked.begin();
    for (auto const& [id, doc] : docs) {
        while (person->staff != id) ++person;
        w.begin_object();
        w.key("staff");
        w.raw(doc);
        w.key("violations");
        w.begin_array();
        for (auto const& finding : person->findings)
            core::write_json(w, RatedViolation{finding.violation, finding.level});
        w.end_array();
        w.end_object();
    }
    w.end_array();
    w.member("total", static_cast<std::int64_t>(ranked.size()));
    w.key("scope");
    core::write_json(w, ListScope{.facilityId = facility});
    w.end_object();
    return w.take();
}

awaitable<Outcome> get_available(Call& call) {
    auto const query = read_query<AvailableQuery>(call.input.parameters);
    if (!query) co_return refuse(call, query.error());
    auto scope = read_scope(call, query->facilityId);
    if (!scope) co_return refuse(call, scope.error());
    co_await await_own_writes(call);
    if (auto known = co_await check_facility(call, query->facilityId); !known) co_return refuse(call, known.error());
    auto shift = co_await asked_shift(call, *scope, *query);
    if (!shift) co_return refuse(call, shift.error());
    auto const facility =
        co_await read_one<events::Facility>(call, *scope, projections::facilities(), shift->facilityId);
    if (!facility) co_return refuse(call, facility.error());
    if (!query->shiftId) {
        auto span = commands::span_of(*query->date, *query->startTime, *query->endTime, facility->timezone.value);
        if (!span) co_return refuse(call, core::validation_problem({span.error()}));
        static_cast<events::ShiftSpan&>(*shift) = *span;
    }
    auto const settings = co_await settings_of(call, *scope);
    if (!settings) co_return refuse(call, settings.error());

    auto const rules = commands::rules_of(&*facility, *settings, *shift, shift->specialty.value);
    auto& database = call.services.database_of(*scope);
    auto candidates = co_await projections::find_candidates(database, *scope,
                                                            {.facility = shift->facilityId,
                                                             .specialty = shift->specialty.value,
                                                             .from = rules.from(*shift),
                                                             .to = rules.to(*shift),
                                                             .starts = shift->startsAt,
                                                             .ends = shift->endsAt,
                                                             .with_credentials = !rules.required.empty()});
    std::vector<Ranked> ranked;
    for (auto& candidate : candidates) {
        if (std::ranges::count(shift->assignedStaffIds, candidate.staff) == 0)
            ranked.push_back(rank(*shift, rules, std::move(candidate), *call.caller));
    }
    auto const limit = std::min<std::int64_t>(query->limit ? query->limit->value : 50, 200);
    auto const most = std::min(ranked.size(), static_cast<std::size_t>(limit));
    std::ranges::partial_sort(ranked, ranked.begin() + static_cast<std::ptrdiff_t>(most), {}, &Ranked::key);
    std::vector<Id> ids;
    for (auto const& person : std::span(ranked).first(most)) ids.push_back(person.staff);
    projections::PageRoom const room{call.services.page_bytes, &call.services.replies, call.caller->byte_holder()};
    auto documents = co_await projections::find_staff_documents(database, *scope, std::move(ids), room);
    if (!documents) co_return refuse(call, documents.error());
    Outcome outcome;
    outcome.body = ranking_of(ranked, documents->docs, shift->facilityId);
    outcome.facility = shift->facilityId;
    outcome.held = std::move(documents->held);
    co_return outcome;
}

void write_example(core::JsonWriter& w) {
    w.begin_object();
    w.key("data");
    ApiExample<std::vector<AvailablePerson>>::write(w, Side::answer, {});
    w.member("total", 12);
    w.key("scope");
    w.raw(R"({"facilityId":1})");
    w.end_object();
}

}  // namespace

Operation staff_available() {
    auto row = query_with<AvailablePeople, AvailableQuery>("staff.available", "Rank people who could take a shift",
                                                           get_available);
    row.description =
        "Ranks active people for a shift or a time, without those who are on it: those first who break no rule, those "
        "last whom a rule blocks. Returns each with the rules that an assignment would break, where level block "
        "refuses it and flag warns; credentials count where the facility requires them. Follow with {shifts.assign}.";
    row.answer_example = write_example;
    for (auto const kind :
         {events::Kind::staff, events::Kind::shift, events::Kind::facility, events::Kind::organization,
          events::Kind::credential, events::Kind::time_off, events::Kind::user})
        row.reads.push_back(core::enum_name(kind));
    return std::move(row)
        .needs("staff.view")
        .also_needs("shifts.view")
        .about_named(events::Kind::shift, "shiftId")
        .at(net::Method::get, "/api/staff/available")
        .as_tool({.name = "staff_find_available",
                  .description = "Give shiftId, or facilityId, date, startTime and endTime."});
}

}  // namespace workforce::operations
