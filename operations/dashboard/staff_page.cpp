// GET /staff: the people who work, and adding one.
#include "operations/dashboard/staff_forms.hpp"

#include "core/json_values.hpp"
#include "operations/dashboard/page_options.hpp"
#include "operations/dashboard/row_table.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kStaffPage = "pages.staff";

ListShape const& staff_list() {
    static ListShape const shape{
        .operation = "staff.list",
        .path = "/staff",
        .sort = "lastName",
        .filters = {{.name = "q", .label = "Name or e-mail"},
                    {.name = "specialty", .label = "Specialty"},
                    {.name = "employmentType",
                     .label = "Employment",
                     .kind = FieldKind::choice,
                     .values = {"full_time", "part_time", "contract", "per_diem"},
                     .blank = "any"},
                    {.name = "credentialStatus",
                     .label = "With a credential",
                     .kind = FieldKind::choice,
                     .values = {"pending", "verified", "expired", "rejected", "revoked"},
                     .blank = "any"},
                    {.name = "isActive",
                     .label = "Status",
                     .kind = FieldKind::choice,
                     .values = {"true=active", "false=not active", "any=any"}},
                    {.name = "facilityId", .label = "Facility", .kind = FieldKind::id, .blank = "all"}},
        .table = {.caption = "People by last name",
                  .none = "Nobody is there.",
                  .columns = {{.member = "name", .header = "Name", .link = "/staff/"},
                              {.member = "specialty", .header = "Specialty"},
                              {.member = "employmentType", .header = "Employment", .shows = Shows::words},
                              {.member = "email", .header = "E-mail"},
                              {.member = "phone", .header = "Phone"},
                              {.member = "standing", .header = "Status"}}}};
    return shape;
}

boost::asio::awaitable<void> fill_staff(Call& call, PageContent& content) {
    RowNames names(call);
    co_await add_list_page(call, content, names, staff_list(), [](core::JsonValue& row, Allocator& allocator) {
        auto const name = fmt::format("{} {}", row["firstName"].GetString(), row["lastName"].GetString());
        row.AddMember("name", core::JsonValue(name, allocator), allocator);
        row.AddMember("standing", core::JsonValue(row["isActive"].IsTrue() ? "active" : "not active", allocator),
                      allocator);
    });
    if (!may_ask(*call.caller, "staff.create")) co_return;
    content.add_json("made_by",
                     shown_form(call, staff_form("pages.add_staff", false), {}, co_await facility_options(call)));
}

core::Result<Question> add_staff(Call const& /*call*/, FormFields const& fields) {
    return body_from(staff_form("pages.add_staff", false), fields).map([](std::string body) {
        return Question{.operation = "staff.create", .body = std::move(body)};
    });
}

}  // namespace

FormShape staff_form(std::string_view form, bool changes) {
    FormShape shape{
        .form = form,
        .inputs =
            {{.name = "firstName", .label = "First name", .required = true},
             {.name = "lastName", .label = "Last name", .required = true},
             {.name = "email", .label = "E-mail", .kind = FieldKind::email, .required = true},
             {.name = "phone", .label = "Phone"},
             {.name = "specialty", .label = "Specialty"},
             {.name = "employmentType",
              .label = "Employment",
              .kind = FieldKind::choice,
              .values = {"full_time", "part_time", "contract", "per_diem"}},
             {.name = "hourlyRate", .label = "Pay per hour", .kind = FieldKind::number},
             {.name = "yearsExperience", .label = "Years of experience", .kind = FieldKind::number},
             {.name = "maxWeeklyHours", .label = "Most hours a week", .kind = FieldKind::number, .nullable = true},
             {.name = "skills", .label = "Skills", .kind = FieldKind::lines, .hint = "one a line"},
             {.name = "certifications", .label = "Certifications", .kind = FieldKind::lines, .hint = "one a line"},
             {.name = "externalId", .label = "Id elsewhere"},
             {.name = "emergencyContact.name", .label = "Emergency contact"},
             {.name = "emergencyContact.phone", .label = "Phone of the contact"},
             {.name = "emergencyContact.relationship", .label = "Relationship of the contact"},
             {.name = "facilityIds",
              .label = "Facilities",
              .kind = FieldKind::ids,
              .hint = changes ? "none: all of them" : "none: yours, or all of them"}},
        .changes = changes};
    return shape;
}

boost::asio::awaitable<InputOptions> facility_options(Call& page, core::JsonValue const* held) {
    InputOptions options;
    options.emplace("facilityIds", co_await facility_choices(page, held));
    co_return options;
}

DashboardSection staff_section() {
    return {{.name = kStaffPage,
             .path = "/staff",
             .title = "Staff",
             .summary = "The people who work",
             .needs = "staff.list",
             .text = templates::dashboard_staff,
             .parameters = list_parameters(staff_list()),
             .fill = fill_staff},
            {{.name = "pages.add_staff",
              .path = "/staff",
              .summary = "Add a person who works by the form",
              .page = kStaffPage,
              .done = "The person is added.",
              .leads_to = "pages.staff_member",
              .made = "/id",
              .question = add_staff}}};
}

}  // namespace workforce::operations
