// GET /credentials: what people have to show to work.
#include "operations/dashboard/credential_forms.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

std::vector<std::string_view> credential_sorts() {
    return {"license", "certification", "background_check", "immunization", "training", "other"};
}

std::vector<TableColumn> credential_columns() {
    return {{.member = "name", .header = "Credential", .link = "/credentials/"},
            {.member = "type", .header = "Sort", .shows = Shows::words},
            {.member = "number", .header = "Number ends with"},
            {.member = "expiresOn", .header = "Last day"},
            {.member = "status", .header = "Status"}};
}

ListShape const& credential_list() {
    static ListShape const shape = [] {
        ListShape list{
            .operation = "credentials.list",
            .path = "/credentials",
            .sort = "expiresOn",
            .filters = {{.name = "q", .label = "Name or issuer"},
                        {.name = "status",
                         .label = "Status",
                         .kind = FieldKind::choice,
                         .values = {"pending", "verified", "expired", "rejected", "revoked"},
                         .blank = "any"},
                        {.name = "type",
                         .label = "Sort",
                         .kind = FieldKind::choice,
                         .values = credential_sorts(),
                         .blank = "any"},
                        {.name = "expiringWithinDays", .label = "Ends within days", .kind = FieldKind::number},
                        {.name = "facilityId", .label = "Facility", .kind = FieldKind::id, .blank = "all"},
                        {.name = "staffId", .label = "", .kind = FieldKind::kept}},
            .table = {.caption = "Credentials, what ends first at the top",
                      .none = "There are none.",
                      .columns = credential_columns()}};
        list.table.columns.insert(list.table.columns.begin() + 1, {.member = "staffId",
                                                                   .header = "Person",
                                                                   .shows = Shows::person,
                                                                   .link = "/staff/",
                                                                   .link_member = "staffId"});
        return list;
    }();
    return shape;
}

boost::asio::awaitable<void> fill_credentials(Call& call, PageContent& content) {
    RowNames names(call);
    co_await add_list_page(call, content, names, credential_list());
    content.add_text("hint", may_ask(*call.caller, "credentials.add_to_staff")
                                 ? "A credential is added on the page of its person."
                                 : "");
}

}  // namespace

FormShape credential_form(std::string_view form, bool changes) {
    FormShape shape{.form = form, .inputs = {}, .changes = changes};
    if (!changes) {
        shape.inputs.push_back(
            {.name = "type", .label = "Sort", .kind = FieldKind::choice, .values = credential_sorts()});
    }
    std::vector<FormField> const rest{
        {.name = "name", .label = "Name", .required = true},
        {.name = "number", .label = "Number"},
        {.name = "issuingAuthority", .label = "Issued by"},
        {.name = "jurisdiction", .label = "Holds in"},
        {.name = "issuedOn", .label = "Issued on", .kind = FieldKind::date, .nullable = true},
        {.name = "expiresOn", .label = "Last day", .kind = FieldKind::date, .nullable = true},
        {.name = "documentUrl",
         .label = "Address of a copy",
         .kind = FieldKind::url,
         .nullable = true,
         .hint = "https://"}};
    shape.inputs.insert(shape.inputs.end(), rest.begin(), rest.end());
    return shape;
}

TableShape const& credentials_of_person() {
    static TableShape const shape{.caption = "Credentials, what ends first at the top",
                                  .none = "There are none.",
                                  .columns = credential_columns()};
    return shape;
}

DashboardSection credentials_section() {
    return {{.name = "pages.credentials",
             .path = "/credentials",
             .title = "Credentials",
             .summary = "What people have to show to work",
             .needs = "credentials.list",
             .text = templates::dashboard_list,
             .parameters = list_parameters(credential_list()),
             .fill = fill_credentials}};
}

}  // namespace workforce::operations
