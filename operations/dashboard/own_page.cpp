// GET /me: a person's own shifts, time, time off and calendar; what they are told, programs that act for them, and
// their sessions.
#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "operations/dashboard/availability_form.hpp"
#include "operations/dashboard/own_parts.hpp"
#include "operations/dashboard/pages.hpp"
#include "operations/dashboard/row_names.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kSetOwnAvailability = "pages.set_own_availability";

Id own_staff(Call const& call) { return call.caller->user.staffId.value.value_or(0); }

/// Says of a row whether its status is one of these.
RowMark standing_where(std::vector<std::string_view> statuses) {
    return [statuses = std::move(statuses)](core::JsonValue& row, Allocator& allocator) {
        row.AddMember("standing", std::ranges::count(statuses, row["status"].GetString()) > 0, allocator);
    };
}

/// Says of a swap what its person may do: answer where it asks them, cancel where they asked.
RowMark swap_mark(Id staff) {
    return [staff](core::JsonValue& row, Allocator& allocator) {
        bool const waits = row["status"] == "pending_peer";
        bool const pending = waits || row["status"] == "pending_approval";
        row.AddMember("asks_me", waits && row["otherStaffId"] == staff, allocator);
        row.AddMember("declinable", pending && row["otherStaffId"] == staff, allocator);
        row.AddMember("cancellable", pending && row["staffId"] == staff, allocator);
    };
}

/// What keeps a person from asking for a shift, as far as the page knows.
struct OwnPlaces {
    Id staff = 0;
    std::vector<Id> facilities;  ///< where they work; empty: everywhere
    std::vector<Id> claimed;     ///< shifts that they wait for
};

/// Says of a shift whether the person can't ask for it: they work elsewhere, are on it, or wait for it.
RowMark unavailable_mark(OwnPlaces own) {
    return [own = std::move(own)](core::JsonValue& row, Allocator& allocator) {
        auto const on = row["assignedStaffIds"].GetArray();
        bool const mine = std::any_of(on.begin(), on.end(), [&](auto const& id) { return id == own.staff; });
        bool const elsewhere =
            !own.facilities.empty() && std::ranges::count(own.facilities, row["facilityId"].GetInt64()) == 0;
        bool const waits = std::ranges::count(own.claimed, row["id"].GetInt64()) > 0;
        row.AddMember("unavailable", mine || elsewhere || waits, allocator);
    };
}

/// Adds open shifts that the person can ask for.
boost::asio::awaitable<void> add_open_shifts(Call& call, PageContent& content, OwnPlaces own) {
    auto const record = co_await ask(call, {.operation = "staff.get", .path = path_of(own.staff)});
    if (record.status < 300) {
        auto const document = core::parse_json(record.body);
        for (auto const& id : (*document)["facilityIds"].GetArray()) own.facilities.push_back(id.GetInt64());
    }
    QueryMap query{{"open", "true"}, {"sort", "startsAt"}, {"limit", "100"}};
    if (own.facilities.size() == 1) query.emplace("facilityId", std::to_string(own.facilities.front()));
    co_await content.add_rows("open_shifts", {.operation = "shifts.list", .parameters = std::move(query)},
                              unavailable_mark(std::move(own)));
}

/// Adds what planners and colleagues ask of the person, and what the person asked for.
boost::asio::awaitable<void> add_requests(Call& call, PageContent& content, Id staff) {
    auto const id = std::to_string(staff);
    RowNames names(call);
    if (may_ask(*call.caller, "shift_offers.accept")) {
        co_await names.add_list(
            content, "offers",
            {.operation = "shift_offers.list", .parameters = {{"staffId", id}, {"status", "offered"}, {"limit", "20"}}},
            {{"shiftId", NamedMember::What::shift, "shift"}});
    }
    OwnPlaces own{staff, {}, {}};
    auto const note_claim = [&own](core::JsonValue& row, Allocator&) {
        own.claimed.push_back(row["shiftId"].GetInt64());
    };
    auto const claims = [&](char const* status, char const* limit) {
        return Question{.operation = "shift_claims.list",
                        .parameters = {{"staffId", id}, {"status", status}, {"sort", "-createdAt"}, {"limit", limit}}};
    };
    co_await names.add_list(content, "claims", claims("pending", "50"),
                            {{"shiftId", NamedMember::What::shift, "shift"}}, note_claim);
    co_await names.add_list(content, "past_claims", claims("approved,declined,withdrawn,expired", "10"),
                            {{"shiftId", NamedMember::What::shift, "shift"}});
    if (may_ask(*call.caller, "shift_claims.create")) co_await add_open_shifts(call, content, std::move(own));
    auto const swaps = [&](char const* status, char const* limit) {
        return Question{.operation = "shift_swaps.list",
                        .parameters = {{"staffId", id}, {"status", status}, {"sort", "-createdAt"}, {"limit", limit}}};
    };
    std::vector<NamedMember> const both{{"staffId", NamedMember::What::person, "person"},
                                        {"shiftId", NamedMember::What::shift, "shift"},
                                        {"otherStaffId", NamedMember::What::person, "other_person"},
                                        {"otherShiftId", NamedMember::What::shift, "other_shift"}};
    co_await names.add_list(content, "swaps", swaps("pending_peer,pending_approval", "50"), both, swap_mark(staff));
    co_await names.add_list(content, "past_swaps", swaps("approved,declined,rejected,cancelled,expired", "10"), both);
    co_await names.add_list(
        content, "time_off",
        {.operation = "time_off.list", .parameters = {{"staffId", id}, {"sort", "-startDate"}, {"limit", "20"}}}, {},
        standing_where({"pending", "approved"}));
}

boost::asio::awaitable<void> fill_own(Call& call, PageContent& content) {
    auto const staff = own_staff(call);
    content.add_json("no_staff", staff == 0 ? "true" : "false");
    content.add_rights({"shifts.acknowledge", "time_off.create", "calendars.share"});
    co_await content.add("grants", {.operation = "oauth.grants"});
    co_await content.add("sessions", {.operation = "auth.sessions"});
    co_await add_own_notifications(call, content);
    if (staff == 0) co_return;
    co_await add_clock(call, content, staff);
    auto const id = std::to_string(staff);
    auto const yesterday = core::Date{core::local_date(core::now(), "UTC").days - 1};
    co_await content.add_rows(
        "shifts",
        {.operation = "shifts.list",
         .parameters = {{"staffId", id}, {"from", to_string(yesterday)}, {"sort", "startsAt"}, {"limit", "50"}}},
        [](core::JsonValue& row, Allocator& allocator) {
            row.AddMember("ahead", row["status"] == "open" || row["status"] == "assigned", allocator);
        });
    co_await add_requests(call, content, staff);
    co_await add_availability(call, content, staff, kSetOwnAvailability, "/me/availability");
}

core::Result<Question> set_own_availability(Call const& call, FormFields const& fields) {
    return availability_question(kSetOwnAvailability, own_staff(call), fields);
}

core::Result<Question> share_calendar(Call const& call, FormFields const& /*fields*/) {
    return Question{.operation = "calendars.share", .path = path_of(own_staff(call))};
}

core::Result<Question> ask_for_time_off(Call const& call, FormFields const& fields) {
    core::JsonWriter w;
    w.begin_object();
    w.member("staffId", own_staff(call));
    for (auto const* name : {"type", "startDate", "endDate", "note"}) w.member(name, field(fields, name));
    w.end_object();
    return Question{.operation = "time_off.create", .body = w.take()};
}

core::Result<Question> answer_offer(Call const& call, FormFields const& fields) {
    static constexpr std::array kChoices{Choice{"accept", "shift_offers.accept"},
                                         Choice{"decline", "shift_offers.decline"}};
    return chosen_question(call, fields, kChoices);
}

core::Result<Question> answer_swap(Call const& call, FormFields const& fields) {
    static constexpr std::array kChoices{Choice{"accept", "shift_swaps.accept"},
                                         Choice{"decline", "shift_swaps.decline"},
                                         Choice{"cancel", "shift_swaps.cancel"}};
    return chosen_question(call, fields, kChoices);
}

/// Forms about the person's work.
std::vector<DashboardForm> work_forms() {
    return {{.name = "pages.acknowledge",
             .path = "/me/shifts/{id:int}/acknowledge",
             .summary = "Acknowledge one's own shift by the form",
             .page = kOwnPage,
             .done = "Your planner knows that you know.",
             .operation = "shifts.acknowledge"},
            {.name = "pages.claim_shift",
             .path = "/me/shifts/{id:int}/claim",
             .summary = "Ask for an open shift by the form",
             .page = kOwnPage,
             .done = "You have asked for the shift; what came of it stands below.",
             .operation = "shift_claims.create"},
            {.name = "pages.withdraw_claim",
             .path = "/me/shifts/{id:int}/claims/{claimId:int}/withdraw",
             .summary = "Withdraw one's own claim of a shift by the form",
             .page = kOwnPage,
             .done = "It is withdrawn.",
             .operation = "shift_claims.withdraw"},
            {.name = "pages.answer_offer",
             .path = "/me/offers/{id:int}",
             .summary = "Accept or decline an offer of a shift by the form",
             .page = kOwnPage,
             .done = "Your planner has your answer.",
             .question = answer_offer},
            {.name = "pages.answer_swap",
             .path = "/me/swaps/{id:int}",
             .summary = "Answer or cancel a request to change places by the form",
             .page = kOwnPage,
             .done = "Your answer was sent.",
             .question = answer_swap},
            {.name = "pages.ask_for_time_off",
             .path = "/me/time-off",
             .summary = "Ask for time off by the form",
             .page = kOwnPage,
             .done = "Your request was sent.",
             .question = ask_for_time_off},
            {.name = "pages.cancel_time_off",
             .path = "/me/time-off/{id:int}/cancel",
             .summary = "Cancel one's own time off by the form",
             .page = kOwnPage,
             .done = "It is cancelled.",
             .operation = "time_off.cancel"},
            {.name = kSetOwnAvailability,
             .path = "/me/availability",
             .summary = "Say by the form when one can work",
             .page = kOwnPage,
             .done = "Your planner sees when you can work.",
             .of_version = true,
             .question = set_own_availability}};
}

/// Forms about the person's calendar and account.
std::vector<DashboardForm> account_forms() {
    return {{.name = "pages.share_calendar",
             .path = "/me/calendar",
             .summary = "Have an address for one's calendar by the form",
             .page = kOwnPage,
             .done = "Here is the new address. The old one no longer works.",
             .shows_answer = true,
             .question = share_calendar},
            {.name = "pages.revoke_grant",
             .path = "/me/programs/{id:int}/revoke",
             .summary = "Revoke a program's access by the form",
             .page = kOwnPage,
             .done = "The program no longer acts for you.",
             .operation = "oauth.revoke_grant"},
            {.name = "pages.end_session",
             .path = "/me/sessions/{id:int}/end",
             .summary = "End one of one's sessions by the form",
             .page = kOwnPage,
             .done = "The session is ended.",
             .operation = "auth.end_session"}};
}

}  // namespace

DashboardSection own_section() {
    DashboardSection section{{.name = kOwnPage,
                              .path = "/me",
                              .title = "Me",
                              .summary = "One's own shifts, time, notifications, programs and sessions",
                              .text = templates::dashboard_own,
                              .fill = fill_own},
                             work_forms()};
    for (auto&& forms : {account_forms(), clock_forms(), notification_forms()}) {
        std::ranges::copy(forms, std::back_inserter(section.forms));
    }
    return section;
}

}  // namespace workforce::operations
