// GET /admin/facilities and /admin/facilities/{id}: where shifts are worked.
#include "operations/dashboard/admin_pages.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kFacilitiesPage = "pages.facilities";
constexpr std::string_view kFacilityPage = "pages.facility";
constexpr std::string_view kAddFacility = "pages.add_facility";
constexpr std::string_view kChangeFacility = "pages.change_facility";

ListView const& facility_list() {
    using Look = ListColumn::Look;
    static ListView const view{.path = "/admin/facilities",
                               .operation = "facilities.list",
                               .what = "Facilities",
                               .row_path = "/admin/facilities",
                               .noun = "Facility",
                               .filters = {{.name = "q", .label = "Name or code"},
                                           {.name = "isActive",
                                            .label = "In use",
                                            .look = ListFilter::Look::choice,
                                            .values = {"false", "any"},
                                            .unset = "yes"}},
                               .columns = {{"Name", "name"},
                                           {"Code", "code"},
                                           {"City", "address/city"},
                                           {"Time zone", "timezone"},
                                           {"Organization", "organizationId", Look::organization},
                                           {"In use", "isActive", Look::yes_no}},
                               .sort = "name"};
    return view;
}

std::vector<FormInput> const& facility_inputs() {
    using enum InputKind;
    static std::vector<FormInput> const inputs{
        {.member = "name", .label = "Name", .required = true},
        {.member = "code", .label = "Code", .longest = 32},
        {.member = "address/line1", .label = "Street and number"},
        {.member = "address/line2", .label = "Floor or building"},
        {.member = "address/postalCode", .label = "Postal code"},
        {.member = "address/city", .label = "City"},
        {.member = "address/region", .label = "Region"},
        {.member = "address/country", .label = "Country"},
        {.member = "phone", .label = "Phone"},
        {.member = "timezone", .label = "Time zone", .hint = "Such as Europe/Berlin"},
        {.member = "departments", .label = "Departments", .kind = lines, .hint = "One a line"},
        {.member = "billMarkupPercent", .label = "Per cent on top of pay that is billed", .kind = number}};
    return inputs;
}

/// What of a facility that there is can be changed besides.
std::vector<FormInput> const& facility_change_inputs() {
    using enum InputKind;
    static std::vector<FormInput> const inputs = [] {
        auto all = facility_inputs();
        constexpr std::array kRules{std::pair("schedulingRules/doubleBooking", "Working elsewhere at that time"),
                                    std::pair("schedulingRules/timeOff", "Having time off"),
                                    std::pair("schedulingRules/inactiveCredential", "Lacking a credential"),
                                    std::pair("schedulingRules/specialtyMismatch", "Another specialty"),
                                    std::pair("schedulingRules/overtime", "Overtime"),
                                    std::pair("schedulingRules/minRest", "Too little rest"),
                                    std::pair("schedulingRules/unavailable", "Not being available")};
        for (auto const& [member, label] : kRules) {
            all.push_back({.member = member,
                           .label = label,
                           .kind = choice,
                           .required = true,
                           .values = {"allow", "flag", "block"}});
        }
        all.push_back({.member = "autoStart", .label = "Shifts start by the clock", .kind = flag, .required = true});
        all.push_back({.member = "autoComplete", .label = "Shifts end by the clock", .kind = flag, .required = true});
        all.push_back(
            {.member = "claimsNeedApproval", .label = "Claims need an approval", .kind = flag, .required = true});
        return all;
    }();
    return inputs;
}

boost::asio::awaitable<void> fill_facilities(Call& call, PageContent& content) {
    add_admin_tabs(call, content, "/admin/facilities");
    co_await add_list_view(call, content, facility_list());
    if (!may_ask(*call.caller, "facilities.create")) co_return;
    FormContent form{.typed = sent_by(call, kAddFacility)};
    form.choices.emplace("orgUnitId", co_await organization_choices(call));
    content.add_json(
        "add", form_json("/admin/facilities", "Add the facility", with_organization(call, facility_inputs()), form));
    content.add_json("sent", form.typed ? "true" : "false");
}

std::vector<ListColumn> const& facility_facts() {
    using Look = ListColumn::Look;
    static std::vector<ListColumn> const facts{{"Organization", "organizationId", Look::organization},
                                               {"Code", "code"},
                                               {"Street", "address/line1"},
                                               {"Postal code", "address/postalCode"},
                                               {"City", "address/city"},
                                               {"Phone", "phone"},
                                               {"Time zone", "timezone"},
                                               {"Departments", "departments", Look::list},
                                               {"In use", "isActive", Look::yes_no}};
    return facts;
}

boost::asio::awaitable<void> fill_facility(Call& call, PageContent& content) {
    auto const id = call.input.path.id();
    add_admin_tabs(call, content, "");
    auto const found = co_await content.add_subject("facility", {.operation = "facilities.get", .path = path_of(id)});
    if (!found) co_return;
    content.set_title((*found)["name"].GetString());
    RowNames names(call);
    content.add_json("facts", co_await facts_json(names, *found, facility_facts()));
    content.add_rights({"facilities.deactivate"});
    if (!may_ask(*call.caller, "facilities.update")) co_return;
    FormContent const form{.record = &*found, .typed = sent_by(call, kChangeFacility)};
    content.add_json("change",
                     form_json(fmt::format("/admin/facilities/{}", id), "Save", facility_change_inputs(), form));
}

core::Result<Question> add_facility(Call const& call, FormFields const& fields) {
    return body_of(with_organization(call, facility_inputs()), fields, Emptied::left_out).map([](std::string body) {
        return Question{.operation = "facilities.create", .body = std::move(body)};
    });
}
core::Result<Question> change_facility(Call const& call, FormFields const& fields) {
    return body_of(facility_change_inputs(), fields, Emptied::cleared).map([&](std::string body) {
        return Question{.operation = "facilities.update", .path = call.input.path, .body = std::move(body)};
    });
}
core::Result<Question> reactivate_facility(Call const& call, FormFields const& /*fields*/) {
    return Question{.operation = "facilities.update", .path = call.input.path, .body = R"({"isActive":true})"};
}

}  // namespace

DashboardSection facilities_section() {
    return {{.name = kFacilitiesPage,
             .path = "/admin/facilities",
             .title = "Facilities",
             .summary = "Where shifts are worked",
             .needs = "users.list",
             .in_menu = false,
             .text = templates::dashboard_facilities,
             .parameters = parameters_of(facility_list()),
             .fill = fill_facilities},
            {{.name = kAddFacility,
              .path = "/admin/facilities",
              .summary = "Add a facility by the form",
              .page = kFacilitiesPage,
              .done = "The facility is added.",
              .leads_to = kFacilityPage,
              .made = "/id",
              .question = add_facility}}};
}

DashboardSection facility_section() {
    return {{.name = kFacilityPage,
             .path = "/admin/facilities/{id:int}",
             .title = "Facility",
             .summary = "A facility and its rules",
             .needs = "users.list",
             .in_menu = false,
             .text = templates::dashboard_facility,
             .fill = fill_facility},
            {{.name = kChangeFacility,
              .path = "/admin/facilities/{id:int}",
              .summary = "Change a facility by the form",
              .page = kFacilityPage,
              .done = "The facility is changed.",
              .question = change_facility},
             {.name = "pages.deactivate_facility",
              .path = "/admin/facilities/{id:int}/deactivate",
              .summary = "Deactivate a facility by the form",
              .page = kFacilityPage,
              .done = "The facility is out of use.",
              .operation = "facilities.deactivate"},
             {.name = "pages.reactivate_facility",
              .path = "/admin/facilities/{id:int}/reactivate",
              .summary = "Reactivate a facility by the form",
              .page = kFacilityPage,
              .done = "The facility is in use again.",
              .question = reactivate_facility}}};
}

}  // namespace workforce::operations
