// THE table: everything that can be asked. A new resource declares its part here and lists it.
#include <array>
#include <iterator>

#include "operations/operation.hpp"
#include "operations/words/words.hpp"

namespace workforce::operations {

std::vector<Operation> facility_operations();
std::vector<StructWords> facility_words();
std::vector<Operation> staff_operations();
std::vector<StructWords> staff_words();
std::vector<StructWords> staff_query_words();
std::vector<StructWords> import_words();
std::vector<Operation> credential_operations();
std::vector<StructWords> credential_words();
std::vector<Operation> shift_operations();
std::vector<StructWords> shift_words();
std::vector<StructWords> assignment_words();
std::vector<Operation> time_off_operations();
std::vector<StructWords> time_off_words();
std::vector<Operation> shift_claim_operations();
std::vector<StructWords> shift_claim_words();
std::vector<Operation> shift_swap_operations();
std::vector<StructWords> shift_swap_words();
std::vector<Operation> shift_template_operations();
std::vector<StructWords> shift_template_words();
std::vector<Operation> shift_offer_operations();
std::vector<StructWords> shift_offer_words();
std::vector<Operation> timesheet_operations();
std::vector<StructWords> timesheet_words();
std::vector<Operation> payroll_run_operations();
std::vector<StructWords> payroll_run_words();
std::vector<Operation> payroll_payment_operations();
std::vector<StructWords> payroll_payment_words();
std::vector<Operation> lead_operations();
std::vector<StructWords> lead_words();
std::vector<Operation> conversation_operations();
std::vector<StructWords> conversation_words();
std::vector<Operation> message_operations();
std::vector<StructWords> message_words();
std::vector<Operation> app_operations();
std::vector<StructWords> app_words();
std::vector<Operation> dashboard_operations();
std::vector<StructWords> dashboard_words();
std::vector<Operation> search_operations();
std::vector<StructWords> search_words();
std::vector<Operation> calendar_operations();
std::vector<StructWords> calendar_words();
std::vector<Operation> usage_operations();
std::vector<StructWords> usage_words();
std::vector<Operation> billing_operations();
std::vector<StructWords> billing_words();
std::vector<Operation> account_operations();
std::vector<StructWords> account_words();
std::vector<StructWords> session_words();
std::vector<StructWords> account_value_words();
std::vector<Operation> api_key_operations();
std::vector<StructWords> api_key_words();
std::vector<Operation> signing_key_operations();
std::vector<StructWords> signing_key_words();
std::vector<Operation> organization_operations();
std::vector<StructWords> organization_words();
std::vector<Operation> user_operations();
std::vector<StructWords> user_words();
std::vector<Operation> audit_log_operations();
std::vector<StructWords> audit_log_words();
std::vector<Operation> event_operations();
std::vector<StructWords> event_words();
std::vector<Operation> webhook_operations();
std::vector<StructWords> webhook_words();
std::vector<StructWords> delivery_words();
std::vector<StructWords> payload_words();
std::vector<Operation> notification_operations();
std::vector<StructWords> notification_words();
std::vector<Operation> approval_operations();
std::vector<StructWords> approval_words();
std::vector<Operation> ai_action_operations();
std::vector<Operation> oauth_operations();
std::vector<Operation> guardrail_operations();
std::vector<StructWords> guardrail_words();
std::vector<Operation> agent_operations();
std::vector<StructWords> agent_words();
std::vector<Operation> agent_builder_operations();
std::vector<Operation> agent_run_operations();
std::vector<StructWords> agent_run_words();
std::vector<Operation> trigger_operations();
std::vector<StructWords> trigger_words();
std::vector<Operation> sandbox_operations();
std::vector<StructWords> sandbox_words();

std::span<Resource const> resources() {
    static constexpr std::array kResources{
        Resource{"facilities",
                 "Where shifts are worked, and the rules that hold there",
                 facility_operations,
                 {facility_words}},
        Resource{"staff", "The people who work", staff_operations, {staff_words, staff_query_words, import_words}},
        Resource{"credentials",
                 "What people have to show to work: licenses, certificates and checks",
                 credential_operations,
                 {credential_words}},
        Resource{"shifts",
                 "What is to be worked, by whom, and how far it has come",
                 shift_operations,
                 {shift_words, assignment_words}},
        Resource{"time_off", "When people do not work, and who decides on it", time_off_operations, {time_off_words}},
        Resource{"shift_claims",
                 "Who asks to work an open shift, and who decides on it",
                 shift_claim_operations,
                 {shift_claim_words}},
        Resource{"shift_swaps",
                 "Two people who change places on their shifts, and who decides on it",
                 shift_swap_operations,
                 {shift_swap_words}},
        Resource{"shift_templates",
                 "Weekly patterns that shifts are made by",
                 shift_template_operations,
                 {shift_template_words}},
        Resource{"shift_offers",
                 "Whom open shifts are offered to, and who comes",
                 shift_offer_operations,
                 {shift_offer_words}},
        Resource{"timesheets",
                 "Logs of work: when, how long, and what it is worth",
                 timesheet_operations,
                 {timesheet_words}},
        Resource{"payroll_runs", "What is paid for the work of a period", payroll_run_operations, {payroll_run_words}},
        Resource{
            "payroll_payments", "What people get of payroll runs", payroll_payment_operations, {payroll_payment_words}},
        Resource{"leads", "Who may become a customer", lead_operations, {lead_words}},
        Resource{"conversations", "Who writes to whom", conversation_operations, {conversation_words}},
        Resource{"messages", "What they write, and how it comes to them", message_operations, {message_words}},
        Resource{"apps", "Apps outside, and what is done there", app_operations, {app_words}},
        Resource{"dashboard", "Figures, and what happened last", dashboard_operations, {dashboard_words}},
        Resource{"calendars", "People's shifts for calendar programs", calendar_operations, {calendar_words}},
        Resource{"search", "One question to several lists", search_operations, {search_words}},
        Resource{"usage", "What credentials did, and what came of it", usage_operations, {usage_words}},
        Resource{"billing", "What the billing meter hears of", billing_operations, {billing_words}},
        Resource{"auth", "Who the caller is", account_operations, {account_words, session_words, account_value_words}},
        Resource{"api_keys", "What machines sign in with", api_key_operations, {api_key_words}},
        Resource{"signing_keys", "What tokens are signed with", signing_key_operations, {signing_key_words}},
        Resource{"organizations",
                 "The customers, and who runs the installation",
                 organization_operations,
                 {organization_words}},
        Resource{"users", "Who signs in, and what they may do", user_operations, {user_words}},
        Resource{
            "audit_log", "Who changed what of users, keys and organizations", audit_log_operations, {audit_log_words}},
        Resource{"events", "All that happens, in order", event_operations, {event_words}},
        Resource{"webhooks",
                 "Who is told of what happens, and where",
                 webhook_operations,
                 {webhook_words, delivery_words, payload_words}},
        Resource{"notifications", "What you are told of, and have read", notification_operations, {notification_words}},
        Resource{"approvals", "Calls of tools that wait for a person to decide", approval_operations, {approval_words}},
        Resource{"ai_actions", "The same calls, decided in the application", ai_action_operations},
        Resource{"oauth", "Programs that you let act for you", oauth_operations},
        Resource{"guardrails",
                 "What tools may not be called for, and what waits for a person",
                 guardrail_operations,
                 {guardrail_words}},
        Resource{"agents", "Who does work that nobody should have to do", agent_operations, {agent_words}},
        Resource{"agent_builder", "How agents are built", agent_builder_operations},
        Resource{"agent_runs", "What agents do, step by step", agent_run_operations, {agent_run_words}},
        Resource{"triggers", "What starts runs of agents by itself", trigger_operations, {trigger_words}},
        Resource{"sandbox", "Rows to try things out on, a facility's own", sandbox_operations, {sandbox_words}},
    };
    return kResources;
}

std::string needed_scopes(Operation const& operation) {
    std::string scopes;
    for (auto const& permission : {operation.permission, operation.also_permission}) {
        if (permission) scopes.append(scopes.empty() ? "" : " ").append(core::least_scope(*permission));
    }
    return scopes;
}

std::vector<Operation> const& operations() {
    static auto const table = [] {
        std::vector<Operation> all;
        for (auto const& resource : resources()) {
            auto rows = resource.operations();
            std::move(rows.begin(), rows.end(), std::back_inserter(all));
        }
        for (std::size_t i = 0; i < all.size(); ++i) all[i].row = static_cast<std::uint16_t>(i);
        return all;
    }();
    return table;
}

}  // namespace workforce::operations
