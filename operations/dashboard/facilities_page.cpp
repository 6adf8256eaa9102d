// GET /admin/facilities and /admin/facilities/{id}: where shifts are worked.
#include "operations/dashboard/admin_pages.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kFacilitiesPage = "pages.facilities";
constexpr std::string_view kFacilityPage = "pages.facility";
constexpr std::string_view kAddFacility = "pages.add_facility";
constexpr std::string_view kChangeFacility = "pages.change_facility";

ListShape const& facility_list() {
    static ListShape const shape{
        .operation = "facilities.list",
        .path = "/admin/facilities",
        .sort = "name",
        .filters = {{.name = "q", .label = "Name or code"},
                    {.name = "isActive",
                     .label = "In use",
                     .kind = FieldKind::choice,
                     .values = {"false=no", "any"},
                     .blank = "yes"}},
        .table = {.caption = "Facilities",
                  .none = "There are none.",
                  .columns = {{.member = "name", .header = "Name", .link = "/admin/facilities/", .noun = "Facility"},
                              {.member = "code", .header = "Code"},
                              {.member = "address.city", .header = "City"},
                              {.member = "timezone", .header = "Time zone"},
                              {.member = "organizationId", .header = "Organization", .shows = Shows::organization},
                              {.member = "isActive", .header = "In use", .shows = Shows::yes_no}}}};
    return shape;
}

std::vector<FormField> const& facility_inputs() {
    static std::vector<FormField> const inputs{
        {.name = "name", .label = "Name", .required = true},
        {.name = "code", .label = "Code"},
        {.name = "address.line1", .label = "Street and number"},
        {.name = "address.line2", .label = "Floor or building"},
        {.name = "address.postalCode", .label = "Postal code"},
        {.name = "address.city", .label = "City"},
        {.name = "address.region", .label = "Region"},
        {.name = "address.country", .label = "Country"},
        {.name = "phone", .label = "Phone"},
        {.name = "timezone", .label = "Time zone", .hint = "Such as Europe/Berlin"},
        {.name = "departments", .label = "Departments", .kind = FieldKind::lines, .hint = "One a line"},
        {.name = "billMarkupPercent", .label = "Per cent on top of pay that is billed", .kind = FieldKind::number}};
    return inputs;
}

/// Fields that a facility has only once it is there.
std::vector<FormField> const& facility_change_inputs() {
    static std::vector<FormField> const inputs = [] {
        auto all = facility_inputs();
        constexpr std::array kRules{std::pair("schedulingRules.doubleBooking", "Working elsewhere at that time"),
                                    std::pair("schedulingRules.timeOff", "Having time off"),
                                    std::pair("schedulingRules.inactiveCredential", "Lacking a credential"),
                                    std::pair("schedulingRules.specialtyMismatch", "Another specialty"),
                                    std::pair("schedulingRules.overtime", "Overtime"),
                                    std::pair("schedulingRules.minRest", "Too little rest"),
                                    std::pair("schedulingRules.unavailable", "Not being available")};
        for (auto const& [member, label] : kRules) {
            all.push_back(
                {.name = member, .label = label, .kind = FieldKind::choice, .values = {"allow", "flag", "block"}});
        }
        all.push_back({.name = "autoStart", .label = "Shifts start by the clock", .kind = FieldKind::flag});
        all.push_back({.name = "autoComplete", .label = "Shifts end by the clock", .kind = FieldKind::flag});
        all.push_back({.name = "claimsNeedApproval", .label = "Claims need an approval", .kind = FieldKind::flag});
        return all;
    }();
    return inputs;
}

FormShape facility_add_form(Call const& call) {
    return {.form = kAddFacility, .inputs = with_organization(call, facility_inputs())};
}
FormShape facility_change_form() {
    return {.form = kChangeFacility, .inputs = facility_change_inputs(), .changes = true};
}

boost::asio::awaitable<void> fill_facilities(Call& call, PageContent& content) {
    add_admin_tabs(call, content, "/admin/facilities");
    RowNames names(call);
    co_await add_list_page(call, content, names, facility_list());
    if (!may_ask(*call.caller, "facilities.create")) co_return;
    InputOptions options;
    options.emplace("orgUnitId", co_await organization_choices(call));
    content.add_json("add", shown_form(call, facility_add_form(call), {}, options));
}

std::vector<TableColumn> const& facility_facts() {
    static std::vector<TableColumn> const facts{
        {.member = "organizationId", .header = "Organization", .shows = Shows::organization},
        {.member = "code", .header = "Code"},
        {.member = "address.line1", .header = "Street"},
        {.member = "address.postalCode", .header = "Postal code"},
        {.member = "address.city", .header = "City"},
        {.member = "phone", .header = "Phone"},
        {.member = "timezone", .header = "Time zone"},
        {.member = "departments", .header = "Departments", .shows = Shows::list},
        {.member = "isActive", .header = "In use", .shows = Shows::yes_no}};
    return facts;
}

boost::asio::awaitable<void> fill_facility(Call& call, PageContent& content) {
    auto const id = call.input.path.id();
    add_admin_tabs(call, content, "");
    auto const found = co_await content.add_subject("facility", {.operation = "facilities.get", .path = path_of(id)});
    if (!found) co_return;
    content.set_title((*found)["name"].GetString());
    RowNames names(call);
    content.add_json("facts", co_await shown_facts(names, *found, facility_facts()));
    content.add_rights({"facilities.deactivate"});
    if (!may_ask(*call.caller, "facilities.update")) co_return;
    auto const form = facility_change_form();
    content.add_json("change", shown_form(call, form, held_fields(form, *found)));
}

core::Result<Question> add_facility(Call const& call, FormFields const& fields) {
    return body_from(facility_add_form(call), fields).map([](std::string body) {
        return Question{.operation = "facilities.create", .body = std::move(body)};
    });
}
core::Result<Question> change_facility(Call const& call, FormFields const& fields) {
    return body_from(facility_change_form(), fields).map([&](std::string body) {
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
             .parameters = list_parameters(facility_list()),
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
              .of_version = true,
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
