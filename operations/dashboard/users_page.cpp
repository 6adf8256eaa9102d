// GET /admin/users and /admin/users/{id}: who signs in, and what they may do.
#include <algorithm>

#include "operations/dashboard/admin_pages.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kUsersPage = "pages.users";
constexpr std::string_view kUserPage = "pages.user";
constexpr std::string_view kInviteUser = "pages.invite_user";
constexpr std::string_view kChangeUser = "pages.change_user";

std::vector<std::string_view> const& role_names() {
    static std::vector<std::string_view> const all{"super_admin",    "admin",     "manager",
                                                   "facility_admin", "scheduler", "payroll_manager",
                                                   "sales_rep",      "viewer",    "staff"};
    return all;
}

ListShape const& user_list() {
    static ListShape const shape{
        .operation = "users.list",
        .path = "/admin/users",
        .sort = "name",
        .filters =
            {{.name = "q", .label = "Name or address"},
             {.name = "role", .label = "Role", .kind = FieldKind::choice, .values = role_names(), .blank = "any"},
             {.name = "status",
              .label = "Status",
              .kind = FieldKind::choice,
              .values = {"invited", "active", "locked", "deactivated"},
              .blank = "any"}},
        .table = {.caption = "Users",
                  .none = "There are none.",
                  .columns = {{.member = "email", .header = "Address", .link = "/admin/users/", .noun = "User"},
                              {.member = "firstName", .header = "First name"},
                              {.member = "lastName", .header = "Last name"},
                              {.member = "role", .header = "Role", .shows = Shows::words},
                              {.member = "status", .header = "Status", .shows = Shows::words},
                              {.member = "lastLoginAt", .header = "Last sign-in"}}}};
    return shape;
}

std::vector<FormField> const& user_inputs() {
    static std::vector<FormField> const inputs{
        {.name = "firstName", .label = "First name", .required = true},
        {.name = "lastName", .label = "Last name", .required = true},
        {.name = "email", .label = "E-mail", .kind = FieldKind::email, .required = true},
        {.name = "role", .label = "Role", .kind = FieldKind::choice},
        {.name = "facilityIds", .label = "Only these facilities", .kind = FieldKind::ids, .hint = "None: all of them"},
        {.name = "staffId",
         .label = "Signs in as the staff member",
         .kind = FieldKind::id,
         .nullable = true,
         .blank = "–"}};
    return inputs;
}

FormShape user_invite_form(Call const& call) {
    return {.form = kInviteUser, .inputs = with_organization(call, user_inputs())};
}
FormShape user_change_form() { return {.form = kChangeUser, .inputs = user_inputs(), .changes = true}; }

/// The roles that the caller may choose: nobody grants one above their own. `held`: facilities that are ticked.
boost::asio::awaitable<InputOptions> user_options(Call& call, core::JsonValue const* held = nullptr) {
    InputOptions options;
    auto& roles = options["role"];
    auto const own = events::rank_of(call.caller->user.role);
    for (std::size_t i = 0; i < role_names().size(); ++i) {
        if (events::rank_of(static_cast<events::Role>(i)) < own) continue;
        roles.push_back({std::string(role_names()[i]), spoken(role_names()[i])});
    }
    options.emplace("facilityIds", co_await facility_choices(call, held));
    options.emplace("staffId", co_await staff_choices(call));
    options.emplace("orgUnitId", co_await organization_choices(call));
    co_return options;
}

boost::asio::awaitable<void> fill_users(Call& call, PageContent& content) {
    add_admin_tabs(call, content, "/admin/users");
    RowNames names(call);
    co_await add_list_page(call, content, names, user_list());
    if (!may_ask(*call.caller, "users.create")) co_return;
    content.add_json("invite", shown_form(call, user_invite_form(call), {}, co_await user_options(call)));
}

std::vector<TableColumn> const& user_facts() {
    static std::vector<TableColumn> const facts{
        {.member = "email", .header = "E-mail"},
        {.member = "username", .header = "User name"},
        {.member = "organizationId", .header = "Organization", .shows = Shows::organization},
        {.member = "role", .header = "Role", .shows = Shows::words},
        {.member = "status", .header = "Status", .shows = Shows::words},
        {.member = "facilityIds", .header = "Facilities", .shows = Shows::facility},
        {.member = "staffId", .header = "Staff member", .shows = Shows::person},
        {.member = "mfaEnabled", .header = "One-time codes", .shows = Shows::yes_no},
        {.member = "lastLoginAt", .header = "Last sign-in"},
        {.member = "lockedUntil", .header = "Locked until"},
        {.member = "createdAt", .header = "Made"}};
    return facts;
}

boost::asio::awaitable<void> fill_user(Call& call, PageContent& content) {
    auto const id = call.input.path.id();
    add_admin_tabs(call, content, "");
    auto const found = co_await content.add_subject("user", {.operation = "users.get", .path = path_of(id)});
    if (!found) co_return;
    content.set_title(fmt::format("{} {}", (*found)["firstName"].GetString(), (*found)["lastName"].GetString()));
    RowNames names(call);
    content.add_json("facts", co_await shown_facts(names, *found, user_facts()));
    bool const gone = (*found)["status"] == "deactivated";
    content.add_json("gone", gone ? "true" : "false");
    content.add_json("own", id == call.caller->user.id ? "true" : "false");
    bool const mfa = (*found)["mfaEnabled"].IsTrue() && may_ask(*call.caller, "users.reset_mfa");
    content.add_json("resets_mfa", mfa ? "true" : "false");
    content.add_rights({"users.deactivate", "users.reset_invite"});
    if (!may_ask(*call.caller, "users.update") || gone) co_return;
    auto const form = user_change_form();
    auto const options = co_await user_options(call, &(*found)["facilityIds"]);
    content.add_json("change", shown_form(call, form, held_fields(form, *found), options));
}

core::Result<Question> invite_user(Call const& call, FormFields const& fields) {
    return body_from(user_invite_form(call), fields).map([](std::string body) {
        return Question{.operation = "users.create", .body = std::move(body)};
    });
}
core::Result<Question> change_user(Call const& call, FormFields const& fields) {
    return body_from(user_change_form(), fields).map([&](std::string body) {
        return Question{.operation = "users.update", .path = call.input.path, .body = std::move(body)};
    });
}

std::vector<DashboardForm> user_forms() {
    return {{.name = kChangeUser,
             .path = "/admin/users/{id:int}",
             .summary = "Change a user by the form",
             .page = kUserPage,
             .done = "The user is changed.",
             .of_version = true,
             .question = change_user},
            {.name = "pages.reset_invite",
             .path = "/admin/users/{id:int}/invite",
             .summary = "Send a user another link by the form",
             .page = kUserPage,
             .done = "A mail with a link to set a password by is on its way.",
             .operation = "users.reset_invite"},
            {.name = "pages.reset_mfa",
             .path = "/admin/users/{id:int}/reset-mfa",
             .summary = "Take a user's second factor away by the form",
             .page = kUserPage,
             .done = "The user signs in without a one-time code.",
             .operation = "users.reset_mfa"},
            {.name = "pages.deactivate_user",
             .path = "/admin/users/{id:int}/deactivate",
             .summary = "Deactivate a user by the form",
             .page = kUserPage,
             .done = "The user can't sign in any more.",
             .operation = "users.deactivate"},
            {.name = "pages.reactivate_user",
             .path = "/admin/users/{id:int}/reactivate",
             .summary = "Reactivate a user by the form",
             .page = kUserPage,
             .done = "The user can sign in again.",
             .operation = "users.reactivate"}};
}

}  // namespace

DashboardSection users_section() {
    return {{.name = kUsersPage,
             .path = "/admin/users",
             .title = "Users",
             .summary = "Who signs in",
             .needs = "users.list",
             .in_menu = false,
             .text = templates::dashboard_users,
             .parameters = list_parameters(user_list()),
             .fill = fill_users},
            {{.name = kInviteUser,
              .path = "/admin/users",
              .summary = "Invite a user by the form",
              .page = kUsersPage,
              .done = "The user is invited by a mail.",
              .leads_to = kUserPage,
              .made = "/id",
              .question = invite_user}}};
}

DashboardSection user_section() {
    return {{.name = kUserPage,
             .path = "/admin/users/{id:int}",
             .title = "User",
             .summary = "A user and what they may do",
             .needs = "users.get",
             .in_menu = false,
             .text = templates::dashboard_user,
             .fill = fill_user},
            user_forms()};
}

}  // namespace workforce::operations
