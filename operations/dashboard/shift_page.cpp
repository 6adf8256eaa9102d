// GET /schedule/shifts/{id}: a shift, the people on it, and those who could come.
#include <algorithm>

#include "core/json_values.hpp"
#include "operations/dashboard/pages.hpp"
#include "operations/dashboard/row_names.hpp"
#include "operations/dashboard/swap_form.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

/// The rights of the caller over the people on a shift.
struct PeopleRights {
    bool removable = false;
    bool swappable = false;
};

boost::asio::awaitable<void> add_people(Call& call, PageContent& content, core::JsonValue const& ids,
                                        PeopleRights rights) {
    RowNames names(call);
    core::JsonWriter w;
    w.begin_object();
    w.key("people");
    w.begin_array();
    for (auto const& id : ids.GetArray()) {
        auto const name = co_await names.person(id.GetInt64());
        w.begin_object();
        w.member("id", id.GetInt64());
        w.member("name", name);
        w.member("removable", rights.removable);
        w.member("swappable", rights.swappable);
        w.end_object();
    }
    w.end_array();
    w.end_object();
    content.add_json("people", w.text());
}

/// Adds the offers of the shift, newest first; those that stand can be withdrawn.
boost::asio::awaitable<void> add_offers(Call& call, PageContent& content) {
    RowNames names(call);
    auto const mark = [](core::JsonValue& row, Allocator& allocator) {
        row.AddMember("stands", row["status"] == "offered", allocator);
    };
    co_await names.add_list(
        content, "offers",
        {.operation = "shift_offers.list",
         .parameters = {{"shiftId", std::to_string(call.input.path.id())}, {"sort", "-createdAt"}, {"limit", "50"}}},
        {{"staffId", NamedMember::What::person, "person"}}, mark);
}

/// Says of somebody who could come whether a rule blocks that, and whether the caller may pass it.
RowMark candidate_mark(bool may_override) {
    return [may_override](core::JsonValue& row, Allocator& allocator) {
        auto const broken = row["violations"].GetArray();
        bool const blocked =
            std::any_of(broken.begin(), broken.end(), [](auto const& each) { return each["level"] == "block"; });
        row.AddMember("blocked", blocked, allocator);
        row.AddMember("overridable", blocked && may_override, allocator);
    };
}

boost::asio::awaitable<void> fill_shift(Call& call, PageContent& content) {
    auto const id = call.input.path.id();
    content.add_text("shift_id", std::to_string(id));
    auto const outcome = co_await content.add_subject("shift", {.operation = "shifts.get", .path = path_of(id)});
    if (!outcome) co_return;
    auto const& shift = *outcome;
    content.set_title(fmt::format("{}, {}", shift["title"].GetString(), shift["date"].GetString()));
    RowNames names(call);
    content.add_text("facility", co_await names.name(NamedMember::What::facility, shift["facilityId"].GetInt64()));
    bool const ahead = shift["status"] == "open" || shift["status"] == "assigned";
    bool const begun = std::string_view(shift["startsAt"].GetString()) <= core::to_string(core::now());
    bool const under_way = shift["status"] == "in_progress";
    bool const staffed = ahead || under_way;
    co_await add_people(call, content, shift["assignedStaffIds"],
                        {staffed && may_ask(*call.caller, "shifts.unassign"), can_swap(call, shift)});
    bool const may_override = call.caller->permits("shifts.override");
    content.add_json("may_override", may_override ? "true" : "false");
    co_await add_swap_form(call, content, shift);
    content.add_json("cancellable", staffed && may_ask(*call.caller, "shifts.cancel") ? "true" : "false");
    if (may_ask(*call.caller, "shifts.offer")) co_await add_offers(call, content);
    content.add_json("begun", begun ? "true" : "false");
    if (ahead && shift["openSpots"] != 0 && may_ask(*call.caller, "shifts.assign")) {
        co_await content.add_rows(
            "candidates",
            {.operation = "staff.available", .parameters = {{"shiftId", std::to_string(id)}, {"limit", "20"}}},
            candidate_mark(may_override));
    }
}

core::Result<Question> assign_person(Call const& call, FormFields const& fields) {
    auto const staff = id_field(fields, "staffId");
    if (!staff) return tl::unexpected(staff.error());
    core::JsonWriter w;
    w.begin_object();
    w.member("staffId", *staff);
    if (!field(fields, "override").empty()) {
        w.member("override", true);
        w.member("overrideComment", field(fields, "comment"));
    }
    w.end_object();
    return Question{.operation = "shifts.assign", .path = call.input.path, .body = w.take()};
}

core::Result<Question> unassign_person(Call const& call, FormFields const& fields) {
    auto const staff = id_field(fields, "staffId");
    if (!staff) return tl::unexpected(staff.error());
    return Question{
        .operation = "shifts.unassign", .path = call.input.path, .body = fmt::format(R"({{"staffId":{}}})", *staff)};
}

core::Result<Question> offer_shift_to(Call const& call, FormFields const& fields) {
    auto const staff = id_field(fields, "staffId");
    if (!staff) return tl::unexpected(staff.error());
    return Question{
        .operation = "shifts.offer", .path = call.input.path, .body = fmt::format(R"({{"staffIds":[{}]}})", *staff)};
}

core::Result<Question> withdraw_offer(Call const& /*call*/, FormFields const& fields) {
    auto const offer = id_field(fields, "offerId");
    if (!offer) return tl::unexpected(offer.error());
    return Question{.operation = "shift_offers.withdraw", .path = path_of(*offer)};
}

core::Result<Question> cancel_shift_of(Call const& call, FormFields const& fields) {
    core::JsonWriter w;
    w.begin_object();
    w.member("reason", field(fields, "reason"));
    w.end_object();
    return Question{.operation = "shifts.cancel", .path = call.input.path, .body = w.take()};
}

}  // namespace

DashboardSection shift_section() {
    return {{.name = kShiftPage,
             .path = "/schedule/shifts/{id:int}",
             .title = "Shift",
             .summary = "A shift, and who works on it",
             .needs = "shifts.get",
             .in_menu = false,
             .text = templates::dashboard_shift,
             .parameters = {kSwapped, kSwapDay},
             .fill = fill_shift},
            {{.name = "pages.assign",
              .path = "/schedule/shifts/{id:int}/assign",
              .summary = "Assign a person to a shift by the form",
              .page = kShiftPage,
              .done = "The person is on the shift.",
              .question = assign_person},
             {.name = "pages.unassign",
              .path = "/schedule/shifts/{id:int}/unassign",
              .summary = "Take a person off a shift by the form",
              .page = kShiftPage,
              .done = "The person is off the shift.",
              .question = unassign_person},
             {.name = "pages.offer_shift",
              .path = "/schedule/shifts/{id:int}/offer",
              .summary = "Offer a shift to a person by the form",
              .page = kShiftPage,
              .done = "The shift is offered.",
              .question = offer_shift_to},
             {.name = "pages.withdraw_offer",
              .path = "/schedule/shifts/{id:int}/withdraw-offer",
              .summary = "Withdraw an offer of a shift by the form",
              .page = kShiftPage,
              .done = "The offer is withdrawn.",
              .question = withdraw_offer},
             {.name = "pages.cancel_shift",
              .path = "/schedule/shifts/{id:int}/cancel",
              .summary = "Cancel a shift by the form",
              .page = kShiftPage,
              .done = "The shift is cancelled.",
              .question = cancel_shift_of},
             swap_form()}};
}

}  // namespace workforce::operations
