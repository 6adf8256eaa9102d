// GET /schedule/shifts/{id}: a shift, the people on it, and those who could come.
#include "core/json_values.hpp"
#include "operations/dashboard/pages.hpp"
#include "operations/dashboard/row_names.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kShiftPage = "pages.shift";

boost::asio::awaitable<void> add_people(Call& call, PageContent& content, core::JsonValue const& ids, bool removable) {
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
        w.member("removable", removable);
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
    co_await add_people(call, content, shift["assignedStaffIds"], staffed && may_ask(*call.caller, "shifts.unassign"));
    content.add_json("cancellable", staffed && may_ask(*call.caller, "shifts.cancel") ? "true" : "false");
    if (may_ask(*call.caller, "shifts.offer")) co_await add_offers(call, content);
    content.add_json("begun", begun ? "true" : "false");
    if (ahead && shift["openSpots"] != 0 && may_ask(*call.caller, "shifts.assign")) {
        co_await content.add("candidates", {.operation = "staff.available",
                                            .parameters = {{"shiftId", std::to_string(id)}, {"limit", "20"}}});
    }
}

/// Asks the operation of the shift for the person whom the form names.
template <char const* Operation>
core::Result<Question> ask_for_person(Call const& call, FormFields const& fields) {
    auto const staff = id_field(fields, "staffId");
    if (!staff) return tl::unexpected(staff.error());
    return Question{
        .operation = Operation, .path = call.input.path, .body = fmt::format(R"({{"staffId":{}}})", *staff)};
}
constexpr char kAssign[] = "shifts.assign";      // NOLINT(modernize-avoid-c-arrays): a template's argument
constexpr char kUnassign[] = "shifts.unassign";  // NOLINT(modernize-avoid-c-arrays)

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
             .fill = fill_shift},
            {{.name = "pages.assign",
              .path = "/schedule/shifts/{id:int}/assign",
              .summary = "Assign a person to a shift by the form",
              .page = kShiftPage,
              .done = "The person is on the shift.",
              .question = ask_for_person<kAssign>},
             {.name = "pages.unassign",
              .path = "/schedule/shifts/{id:int}/unassign",
              .summary = "Take a person off a shift by the form",
              .page = kShiftPage,
              .done = "The person is off the shift.",
              .question = ask_for_person<kUnassign>},
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
              .question = cancel_shift_of}}};
}

}  // namespace workforce::operations
