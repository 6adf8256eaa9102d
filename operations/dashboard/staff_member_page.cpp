// GET /staff/{id}: a person who works, with what they have to show and what they worked.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/json_values.hpp"
#include "operations/dashboard/availability_form.hpp"
#include "operations/dashboard/credential_forms.hpp"
#include "operations/dashboard/row_table.hpp"
#include "operations/dashboard/staff_forms.hpp"
#include "operations/dashboard/work_forms.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

using boost::asio::awaitable;

constexpr std::string_view kPersonPage = "pages.staff_member";
constexpr std::string_view kChangePerson = "pages.change_staff";
constexpr std::string_view kSetAvailability = "pages.set_availability";

/// The facilities where the person works, by name.
awaitable<std::string> places_by_name(RowNames& names, core::JsonValue const& person) {
    std::string places;
    for (auto const& id : person["facilityIds"].GetArray()) {
        places += (places.empty() ? "" : ", ") + co_await names.name(NamedMember::What::facility, id.GetInt64());
    }
    co_return places.empty() ? "all facilities" : places;
}

/// Adds what is read about the person besides their record.
awaitable<void> add_lists(Call& call, PageContent& content, RowNames& names, core::JsonValue const& person) {
    auto const path = path_of(person["id"].GetInt64());
    co_await add_table(call, content, names, "credentials", credentials_of_person(),
                       {.operation = "credentials.list_of_staff",
                        .path = path,
                        .parameters = {{"sort", "expiresOn"}, {"limit", "50"}}});
    co_await add_table(
        call, content, names, "timesheets", logs_of_person(),
        {.operation = "timesheets.list_of_staff", .path = path, .parameters = {{"sort", "-clockIn"}, {"limit", "10"}}});
}

awaitable<void> fill_person(Call& call, PageContent& content) {
    auto const id = call.input.path.id();
    content.add_text("staff_id", std::to_string(id));
    auto const found = co_await content.add_subject("person", {.operation = "staff.get", .path = path_of(id)});
    if (!found) co_return;
    auto const& person = *found;
    RowNames names(call);
    content.set_title(fmt::format("{} {}", person["firstName"].GetString(), person["lastName"].GetString()));
    content.add_text("employment", spoken(person["employmentType"].GetString()));
    content.add_text("rate", money_text(person["hourlyRate"]));
    content.add_text("places", co_await places_by_name(names, person));
    co_await add_availability(call, content, id, kSetAvailability, fmt::format("/staff/{}/availability", id));
    co_await add_lists(call, content, names, person);
    auto const may = [&](std::string_view operation) { return may_ask(*call.caller, operation); };
    bool const active = person["isActive"].IsTrue();
    if (may("staff.update")) {
        auto const shape = staff_form(kChangePerson, true);
        auto const options = co_await facility_options(call, &person["facilityIds"]);
        content.add_json("change", shown_form(call, shape, held_fields(shape, person), options));
    }
    content.add_json("ends", active && may("staff.deactivate") ? "true" : "false");
    content.add_json("returns", !active && may("staff.reactivate") ? "true" : "false");
    if (may("credentials.add_to_staff")) {
        content.add_json("credential", shown_form(call, credential_form("pages.add_credential", false), {}));
    }
    co_await add_work_forms(call, content, person);
}

core::Result<Question> change_staff(Call const& call, FormFields const& fields) {
    return body_from(staff_form(kChangePerson, true), fields).map([&](std::string body) {
        return Question{.operation = "staff.update", .path = call.input.path, .body = std::move(body)};
    });
}

core::Result<Question> set_availability(Call const& call, FormFields const& fields) {
    return availability_question(kSetAvailability, call.input.path.id(), fields);
}

core::Result<Question> deactivate_by_form(Call const& call, FormFields const& fields) {
    Question question{.operation = "staff.deactivate", .path = call.input.path};
    if (!field(fields, "force").empty()) question.parameters.emplace("force", "true");
    return question;
}

core::Result<Question> add_credential(Call const& call, FormFields const& fields) {
    return body_from(credential_form("pages.add_credential", false), fields).map([&](std::string body) {
        return Question{.operation = "credentials.add_to_staff", .path = call.input.path, .body = std::move(body)};
    });
}

std::vector<DashboardForm> record_forms() {
    return {{.name = kChangePerson,
             .path = "/staff/{id:int}",
             .summary = "Change a person's record by the form",
             .page = kPersonPage,
             .done = "The record is changed.",
             .of_version = true,
             .question = change_staff},
            {.name = kSetAvailability,
             .path = "/staff/{id:int}/availability",
             .summary = "Say by the form when a person can work",
             .page = kPersonPage,
             .done = "The availability is changed.",
             .of_version = true,
             .question = set_availability},
            {.name = "pages.deactivate_staff",
             .path = "/staff/{id:int}/deactivate",
             .summary = "Deactivate a person by the form",
             .page = kPersonPage,
             .done = "The person is not active any more.",
             .question = deactivate_by_form},
            {.name = "pages.reactivate_staff",
             .path = "/staff/{id:int}/reactivate",
             .summary = "Reactivate a person by the form",
             .page = kPersonPage,
             .done = "The person is active again.",
             .operation = "staff.reactivate"},
            {.name = "pages.add_credential",
             .path = "/staff/{id:int}/credentials",
             .summary = "Add a credential to a person by the form",
             .page = kPersonPage,
             .done = "The credential is added.",
             .question = add_credential}};
}

}  // namespace

DashboardSection staff_member_section() {
    DashboardSection section{{.name = kPersonPage,
                              .path = "/staff/{id:int}",
                              .title = "Person",
                              .summary = "A person who works, with credentials and timesheets",
                              .needs = "staff.get",
                              .in_menu = false,
                              .text = templates::dashboard_staff_member,
                              .fill = fill_person},
                             record_forms()};
    std::ranges::move(work_forms_of(kPersonPage), std::back_inserter(section.forms));
    return section;
}

}  // namespace workforce::operations
