// Bodies of every command: what is accepted is the same once written and read again, and leads to events that the log
// can keep, or to a refusal that can be told.
#include <algorithm>
#include <array>

#include "api/body.hpp"
#include "api/rest/route.hpp"
#include "commands/agent.hpp"
#include "commands/agent_run.hpp"
#include "commands/api_key.hpp"
#include "commands/app.hpp"
#include "commands/approval.hpp"
#include "commands/credential.hpp"
#include "commands/facility.hpp"
#include "commands/guardrail.hpp"
#include "commands/lead.hpp"
#include "commands/message.hpp"
#include "commands/notification.hpp"
#include "commands/oauth_client.hpp"
#include "commands/oauth_grant.hpp"
#include "commands/organization.hpp"
#include "commands/payroll_run.hpp"
#include "commands/sandbox.hpp"
#include "commands/shift.hpp"
#include "commands/shift_claim.hpp"
#include "commands/shift_offer.hpp"
#include "commands/shift_swap_request.hpp"
#include "commands/shift_template.hpp"
#include "commands/staff.hpp"
#include "commands/time_off.hpp"
#include "commands/timesheet.hpp"
#include "commands/trigger.hpp"
#include "commands/user.hpp"
#include "commands/user_sign_in.hpp"
#include "commands/webhook.hpp"
#include "commands/weekly_availability.hpp"
#include "events/codec.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/support/given_shift.hpp"
#include "tests/unit/events/samples.hpp"

namespace workforce::tests {
namespace {

namespace cmd = commands;

/// Resources of every kind with ids from 1; ids of shifts to be made from 100.
Given const& world() {
    static Given const given = [] {
        Given all;
        all.context.may_override = true;
        all.context.new_ids.clear();
        for (Id id = 100; id < 200; ++id) all.context.new_ids.push_back(id);
        all.organization().facility(1, "Europe/Berlin").facility(2).staff(1).staff(2, {1}, "Nurse").staff(3, {2});
        all.shift(1, 1, "2026-07-25", "08:00", "16:00", 2).shift(2, 1, "2026-07-25", "12:00", "20:00", 1, {1});
        all.shift(3, 2, "2026-07-24", "09:00", "12:00", 1, {3}).on_shift(3, events::ShiftStarted{});
        all.shift(4, 2, "2026-07-26", "22:00", "06:00").on_shift(4, events::ShiftCancelled{"no need"});
        events::LeadCreated lead;
        lead.name = core::ShortText("Ada");
        all.event({events::Kind::lead, 1}, events::LeadEvent(lead));
        lead.facilityId = Id{1};
        lead.status = events::LeadStatus::lost;
        lead.lostReason = core::ShortText("budget");
        all.event({events::Kind::lead, 2}, events::LeadEvent(lead));
        events::CredentialAdded license;
        license.staffId = 2;
        license.name = "Registered Nurse";
        license.sealedFor = "staff/2";
        all.event({events::Kind::credential, 1}, events::CredentialEvent(license));
        license.expiresOn = day("2026-07-01");
        license.status = events::CredentialStatus::expired;
        all.event({events::Kind::credential, 2}, events::CredentialEvent(license));
        license.staffId = 3;
        license.sealedFor = "staff/3";
        all.event({events::Kind::credential, 3}, events::CredentialEvent(license));
        all.event({events::Kind::credential, 3}, events::CredentialEvent(events::CredentialRevoked{}));
        events::ApiKeyCreated key;
        key.name = "Export";
        key.scopes = {"staff:read"};
        all.event({events::Kind::api_key, 1}, events::ApiKeyEvent(key));
        all.event({events::Kind::api_key, 2}, events::ApiKeyEvent(key));
        all.event({events::Kind::api_key, 2}, events::ApiKeyEvent(events::ApiKeyRevoked{}));
        events::WebhookCreated webhook;
        webhook.name = "Orders";
        webhook.url = "https://hooks.example.test/";
        webhook.events = {"*"};
        all.event({events::Kind::webhook, 1}, events::WebhookEvent(webhook));
        webhook.facilityId = Id{1};
        all.event({events::Kind::webhook, 2}, events::WebhookEvent(webhook));
        all.event({events::Kind::webhook, 2}, events::WebhookEvent(events::WebhookDisabled{"spent", "", "", 0}));
        events::TriggerCreated trigger;
        trigger.agentId = 1;
        trigger.name = "Each quarter of an hour";
        trigger.cron = "*/15 * * * *";
        trigger.timezone = "Europe/Berlin";
        trigger.runAsUserId = all.context.actor.user;
        all.event({events::Kind::trigger, 1}, events::TriggerEvents(trigger));
        trigger.type = events::TriggerType::event;
        trigger.cron = trigger.timezone = "";
        trigger.eventType = "shift.*";
        all.event({events::Kind::trigger, 2}, events::TriggerEvents(trigger));
        events::UserCreated user;
        user.email = core::Email("kay@example.test");
        user.role = events::Role::viewer;
        all.event({events::Kind::user, 1}, events::UserEvent(user));
        events::GuardrailCreated policy;
        policy.name = "No shifts";
        policy.tools = {events::ToolGlob("shifts_*")};
        all.event({events::Kind::guardrail, 1}, events::GuardrailEvent(policy));
        policy.name = "Some shifts";
        policy.facilityIds = {1};
        all.event({events::Kind::guardrail, 2}, events::GuardrailEvent(policy));
        for (Id const id : {1, 2}) {  // of the caller, and of another user
            events::NotificationCreated told;
            told.userId = id == 1 ? all.context.actor.user : 1;
            all.event({events::Kind::notification, id}, events::NotificationEvent(told));
        }
        events::ConversationStarted begun;
        begun.participantUserIds = {1, all.context.actor.user};
        begun.participantStaffIds = {2};
        all.event({events::Kind::conversation, 1}, events::ConversationEvent(begun));
        for (Id const id : {1, 2}) {  // of the caller, and of another user
            events::MessageSent sent;
            sent.conversationId = 1;
            sent.senderId = id == 1 ? all.context.actor.user : 1;
            sent.body = core::LongText("Hello");
            sent.sealedFor = "conversation/1";
            all.event({events::Kind::message, id}, events::MessageEvent(sent));
        }
        for (Id const id : {1, 2}) {  // pending, and approved
            events::TimeOffRequested off;
            off.staffId = 2;
            off.startDate = off.endDate = day(id == 1 ? "2026-07-27" : "2026-07-28");
            off.timezone = "UTC";
            off.startsAt = core::to_utc(off.startDate, {}, off.timezone);
            off.endsAt = {off.startsAt.ms + 86'400'000};
            off.sealedFor = "staff/2";
            all.event({events::Kind::time_off, id}, events::TimeOffEvent(off));
            if (id == 2) all.event({events::Kind::time_off, id}, events::TimeOffEvent(events::TimeOffApproved{{2}}));
        }
        for (Id const id : {1, 2}) {  // pending, and declined
            events::ShiftClaimSubject const subject{1, 1, 2};
            all.event({events::Kind::shift_claim, id}, events::ShiftClaimEvent(events::ShiftClaimRequested{subject}));
            if (id == 1) continue;
            events::ShiftClaimDeclined const declined{subject, core::LongText("No"), "staff/2"};
            all.event({events::Kind::shift_claim, id}, events::ShiftClaimEvent(declined));
        }
        all.shift(5, 1, "2026-07-29", "08:00", "16:00", 1, {2});
        for (Id const id : {1, 2}) {  // waits for the peer, and for a planner
            events::ShiftSwapRequested swap;
            swap.facilityId = 1;
            static_cast<events::ShiftSwapSides&>(swap) = {2, 1, 5, 2};
            all.event({events::Kind::shift_swap, id}, events::ShiftSwapEvent(swap));
            if (id == 2) all.event({events::Kind::shift_swap, id}, events::ShiftSwapEvent(events::ShiftSwapAccepted()));
        }
        for (Id const id : {1, 2}) {  // active, and not
            events::ShiftTemplateCreated pattern;
            pattern.facilityId = 1;
            pattern.title = "Night";
            pattern.weekdays = {1, 7};
            pattern.startTime = clock("22:00");
            pattern.endTime = clock("06:00");
            pattern.isActive = id == 1;
            all.event({events::Kind::shift_template, id}, events::ShiftTemplateEvent(pattern));
        }
        for (Id const id : {1, 2}) {  // to two people
            events::ShiftOfferMade const made{{1, 1, id + 1}, {}};
            all.event({events::Kind::shift_offer, id}, events::ShiftOfferEvent(made));
        }
        return all;
    }();
    return given;
}

std::string opened(std::string const& body, events::Keyring& keyring) {
    return events::open_all({events::Record{.position = 0, .body = body}}, keyring).front();
}

/// What a fold of the log makes of the event.
events::Event through_the_log(cmd::NewEvent const& made, Given const& given) {
    static SampleKeyring keyring;
    static events::Encoder const encoder(std::string(kSampleSource), keyring);
    events::Envelope meta;
    meta.id = "019f9391-4900-7a00-8000-00000000beef";
    meta.time = given.context.now;
    meta.subject = made.subject;
    meta.organization = Given::kOrganization;
    meta.sandbox = given.context.sandbox;
    meta.facility = made.facility;
    meta.seq = given.state.version(made.subject) + 1;
    meta.actor = given.context.actor;
    meta.previous_hash = std::string(64, '0');
    auto const body = encoder.encode(meta, made.data);
    auto back = events::decode(body, keyring);
    require(opened(body, keyring) == opened(encoder.encode(back.meta, back.data), keyring), "an event comes back");
    return back;
}

template <class Command>
void decide_on(Command const& command) {
    Given given = world();
    if constexpr (std::same_as<Command, cmd::ResetSandbox>) given.context.sandbox = true;  // no other caller gets there
    constexpr bool kOwn = std::same_as<Command, cmd::ClaimShift> || std::same_as<Command, cmd::AcceptShiftOffer> ||
                          std::same_as<Command, cmd::DeclineShiftOffer>;
    if constexpr (kOwn) given.context.staff = 3;
    auto const outcome = given.when(command);
    if (!outcome.result) {
        auto const problem = operations::render_problem(outcome.result.error(), "req_1");
        require(core::parse_json(problem).has_value(), "a refusal is JSON");
        return;
    }
    for (auto const& made : outcome.result->events) given.state.apply(through_the_log(made, given));
    if constexpr (!std::same_as<typename Command::Answer, cmd::Nothing>) {
        auto const reply = core::to_json(answer(given.view(), command, *outcome.result));
        require(core::parse_json(reply).has_value(), "an answer is JSON");
    }
}

/// Whether the body has the member that the fault is about: a default need not be what a client may give.
bool is_given(core::JsonValue const& body, core::FieldError const& error) {
    return body.IsObject() && body.HasMember(error.field.substr(0, error.field.find_first_of(".[")));
}

template <class Command>
void read(core::JsonValue const& body, Id id) {
    Command command;
    core::JsonReader reader;
    core::JsonType<Command>::read(body, command, reader);
    if (!reader.errors().empty()) {
        auto const problem = operations::render_problem(core::validation_problem(reader.errors()), "req_1");
        require(core::parse_json(problem).has_value(), "a refusal is JSON");
        return;
    }
    auto const text = core::to_json(command);
    auto const document = core::parse_json(text);
    require(document.has_value(), "what was accepted is JSON");
    Command again;
    core::JsonReader second;
    core::JsonType<Command>::read(*document, again, second);
    for (auto const& error : second.errors()) require(!is_given(body, error), "what was accepted is accepted again");
    if (second.errors().empty()) require(core::to_json(again) == text, "and as it is");
    if constexpr (requires { command.id; }) command.id = id;
    if constexpr (std::same_as<Command, cmd::ClaimShift> || std::same_as<Command, cmd::OfferShift>)
        command.shiftId = id;
    if constexpr (std::derived_from<Command, cmd::NamedClaim>) command.shiftId = 1;
    if constexpr (requires { command.agent = 1; }) command.agent = 1;
    if constexpr (requires { command.conversation = id; }) command.conversation = id;
    if constexpr (requires { command.render; }) {
        command.render = [](std::string const& input, auto&&...) { return input; };
    }
    if constexpr (requires { command.rights.manages_all; }) command.rights.manages_all = true;
    if constexpr (requires { command.runAs; }) command.runAs = 3;
    if constexpr (std::same_as<Command, cmd::ResetSandbox>) command.facilityId = command.facilityId.value_or(1);
    decide_on(command);
}

struct Row {
    std::string_view route;
    void (*read)(core::JsonValue const& body, Id id);
};
/// New rows come last, for seeds name theirs by a letter.
constexpr std::array kRows{Row{"facilities.create", &read<cmd::CreateFacility>},
                           Row{"facilities.update", &read<cmd::UpdateFacility>},
                           Row{"facilities.put", &read<cmd::UpdateFacility>},
                           Row{"facilities.deactivate", &read<cmd::DeactivateFacility>},
                           Row{"staff.create", &read<cmd::CreateStaff>},
                           Row{"staff.update", &read<cmd::UpdateStaff>},
                           Row{"staff.put", &read<cmd::UpdateStaff>},
                           Row{"staff.deactivate", &read<cmd::DeactivateStaff>},
                           Row{"staff.reactivate", &read<cmd::ReactivateStaff>},
                           Row{"shifts.create", &read<cmd::CreateShift>},
                           Row{"shifts.create", &read<cmd::CreateShifts>},
                           Row{"shifts.update", &read<cmd::UpdateShift>},
                           Row{"shifts.put", &read<cmd::UpdateShift>},
                           Row{"shifts.delete", &read<cmd::DeleteShift>},
                           Row{"shifts.assign", &read<cmd::AssignStaff>},
                           Row{"shifts.unassign", &read<cmd::UnassignStaff>},
                           Row{"shifts.acknowledge", &read<cmd::AcknowledgeShift>},
                           Row{"shifts.start", &read<cmd::StartShift>},
                           Row{"shifts.complete", &read<cmd::CompleteShift>},
                           Row{"shifts.cancel", &read<cmd::CancelShift>},
                           Row{"staff.import_csv", &read<cmd::CreateStaff>},  // fuzz_csv has their files
                           Row{"shifts.import_csv", &read<cmd::CreateShift>},
                           Row{"shifts.reopen", &read<cmd::ReopenShift>},
                           Row{"leads.create", &read<cmd::CreateLead>},
                           Row{"leads.update", &read<cmd::UpdateLead>},
                           Row{"leads.put", &read<cmd::UpdateLead>},
                           Row{"leads.delete", &read<cmd::DeleteLead>},
                           Row{"api_keys.create", &read<cmd::CreateApiKey>},
                           Row{"api_keys.update", &read<cmd::UpdateApiKey>},
                           Row{"api_keys.put", &read<cmd::UpdateApiKey>},
                           Row{"api_keys.delete", &read<cmd::RevokeApiKey>},
                           Row{"api_keys.revoke", &read<cmd::RevokeApiKey>},
                           Row{"api_keys.rotate", &read<cmd::RotateApiKey>},
                           Row{"sandbox.reset", &read<cmd::ResetSandbox>},
                           Row{"organizations.create", &read<cmd::CreateOrganization>},
                           Row{"organizations.deactivate", &read<cmd::DeactivateOrganization>},
                           Row{"organizations.update", &read<cmd::UpdateOrganization>},
                           Row{"organizations.put", &read<cmd::UpdateOrganization>},
                           Row{"users.create", &read<cmd::CreateUser>},
                           Row{"users.update", &read<cmd::UpdateUser>},
                           Row{"users.put", &read<cmd::UpdateUser>},
                           Row{"users.deactivate", &read<cmd::DeactivateUser>},
                           Row{"users.reset_invite", &read<cmd::InviteUser>},
                           Row{"users.activate", &read<cmd::ActivateUser>},
                           Row{"users.lock", &read<cmd::LockUser>},
                           Row{"users.unlock", &read<cmd::UnlockUser>},
                           Row{"users.record_sign_in", &read<cmd::RecordSignIn>},
                           Row{"users.record_sign_out", &read<cmd::RecordSignOut>},
                           Row{"users.record_sign_in_failure", &read<cmd::RecordSignInFailure>},
                           Row{"users.record_password_change", &read<cmd::RecordPasswordChange>},
                           Row{"users.record_mfa_enabled", &read<cmd::RecordMfaEnabled>},
                           Row{"users.record_mfa_disabled", &read<cmd::RecordMfaDisabled>},
                           Row{"users.reset_mfa", &read<cmd::ResetUserMfa>},
                           Row{"webhooks.create", &read<cmd::CreateWebhook>},
                           Row{"webhooks.update", &read<cmd::UpdateWebhook>},
                           Row{"webhooks.put", &read<cmd::UpdateWebhook>},
                           Row{"webhooks.delete", &read<cmd::DeleteWebhook>},
                           Row{"webhooks.rotate_secret", &read<cmd::RotateWebhookSecret>},
                           Row{"webhooks.test", &read<cmd::TestWebhook>},
                           Row{"webhooks.redeliver", &read<cmd::RedeliverWebhook>},
                           Row{"webhooks.replay", &read<cmd::ReplayWebhook>},
                           Row{"webhooks.disable", &read<cmd::DisableWebhook>},
                           Row{"notifications.create", &read<cmd::CreateNotification>},
                           Row{"notifications.read", &read<cmd::ReadNotification>},
                           Row{"notifications.read_all", &read<cmd::ReadNotifications>},
                           Row{"shifts.swap", &read<cmd::SwapStaff>},
                           Row{"credentials.add", &read<cmd::AddCredential>},
                           Row{"credentials.add_to_staff", &read<cmd::AddCredential>},
                           Row{"credentials.update", &read<cmd::UpdateCredential>},
                           Row{"credentials.put", &read<cmd::UpdateCredential>},
                           Row{"credentials.delete", &read<cmd::DeleteCredential>},
                           Row{"credentials.verify", &read<cmd::VerifyCredential>},
                           Row{"credentials.verify_external", &read<cmd::RecordVerification>},
                           Row{"credentials.reject", &read<cmd::RejectCredential>},
                           Row{"credentials.expire", &read<cmd::ExpireCredential>},
                           Row{"credentials.revoke", &read<cmd::RevokeCredential>},
                           Row{"timesheets.create", &read<cmd::CreateTimesheet>},
                           Row{"timesheets.clock_in", &read<cmd::ClockIn>},
                           Row{"timesheets.clock_out", &read<cmd::ClockOut>},
                           Row{"timesheets.update", &read<cmd::UpdateTimesheet>},
                           Row{"timesheets.put", &read<cmd::UpdateTimesheet>},
                           Row{"timesheets.submit", &read<cmd::SubmitTimesheet>},
                           Row{"timesheets.approve", &read<cmd::ApproveTimesheet>},
                           Row{"timesheets.approve_many", &read<cmd::ApproveTimesheets>},
                           Row{"timesheets.reject", &read<cmd::RejectTimesheet>},
                           Row{"timesheets.unapprove", &read<cmd::UnapproveTimesheet>},
                           Row{"timesheets.void", &read<cmd::VoidTimesheet>},
                           Row{"payroll_runs.create", &read<cmd::CreatePayrollRun>},
                           Row{"payroll_runs.update", &read<cmd::UpdatePayrollRun>},
                           Row{"payroll_runs.put", &read<cmd::UpdatePayrollRun>},
                           Row{"payroll_runs.delete", &read<cmd::DeletePayrollRun>},
                           Row{"payroll_runs.approve", &read<cmd::ApprovePayrollRun>},
                           Row{"payroll_runs.cancel", &read<cmd::CancelPayrollRun>},
                           Row{"apps.connect", &read<cmd::ConnectApp>},
                           Row{"apps.disconnect", &read<cmd::DisconnectApp>},
                           Row{"apps.execute", &read<cmd::ExecuteApp>},
                           Row{"oauth.settle_device", &read<cmd::ApproveOAuthGrant>},
                           Row{"oauth.consent", &read<cmd::ApproveOAuthGrant>},
                           Row{"oauth.revoke_grant", &read<cmd::RevokeOAuthGrant>},
                           Row{"oauth.register_client", &read<cmd::RegisterOAuthClient>},
                           Row{"oauth.remove_client", &read<cmd::RemoveOAuthClient>},
                           Row{"oauth.record_chain_end", &read<cmd::RecordOAuthChainEnd>},
                           Row{"organizations.reactivate", &read<cmd::ReactivateOrganization>},
                           Row{"users.reactivate", &read<cmd::ReactivateUser>},
                           Row{"guardrails.create", &read<cmd::CreateGuardrail>},
                           Row{"guardrails.update", &read<cmd::UpdateGuardrail>},
                           Row{"guardrails.put", &read<cmd::UpdateGuardrail>},
                           Row{"guardrails.delete", &read<cmd::DeleteGuardrail>},
                           Row{"approvals.approve", &read<cmd::RejectApproval>},
                           Row{"approvals.reject", &read<cmd::RejectApproval>},
                           Row{"ai_actions.approve", &read<cmd::RejectApproval>},
                           Row{"ai_actions.reject", &read<cmd::RejectApproval>},
                           Row{"agent_builder.create", &read<cmd::CreateAgent>},
                           Row{"agent_builder.update", &read<cmd::UpdateAgent>},
                           Row{"agent_builder.put", &read<cmd::UpdateAgent>},
                           Row{"agent_builder.deactivate", &read<cmd::DeactivateAgent>},
                           Row{"agent_runs.start", &read<cmd::StartRun>},
                           Row{"agent_runs.cancel", &read<cmd::CancelRun>},
                           Row{"agent_runs.cancel_all", &read<cmd::CancelRuns>},
                           Row{"agent_runs.advance", &read<cmd::TakeRun>},
                           Row{"triggers.create", &read<cmd::CreateTrigger>},
                           Row{"triggers.update", &read<cmd::UpdateTrigger>},
                           Row{"triggers.put", &read<cmd::UpdateTrigger>},
                           Row{"triggers.update_named", &read<cmd::UpdateTrigger>},
                           Row{"triggers.put_named", &read<cmd::UpdateTrigger>},
                           Row{"triggers.delete", &read<cmd::DeleteTrigger>},
                           Row{"triggers.delete_named", &read<cmd::DeleteTrigger>},
                           Row{"triggers.toggle", &read<cmd::ToggleTrigger>},
                           Row{"triggers.toggle_named", &read<cmd::ToggleTrigger>},
                           Row{"triggers.run_now", &read<cmd::RunTriggerNow>},
                           Row{"triggers.run_now_named", &read<cmd::RunTriggerNow>},
                           Row{"conversations.create", &read<cmd::StartConversation>},
                           Row{"conversations.read", &read<cmd::ReadConversation>},
                           Row{"messages.send", &read<cmd::SendMessage>},
                           Row{"messages.create", &read<cmd::CreateMessage>},
                           Row{"messages.retract", &read<cmd::RetractMessage>},
                           Row{"staff.set_availability", &read<cmd::SetAvailability>},
                           Row{"time_off.create", &read<cmd::RequestTimeOff>},
                           Row{"time_off.approve", &read<cmd::ApproveTimeOff>},
                           Row{"time_off.decline", &read<cmd::DeclineTimeOff>},
                           Row{"time_off.cancel", &read<cmd::CancelTimeOff>},
                           Row{"shift_claims.create", &read<cmd::ClaimShift>},
                           Row{"shift_claims.approve", &read<cmd::ApproveShiftClaim>},
                           Row{"shift_claims.decline", &read<cmd::DeclineShiftClaim>},
                           Row{"shift_claims.withdraw", &read<cmd::WithdrawShiftClaim>},
                           Row{"shift_swaps.create", &read<cmd::RequestShiftSwap>},
                           Row{"shift_swaps.accept", &read<cmd::AcceptShiftSwap>},
                           Row{"shift_swaps.decline", &read<cmd::DeclineShiftSwap>},
                           Row{"shift_swaps.approve", &read<cmd::ApproveShiftSwap>},
                           Row{"shift_swaps.reject", &read<cmd::RejectShiftSwap>},
                           Row{"shift_swaps.cancel", &read<cmd::CancelShiftSwap>},
                           Row{"shift_templates.create", &read<cmd::CreateShiftTemplate>},
                           Row{"shift_templates.update", &read<cmd::UpdateShiftTemplate>},
                           Row{"shift_templates.put", &read<cmd::UpdateShiftTemplate>},
                           Row{"shift_templates.delete", &read<cmd::DeleteShiftTemplate>},
                           Row{"shift_templates.generate", &read<cmd::GenerateShifts>},
                           Row{"shifts.offer", &read<cmd::OfferShift>},
                           Row{"shift_offers.accept", &read<cmd::AcceptShiftOffer>},
                           Row{"shift_offers.decline", &read<cmd::DeclineShiftOffer>},
                           Row{"shift_offers.withdraw", &read<cmd::WithdrawShiftOffer>},
                           Row{"staff.put_availability", &read<cmd::SetAvailability>}};

/// The commands' routes that have no row, each after a space: nobody would try them.
std::string routes_without_row() {
    std::string names;
    for (api::Route const& route : api::rest_router().routes()) {
        if (route.method == net::Method::get || !route.operation->appends) continue;
        if (std::ranges::count(kRows, route.name, &Row::route) == 0) names.append(" ").append(route.name);
    }
    return names;
}

}  // namespace

void fuzz(std::string_view input) {
    static std::string const missing = routes_without_row();
    require(missing.empty(), "each command's route has a row:" + missing);
    auto const letter = take_byte(input);
    Id const id = take_byte(input) % 6;
    net::Request request;
    request.headers.emplace_back("Content-Type", "application/json");
    request.body = input;
    auto const body = api::parse_body(request, operations::MediaType::json);
    if (body) kRows[static_cast<unsigned char>(letter - 'A') % kRows.size()].read(*body, id);
}

}  // namespace workforce::tests
