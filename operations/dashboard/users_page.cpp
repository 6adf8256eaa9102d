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

ListView const& user_list() {
    using Look = ListColumn::Look;
    static ListView const view{
        .path = "/admin/users",
        .operation = "users.list",
        .what = "Users",
        .row_path = "/admin/users",
        .noun = "User",
        .filters = {{.name = "q", .label = "Name or address"},
                    {.name = "role", .label = "Role", .look = ListFilter::Look::choice, .values = role_names()},
                    {.name = "status",
                     .label = "Status",
                     .look = ListFilter::Look::choice,
                     .values = {"invited", "active", "locked", "deactivated"}}},
        .columns = {{"Address", "email"},
                    {"First name", "firstName"},
                    {"Last name", "lastName"},
                    {"Role", "role", Look::words},
                    {"Status", "status", Look::words},
                    {"Last sign-in", "lastLoginAt"}},
        .sort = "name"};
    return view;
}

std::vector<FormInput> const& user_inputs() {
    using enum InputKind;
    static std::vector<FormInput> const inputs{
        {.member = "firstName", .label = "First name", .required = true},
        {.member = "lastName", .label = "Last name", .required = true},
        {.member = "email", .label = "E-mail", .required = true, .longest = 254},
        {.member = "role", .label = "Role", .kind = choice, .required = true},
        {.member = "facilityIds", .label = "Only these facilities", .kind = boxes, .hint = "None: all of them"},
        {.member = "staffId", .label = "Signs in as the staff member", .kind = id}};
    return inputs;
}

/// What the caller may choose from: nobody grants a role above their own.
boost::asio::awaitable<FormContent> user_form(Call& call, std::string_view form) {
    FormContent content{.typed = sent_by(call, form)};
    auto& roles = content.choices["role"];
    auto const own = events::rank_of(call.caller->user.role);
    for (std::size_t i = 0; i < role_names().size(); ++i) {
        if (events::rank_of(static_cast<events::Role>(i)) < own) continue;
        roles.push_back({std::string(role_names()[i]), in_words(role_names()[i])});
    }
    content.choices.emplace("facilityIds", co_await facility_choices(call));
    content.choices.emplace("staffId", co_await staff_choices(call));
    content.choices.emplace("orgUnitId", co_await organization_choices(call));
    co_return content;
}

boost::asio::awaitable<void> fill_users(Call& call, PageContent& content) {
    add_admin_tabs(call, content, "/admin/users");
    co_await add_list_view(call, content, user_list());
    if (!may_ask(*call.caller, "users.create")) co_return;
    auto const form = co_await user_form(call, kInviteUser);
    content.add_json("invite", form_json("/admin/users", "Invite", with_organization(call, user_inputs()), form));
    content.add_json("sent", form.typed ? "true" : "false");
}

std::vector<ListColumn> const& user_facts() {
    using Look = ListColumn::Look;
    static std::vector<ListColumn> const facts{{"E-mail", "email"},
                                               {"User name", "username"},
                                               {"Organization", "organizationId", Look::organization},
                                               {"Role", "role", Look::words},
                                               {"Status", "status", Look::words},
                                               {"Facilities", "facilityIds", Look::facility},
                                               {"Staff member", "staffId", Look::staff},
                                               {"One-time codes", "mfaEnabled", Look::yes_no},
                                               {"Last sign-in", "lastLoginAt"},
                                               {"Locked until", "lockedUntil"},
                                               {"Made", "createdAt"}};
    return facts;
}

boost::asio::awaitable<void> fill_user(Call& call, PageContent& content) {
    auto const id = call.input.path.id();
    add_admin_tabs(call, content, "");
    auto const found = co_await content.add_subject("user", {.operation = "users.get", .path = path_of(id)});
    if (!found) co_return;
    content.set_title(fmt::format("{} {}", (*found)["firstName"].GetString(), (*found)["lastName"].GetString()));
    RowNames names(call);
    content.add_json("facts", co_await facts_json(names, *found, user_facts()));
    bool const gone = (*found)["status"] == "deactivated";
    content.add_json("gone", gone ? "true" : "false");
    content.add_json("own", id == call.caller->user.id ? "true" : "false");
    bool const mfa = (*found)["mfaEnabled"].IsTrue() && may_ask(*call.caller, "users.reset_mfa");
    content.add_json("resets_mfa", mfa ? "true" : "false");
    content.add_rights({"users.deactivate", "users.reset_invite"});
    if (!may_ask(*call.caller, "users.update") || gone) co_return;
    auto form = co_await user_form(call, kChangeUser);
    form.record = &*found;
    content.add_json("change", form_json(fmt::format("/admin/users/{}", id), "Save", user_inputs(), form));
}

core::Result<Question> invite_user(Call const& call, FormFields const& fields) {
    return body_of(with_organization(call, user_inputs()), fields, Emptied::left_out).map([](std::string body) {
        return Question{.operation = "users.create", .body = std::move(body)};
    });
}
core::Result<Question> change_user(Call const& call, FormFields const& fields) {
    return body_of(user_inputs(), fields, Emptied::cleared).map([&](std::string body) {
        return Question{.operation = "users.update", .path = call.input.path, .body = std::move(body)};
    });
}

std::vector<DashboardForm> user_forms() {
    return {{.name = kChangeUser,
             .path = "/admin/users/{id:int}",
             .summary = "Change a user by the form",
             .page = kUserPage,
             .done = "The user is changed.",
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
             .parameters = parameters_of(user_list()),
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
