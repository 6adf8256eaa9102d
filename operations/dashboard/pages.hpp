// The dashboard: pages for people who signed in, made of what other operations answer, with forms that ask for others.
// They need no scripts. A page and its forms are declared in a file of their own, listed in pages.cpp.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "operations/dashboard/page_content.hpp"
#include "operations/oauth/oauth.hpp"

namespace workforce::operations {

/// A page. Texts are static.
struct DashboardPage {
    std::string_view name;  ///< of its operation
    std::string_view path;
    std::string_view title;
    std::string_view summary;
    std::string_view needs{};  ///< an operation: who may not ask for that is refused the page; empty: nobody is
    bool in_menu = true;
    std::string_view text;                       ///< its template
    std::vector<std::string_view> parameters{};  ///< of its address
    boost::asio::awaitable<void> (*fill)(Call& call, PageContent& content) = nullptr;
};

/// A form on a page. Texts are static.
struct DashboardForm {
    std::string_view name;  ///< of its operation
    std::string_view path;
    std::string_view summary;
    std::string_view page;        ///< that it stands on: name of the operation
    std::string_view done;        ///< what its sender is told once it is done
    std::string_view leads_to{};  ///< the page where that is told: name of the operation; empty: `page`
    std::string_view made{};    ///< where the answer has the id of that page, as a JSON pointer; empty: the form's own
    bool shows_answer = false;  ///< the page shows the answer as `made`, this once
    bool of_version = false;    ///< it is about the page's subject as that was shown, and refused once that has changed
    std::string_view operation{};  ///< what it asks for where there is no `question`: by the form's path, with no body
    /// What it asks for. Errors: VALIDATION_ERROR for fields that say nothing that can be asked.
    core::Result<Question> (*question)(Call const& call, FormFields const& fields) = nullptr;
};

/// A page with the forms that stand on it.
struct DashboardSection {
    DashboardPage page;
    std::vector<DashboardForm> forms{};
};

DashboardSection overview_section();
DashboardSection schedule_section();
DashboardSection shift_section();
DashboardSection requests_section();
DashboardSection approvals_section();
DashboardSection developers_section();
DashboardSection webhook_section();
DashboardSection own_section();
DashboardSection staff_section();
DashboardSection staff_member_section();
DashboardSection credentials_section();
DashboardSection credential_section();
DashboardSection timesheets_section();
DashboardSection timesheet_section();
DashboardSection payroll_section();
DashboardSection payroll_run_section();
DashboardSection leads_section();
DashboardSection lead_section();
DashboardSection messages_section();
DashboardSection conversation_section();
DashboardSection agents_section();
DashboardSection agent_section();
DashboardSection agent_runs_section();
DashboardSection agent_run_section();
DashboardSection guardrails_section();
DashboardSection guardrail_section();
DashboardSection admin_section();
DashboardSection organization_section();
DashboardSection facilities_section();
DashboardSection facility_section();
DashboardSection users_section();
DashboardSection user_section();
DashboardSection audit_section();
DashboardSection billing_section();
DashboardSection usage_section();
DashboardSection events_section();
DashboardSection sandbox_section();

/// The rows of all pages and forms.
std::vector<Operation> dashboard_page_operations();

/// A parameter of the page's address, or the field of that name of the form that the page answers; "" where there is
/// none.
std::string kept_of(Call const& call, std::string_view name);

/// The id that a field holds. Errors: VALIDATION_ERROR.
core::Result<Id> id_field(FormFields const& fields, std::string_view name);

/// A button of a form, and the operation that it asks for. Texts are static.
struct Choice {
    std::string_view decision;
    std::string_view operation;
    bool takes_reason = false;  ///< the field `reason`, where something is in it, is the body's
};
/// The question of a form whose field `decision` says which button was pressed. Errors: VALIDATION_ERROR for none of
/// them.
core::Result<Question> chosen_question(Call const& call, FormFields const& fields, std::span<Choice const> choices);

}  // namespace workforce::operations
