// The sample events.
#include "tests/unit/events/samples.hpp"

#include <fmt/format.h>

#include "events/catalogue.hpp"
#include "events/codec.hpp"
#include "tests/support/given.hpp"

namespace workforce::tests {
namespace {

using namespace events;  // every line here names something of it

OrganizationCreated organization_created() {
    OrganizationCreated e;
    e.name = "Harbour Care Group";
    e.industry = "healthcare";
    e.timezone = "Europe/Berlin";
    e.currency = "EUR";
    e.billingCustomerRef = core::ShortText("cus_8231");
    e.settings.overtimeMultiplier.hundredths = 175;
    return e;
}

FacilityCreated facility_created() {
    FacilityCreated e;
    e.name = "Harbour Care Nord";
    e.code = "HCN";
    e.address = {"Deichstraße 4", "", "Bremen", "Bremen", "28195", "DE"};
    e.phone = "+49 421 5550-100";
    e.timezone = "Europe/Berlin";
    e.departments = {"Emergency", "ICU"};
    e.billMarkupPercent.hundredths = 1250;
    e.requiredCredentialTypes = {{"icu", "license", "Registered Nurse"}};
    e.schedulingRules.overtime = RuleLevel::block;
    return e;
}

FacilityUpdated facility_updated() {
    FacilityUpdated e;
    e.address.emplace().line2 = core::ShortText("Eingang Süd");
    e.departments = std::vector<core::ShortText>{"Emergency"};
    e.schedulingRules.emplace().minRest = RuleLevel::allow;
    e.autoStart = false;
    return e;
}

UserCreated user_created() {
    UserCreated e;
    e.email = core::Email("mara.lind@harbour.example");
    e.username = core::ShortText("mara");
    e.firstName = core::Name("Mara");
    e.lastName = core::Name("Lind");
    e.role = Role::facility_admin;
    e.facilityIds = {12};
    e.staffId = Id{481};
    e.status = UserStatus::invited;
    return e;
}

UserUpdated user_updated() {
    UserUpdated e;
    e.email = core::Email("mara@harbour.example");
    e.role = Role::scheduler;
    e.facilityIds = std::vector<Id>{12, 13};
    e.staffId = core::Nullable<Id>{};
    return e;
}

OrganizationUpdated organization_updated() {
    OrganizationUpdated e;
    e.timezone = core::TimeZoneName("Europe/Vienna");
    e.settings.emplace().minRestMinutes = core::Int<0, 2880>{600};
    return e;
}

ApiKeyCreated api_key_created() {
    ApiKeyCreated e;
    e.name = "Roster import";
    e.scopes = {"shifts:read", "shifts:write", "crm:*"};
    e.rateLimitPerMin = core::Int<1, 6000>(600);
    e.userId = Id{31};
    e.facilityId = Id{12};
    e.expiresAt = at("2027-07-24T00:00:00Z");
    e.prefix = "svc_live_";
    e.last4 = "x9Zq";
    return e;
}

ApiKeyUpdated api_key_updated() {
    ApiKeyUpdated e;
    e.scopes = std::vector<core::ShortText>{"shifts:read"};
    e.rateLimitPerMin = core::Nullable<core::Int<1, 6000>>{};
    e.modelTier = ModelTier::advanced;
    e.expiresAt = core::Nullable<Timestamp>(at("2028-01-01T00:00:00Z"));
    return e;
}

StaffOnboarded staff_onboarded() {
    StaffOnboarded e;
    e.firstName = core::Name("Zoë");
    e.lastName = core::Name("Achterberg");
    e.email = core::Email("zoe.achterberg@mail.example");
    e.phone = core::Phone("+49 151 5550-481");
    e.specialty = "icu";
    e.employmentType = EmploymentType::part_time;
    e.hourlyRate.hundredths = 3875;
    e.yearsExperience.hundredths = 750;
    e.certifications = {"BLS"};
    e.skills = {"triage", "ventilation"};
    e.profilePhoto = core::Nullable<core::HttpsUrl>(core::HttpsUrl("https://photos.example/481.jpg"));
    e.emergencyContact = EmergencyContact{"Jan Achterberg", "+49 151 5550-482", "brother"};
    e.workHistory = std::vector<WorkHistoryItem>{
        {"Elm House", "Nurse", day("2019-04-01"), day("2023-03-31"), "Night shifts\nand ICU"}};
    e.education = std::vector<EducationItem>{
        {"Hochschule Bremen", "B.Sc. Nursing", core::Int<1900, 2100>(2018), core::Decimal<0, 5>{370}}};
    e.facilityIds = {12, 13};
    e.externalId = core::ShortText("HR-00481");
    e.maxWeeklyHours = core::Decimal<0, 168>{3850};
    return e;
}

StaffUpdated staff_updated() {
    StaffUpdated e;
    e.phone = core::Personal<core::Phone>(core::Phone("+49 151 5550-999"));
    e.hourlyRate = core::Rate{4020};
    e.profilePhoto = core::Personal<core::Nullable<core::HttpsUrl>>(core::Nullable<core::HttpsUrl>{});
    e.education =
        core::Personal<std::vector<EducationItem>>(std::vector<EducationItem>{{"Hochschule Bremen", "M.Sc.", {}, {}}});
    return e;
}

ShiftSpan night() { return {"Europe/Berlin", at("2026-07-25T20:00:00Z"), at("2026-07-26T04:00:00Z")}; }

ShiftPosted shift_posted() {
    ShiftPosted e;
    e.facilityId = 12;
    e.title = "ICU night";
    e.date = day("2026-07-25");
    e.startTime = clock("22:00");
    e.endTime = clock("06:00");
    e.department = "ICU";
    e.specialty = "icu";
    e.requiredWorkers = 2;
    e.urgency = Urgency::high;
    e.rate.hundredths = 4150;
    e.notes = "Handover at 21:45.\nUse the south entrance.";
    e.breaks = {{30, true}, {15, false}};
    e.externalId = "R-2026-30-7";
    static_cast<ShiftSpan&>(e) = night();
    e.templateId = Id{21};
    return e;
}

ShiftUpdated shift_updated() {
    ShiftUpdated e;
    e.startTime = clock("21:00");
    e.requiredWorkers = core::Int<1, 500>(3);
    e.urgency = Urgency::critical;
    e.span = ShiftSpan{"Europe/Berlin", at("2026-07-25T19:00:00Z"), at("2026-07-26T04:00:00Z")};
    return e;
}

LeadCreated lead_created() {
    LeadCreated e;
    e.facilityId = Id{12};
    e.name = core::ShortText("Ottilie Brandt");
    e.company = "Seniorenstift am Wall";
    e.email = core::OptionalEmail("o.brandt@mail.example");
    e.phone = core::Phone("+49 421 5550-77");
    e.source = LeadSource::referral;
    e.score = 40;
    e.estimatedValue.hundredths = 1'250'000;
    e.ownerUserId = Id{31};
    e.notes = core::LongText("Met at the care fair.\nWants nights covered.");
    e.tags = {"nights", "fair 2026"};
    e.lastContactedAt = at("2026-07-23T15:30:00Z");
    e.externalId = "CRM-88";
    e.status = LeadStatus::contacted;
    return e;
}

LeadUpdated lead_updated() {
    LeadUpdated e;
    e.facilityId = core::Nullable<Id>{};
    e.score = core::Int<0, 100>(65);
    e.notes = core::Personal<core::LongText>(core::LongText("Call again in August."));
    return e;
}

NotificationCreated notification_created() {
    NotificationCreated e;
    e.userId = 31;
    e.type = NotificationType::shift_assigned;
    e.title = "You are assigned to a shift";
    e.body = "ICU night on 2026-07-25, from 22:00 to 06:00.";
    e.resource = "shift:90210";
    return e;
}

CommandAnswered command_answered() {
    CommandAnswered e;
    e.status = 201;
    e.location = "/api/staff/481";
    e.version = 1;
    e.sealedFor = "staff/481";
    e.body = std::string(R"({"id":481,"firstName":"Zoë"})");
    return e;
}

WebhookCreated webhook_created() {
    WebhookCreated e;
    e.name = "Payroll sync";
    e.url = "https://hooks.example.test/workforce?team=7";
    e.events = {"shift_filled", "payroll_completed"};
    e.facilityId = Id{12};
    e.metadata.value = {{"owner", "payroll team"}};
    e.readable = {"shift_posted", "shift_filled"};
    e.secretId = "019f9391-4900-7000-8000-0000000000b1";
    return e;
}

OAuthClientRegistered client_registered() {
    OAuthClientRegistered e;
    e.clientId = "svc_client_2TgRQUEoCtKSc4jzXmNPaB";
    e.clientName = "Planner";
    e.redirectUris = {"https://planner.example.test/callback", "http://127.0.0.1/callback"};
    e.grantTypes = {"authorization_code", "refresh_token"};
    e.authentication = ClientAuthentication::client_secret_basic;
    e.scopes = {"shifts:read"};
    e.clientUri = "https://planner.example.test/";
    return e;
}

WebhookUpdated webhook_updated() {
    WebhookUpdated e;
    e.events = std::vector<core::ShortText>{"*"};
    e.isActive = false;
    e.metadata.emplace().value = {{"owner", "finance"}, {"ticket", "OPS-12"}};
    e.readable = std::vector<std::string>{"*"};
    return e;
}

CredentialAdded credential_added() {
    CredentialAdded e;
    e.staffId = 481;
    e.type = StaffCredentialType::license;
    e.name = "Registered Nurse";
    e.number = core::Text<0, 64>("DE-HB-2021-44871");
    e.issuingAuthority = "Gesundheitsamt Bremen";
    e.jurisdiction = "DE-HB";
    e.issuedOn = day("2021-09-01");
    e.expiresOn = day("2026-08-31");
    e.documentUrl = core::Nullable<core::HttpsUrl>(core::HttpsUrl("https://documents.example/481/rn.pdf"));
    e.sealedFor = "staff/481";
    return e;
}

CredentialUpdated credential_updated() {
    CredentialUpdated e;
    e.number = core::Personal<core::Text<0, 64>>(core::Text<0, 64>("DE-HB-2026-51002"));
    e.expiresOn = core::Nullable<core::Date>(day("2031-08-31"));
    e.documentUrl = core::Personal<core::Nullable<core::HttpsUrl>>(core::Nullable<core::HttpsUrl>{});
    e.sealedFor = "staff/481";
    e.status = CredentialStatus::pending;
    return e;
}

constexpr TimesheetPay kWorth{60, {3850}, {34650}};

TimesheetPlace work_place() { return {481, 12, Id{90210}}; }

TimesheetTime work_time() {
    return {day("2026-07-24"),
            at("2026-07-24T20:00:00Z"),
            at("2026-07-25T04:30:00Z"),
            {{at("2026-07-25T00:00:00Z"), at("2026-07-25T00:30:00Z"), false}},
            480};
}

TimesheetOpened timesheet_opened() {
    return {work_place(),
            {"staff/481"},
            day("2026-07-24"),
            at("2026-07-24T20:00:00Z"),
            core::LongText("Came in for a colleague.")};
}

TimesheetSubmitted timesheet_submitted() {
    return {work_place(), work_time(), kWorth, {"staff/481"}, core::LongText("Came in for a colleague.")};
}

TimesheetEdited timesheet_edited() {
    return {
        work_time(), kWorth, {"staff/481"}, core::LongText("The break was half an hour."), TimesheetStatus::submitted};
}

TimesheetApproved timesheet_approved() { return {work_place(), kWorth, day("2026-07-24"), 480}; }

PayrollDraft payroll_draft() {
    PayrollDraft e;
    static_cast<PayrollPeriod&>(e) = {day("2026-07-20"), day("2026-07-26"), day("2026-07-31")};
    e.timesheetIds = {5150, 5151};
    e.adjustments = {{481, AdjustmentKind::bonus, {15000}}};
    e.totals = {2, 900, 60, {69300}, {15000}, {84300}};
    return e;
}

PaymentMade payment_made(Id staff, std::size_t number) {
    PaymentMade e;
    static_cast<PaymentAmounts&>(e) = {staff, {34650}, {15000}, {49650}, 420, 60};
    e.paymentId = payment_id(640, number);
    return e;
}

PayrollRunPaymentsSettled payments_settled() {
    return {{{payment_id(640, 1), PaymentStatus::paid, core::Nullable<std::string>("sim_pay_64000001")},
             {payment_id(640, 2), PaymentStatus::failed, {}}}};
}

Verification looked_up(VerificationResult result) {
    Verification e;
    e.method = VerificationMethod::external;
    e.provider = "registry_sim";
    e.reference = "sim_cr_6006";
    e.checkedAt = at("2026-07-24T10:00:00Z");
    e.verifiedBy = Id{31};
    e.result = result;
    return e;
}

CredentialExpired credential_expired() {
    CredentialExpired e;
    e.staffId = 481;
    e.type = StaffCredentialType::license;
    e.name = "Registered Nurse";
    e.expiresOn = day("2026-08-31");
    e.reason = ExpiredReason::external_verification;
    e.note = "The registry has it as expired.";
    e.verification = looked_up(VerificationResult::expired);
    return e;
}

CredentialExpiring credential_expiring() {
    CredentialExpiring e;
    e.staffId = 481;
    e.type = StaffCredentialType::license;
    e.name = "Registered Nurse";
    e.expiresOn = day("2026-08-31");
    e.withinDays = 30;
    return e;
}

GuardrailCreated guardrail_created() {
    GuardrailCreated e;
    e.name = "Rates above 80 at night";
    e.description = core::LongText("Agreed with the works council.");
    e.effect = GuardrailEffect::require_approval;
    e.tools = {ToolGlob("shifts_create"), ToolGlob("shifts_u*")};
    e.channels = {ToolChannel::agent};
    e.conditions = {{"arguments.rate", ConditionOp::gt, {"80"}},
                    {"arguments.urgency", ConditionOp::in, {R"(["high","critical"])"}}};
    e.window = WeeklyWindow{{5, 6}, {22 * 60}, {6 * 60}, core::TimeZoneName("Europe/Berlin")};
    e.facilityIds = {12};
    e.roles = {Role::scheduler};
    e.agentIds = {71};
    e.priority = 10;
    return e;
}

GuardrailUpdated guardrail_updated() {
    GuardrailUpdated e;
    e.effect = GuardrailEffect::block;
    e.window = core::Nullable<WeeklyWindow>();
    e.facilityIds = std::vector<Id>{};
    e.isEnabled = false;
    return e;
}

ApprovalRequested approval_requested() {
    ApprovalRequested requested;
    requested.tool = "staff_deactivate";
    requested.reason = DeferralReason::guardrail;
    requested.guardrail = std::string("Nobody leaves at night");
    requested.guardrailId = Id{41};
    requested.facilityId = Id{12};
    requested.agentId = Id{9};
    requested.runId = Id{77};
    requested.sessionId = std::string("session-1");
    requested.origin = ApprovalOrigin::agent_run;
    requested.requestedBy = {31, ""};
    requested.expiresAt = at("2026-07-27T10:00:00Z");
    requested.requester = {ActorType::oauth, 17, 7, "oauth/31/svc_client_2TgRQUEoCtKSc4jzXmNPaB",
                           "svc_client_2TgRQUEoCtKSc4jzXmNPaB"};
    requested.correlationId = "req_019f9391-4900-7b00-9000-0000000000d1";
    requested.step = "s1";
    requested.depth = 1;
    requested.dedupeKey = core::hex_encode(core::bytes(core::hmac_sha256("installation", "dedupe")));
    requested.namedStaffIds = {481};
    requested.arguments.value.text = R"({"staffId":481})";
    return requested;
}

ApprovalExecuted approval_executed() {
    ApprovalExecuted executed;
    executed.namedStaffIds = {481};
    executed.namedUserIds = {31};
    executed.namedLeadIds = {7003};
    executed.result.value.text = R"({"id":481,"isActive":false})";
    return executed;
}

ApprovalRejected approval_rejected() {
    ApprovalRejected rejected;
    rejected.cause = RejectionCause::withdrawn;
    rejected.resolvedBy = ApprovalParty{0, "Planner"};
    rejected.reason.value = core::LongText("Not now.");
    return rejected;
}

PlanStep plan_step() {
    PlanStep step;
    step.id = StepName("fill");
    step.tool = core::Name("shifts_assign");
    step.arguments = RunObject{R"({"shiftId":"{{item.id}}","staffIds":[481]})"};
    step.when = Condition{"input.go", ConditionOp::eq, {"true"}};
    step.forEach = core::Text<1, 200>("input.shifts");
    step.onError = OnStepError::continue_;
    return step;
}

AgentCreated agent_created() {
    AgentCreated e;
    e.facilityId = Id{12};
    e.name = "Night filler";
    e.description = "Fills nights that nobody took.";
    e.plan = {plan_step()};
    e.output = core::Nullable<RunValue>(RunValue{R"({"filled":"{{steps.fill.result}}"})"});
    e.instructions = "Ask nobody.";
    e.allowedTools = {"shifts_*", "staff_find_available"};
    e.approvalMode = AgentApprovalMode::always;
    e.limits.maxToolCalls = 20;
    return e;
}

AgentUpdated agent_updated() {
    AgentUpdated e;
    e.name = core::Name("Filler");
    e.plan = Plan{plan_step()};
    e.limits.emplace().timeoutSeconds = core::Int<5, 900>(60);
    return e;
}

AgentRunQueued agent_run_queued() {
    AgentRunQueued e;
    e.agentId = 501;
    e.agentVersion = std::int64_t{4};
    e.triggerId = Id{44};
    e.facilityId = Id{12};
    e.runAsUserId = 31;
    e.requestedBy = {ActorType::api_key, 55, 31};
    e.depth = 1;
    e.input = RunObject{R"({"go":true,"shifts":[{"id":90210}]})"};
    e.plan = Plan{plan_step()};
    e.output = core::Nullable<RunValue>(RunValue{R"("{{steps.fill.result}}")"});
    e.event = core::Nullable<RunValue>(RunValue{R"({"type":"shift.posted","data":{"shiftId":90210}})"});
    return e;
}

AgentRunStepFinished agent_run_step_finished() {
    AgentRunStepFinished e;
    static_cast<RunPlace&>(e) = {"fill", std::int64_t{0}, "shifts_assign"};
    e.status = RunStepStatus::error;
    e.error = core::Nullable<RunError>(RunError{"SHIFT_FULL", "The shift has all the people that it needs."});
    e.arguments = RunValue{R"({"shiftId":90210,"staffIds":[481]})"};
    e.startedAt = at("2026-07-24T09:59:59Z");
    e.requestId = "req_019f9391-4900-7b00-9000-0000000000f1";
    return e;
}

AgentRunPendingApproval agent_run_pending_approval() {
    AgentRunPendingApproval e;
    static_cast<RunPlace&>(e) = {"pay", {}, "payroll_runs_approve"};
    e.approvalId = 701;
    e.expiresAt = at("2026-07-27T10:00:00Z");
    e.arguments = RunValue{R"({"runId":640})"};
    e.startedAt = at("2026-07-24T10:00:00Z");
    return e;
}

AgentRunResumed agent_run_resumed() {
    AgentRunResumed e;
    e.approvalId = 701;
    e.result = RunValue{R"({"id":640,"status":"processing"})"};
    return e;
}

AppConnected app_connected() {
    AppConnected e;
    e.facilityId = Id{12};
    e.app = "github";
    e.displayName = "GitHub";
    e.accountLabel = core::ShortText("Rota of Mara Lind");
    e.scopes = {"repo"};
    e.accountId = "ca_1a2b";
    return e;
}

AppActionAsked app_action() {
    AppActionAsked asked;
    asked.executionId = execution_id(71, 1);
    asked.app = "github";
    asked.action = "GITHUB_CREATE_AN_ISSUE";
    asked.arguments = AppArguments{R"({"title":"Shift of Mara Lind","token":"[redacted]"})"};
    asked.durationMs = 312;
    asked.approvalId = Id{9};
    return asked;
}

TriggerCreated trigger_created() {
    TriggerCreated created;
    created.agentId = 71;
    created.facilityId = Id{12};
    created.createdBy = Id{31};
    created.name = "New shifts at night";
    created.type = TriggerType::event;
    created.eventType = "shift.posted";
    created.filter.text = R"({"urgency":["high","critical"]})";
    created.input.text = R"({"shiftId":"{{event.data.shiftId}}"})";
    created.runAsUserId = 31;
    created.maxRunsPerHour = 20;
    return created;
}

TriggerUpdated trigger_updated() {
    TriggerUpdated updated;
    updated.cron = "0 9 * * mon-fri";
    updated.timezone = "Europe/Berlin";
    updated.nextRunAt = at("2026-07-25T07:00:00Z");
    return updated;
}

ConversationStarted conversation_started() {
    ConversationStarted started;
    started.facilityId = Id{12};
    started.subject = core::ShortText("Mara's night shifts");
    started.type = ConversationType::group;
    started.participantUserIds = {31, 32};
    started.participantStaffIds = {481};
    return started;
}

MessageDelivery message_delivery(DeliveryStatus status, std::string error) {
    return {ParticipantType::staff, 481, MessageChannel::email, status, std::move(error)};
}

MessageSent message_sent() {
    MessageSent sent;
    sent.conversationId = 601;
    sent.facilityId = Id{12};
    sent.senderType = SenderType::user;
    sent.senderId = 31;
    sent.body = core::LongText("Mara, can you come at ten?");
    sent.channels = {MessageChannel::in_app, MessageChannel::email};
    sent.deliveries = {{ParticipantType::user, 32, MessageChannel::in_app, DeliveryStatus::sent, ""},
                       message_delivery(DeliveryStatus::queued, "")};
    sent.sealedFor = "conversation/601";
    return sent;
}

TimeOffRequested time_off_requested() {
    TimeOffRequested requested;
    requested.staffId = 481;
    requested.type = TimeOffType::vacation;
    requested.startDate = day("2026-08-03");
    requested.endDate = day("2026-08-07");
    requested.endTime = clock("12:00");
    requested.timezone = "Europe/Berlin";
    requested.startsAt = at("2026-08-02T22:00:00Z");
    requested.endsAt = at("2026-08-07T10:00:00Z");
    requested.note = core::LongText("My sister marries.");
    requested.sealedFor = "staff/481";
    return requested;
}

/// Of a requester and a peer, and what becomes of it.
template <class Event>
ShiftSwapEvent of_shift_swap(Event event = {}) {
    static_cast<events::ShiftSwapSides&>(event) = {90210, 481, 43, 502};
    return event;
}
ShiftSwapEvent shift_swap_requested() {
    ShiftSwapRequested requested;
    requested.facilityId = 12;
    return of_shift_swap(std::move(requested));
}
ShiftSwapEvent shift_swap_rejected() {
    ShiftSwapRejected rejected;
    rejected.reason = core::LongText("Mara has not worked there yet.");
    rejected.sealedFor = "staff/481";
    return of_shift_swap(std::move(rejected));
}

ShiftTemplateCreated shift_template_created() {
    ShiftTemplateCreated created;
    created.facilityId = 12;
    created.title = "ICU night";
    created.weekdays = {1, 3, 7};
    created.startTime = clock("22:00");
    created.endTime = clock("06:00");
    created.department = "ICU";
    created.specialty = "icu";
    created.requiredWorkers = 2;
    created.urgency = Urgency::high;
    created.rate.hundredths = 4150;
    created.notes = "Use the south entrance.";
    created.breaks = {{30, true}};
    return created;
}

ShiftTemplateUpdated shift_template_updated() {
    ShiftTemplateUpdated updated;
    updated.weekdays = Weekdays{6, 7};
    updated.isActive = false;
    return updated;
}

/// In the order in which they came to be: a place fixes a sample's id and times, so a new one goes to the end.
std::vector<AnyEvent> sample_data() {
    RunBrief const brief{501, Id{44}, {ActorType::api_key, 55, 31}, at("2026-07-24T10:00:00Z"), 3};
    return {
        OrganizationEvent(organization_created()),
        FacilityEvent(facility_created()),
        FacilityEvent(facility_updated()),
        FacilityEvent(FacilityDeactivated{}),
        FacilityEvent(FacilityReactivated{}),
        UserEvent(user_created()),
        ApiKeyEvent(api_key_created()),
        ApiKeyEvent(ApiKeyRevoked{core::ShortText("lost with a laptop")}),
        StaffEvent(staff_onboarded()),
        StaffEvent(staff_updated()),
        StaffEvent(StaffDeactivated{}),
        StaffEvent(StaffReactivated{}),
        ShiftEvent(shift_posted()),
        ShiftEvent(shift_updated()),
        ShiftEvent(ShiftStaffAssigned{481, AssignmentSource::direct, {{"doubleBooking", "Agreed by telephone"}}}),
        ShiftEvent(ShiftFilled{{481, 502}}),
        ShiftEvent(ShiftUnassigned{481}),
        ShiftEvent(ShiftVacancyOpened{1}),
        ShiftEvent(ShiftStarted{}),
        ShiftEvent(ShiftCompleted{}),
        ShiftEvent(ShiftCancelled{"The ward is closed for cleaning."}),
        ShiftEvent(ShiftReopened{}),
        ShiftEvent(ShiftDeleted{}),
        CommandEvent(command_answered()),
        StaffEvent(StaffErased{{"Left; the retention period is over.", "ops"}}),
        UserEvent(UserErased{{"Asked for by letter on 24 July.", "ops"}}),
        LeadEvent(lead_created()),
        LeadEvent(lead_updated()),
        LeadEvent(LeadStatusChanged{{LeadStatus::lost, core::ShortText("No budget this year")}, LeadStatus::proposal}),
        LeadEvent(LeadQualified{}),
        LeadEvent(LeadDeleted{}),
        LeadEvent(LeadErased{{core::Text<1, 500>("Asked for by telephone."), "ops"}}),
        ApiKeyEvent(api_key_updated()),
        ApiKeyEvent(ApiKeyRotated{"019f9391-4900-7000-8000-0000000000a2", "Qr7b",
                                  "019f9391-4900-7000-8000-0000000000a1", at("2026-07-25T10:00:00Z")}),
        ApiKeyEvent(ApiKeySecretRetired{{"019f9391-4900-7000-8000-0000000000a1"}}),
        ApiKeyEvent(ApiKeyExpired{}),
        UserEvent(UserDeactivated{}),
        UserEvent(UserReactivated{}),
        OrganizationEvent(OrganizationDeactivated{}),
        OrganizationEvent(OrganizationReactivated{}),
        StaffEvent(StaffDeleted{}),
        SandboxEvent(SandboxReset{
            {7,
             {{Kind::staff, 9}, {Kind::shift, 15}, {Kind::lead, 5}, {Kind::credential, 13}, {Kind::timesheet, 2}},
             {{Kind::staff, 8}, {Kind::shift, 14}, {Kind::lead, 5}, {Kind::credential, 12}}}}),
        UserEvent(user_updated()),
        OrganizationEvent(organization_updated()),
        UserEvent(UserInvited{}),
        UserEvent(UserActivated{}),
        UserEvent(UserLocked{at("2026-07-25T10:15:00Z")}),
        UserEvent(UserUnlocked{}),
        UserEvent(UserSignedIn{{9, SessionKind::cookie}, at("2026-07-25T10:00:00Z")}),
        UserEvent(UserSignedOut{{9, SessionKind::jwt}}),
        UserEvent(UserSignInFailed{}),
        UserEvent(UserPasswordChanged{}),
        NotificationEvent(notification_created()),
        NotificationEvent(NotificationRead{}),
        WebhookEvent(webhook_created()),
        WebhookEvent(webhook_updated()),
        WebhookEvent(WebhookEnabled{}),
        WebhookEvent(WebhookDisabled{"max_retries_exceeded", "timeout: no answer within 10 s",
                                     "019f9391-4900-7000-8000-0000000000c1", 31}),
        WebhookEvent(WebhookSecretRotated{"019f9391-4900-7000-8000-0000000000b2", at("2026-07-25T10:00:00Z")}),
        WebhookEvent(WebhookTested{1207}),
        WebhookEvent(WebhookRedelivered{1188, 1208, "019f9391-4900-7000-8000-0000000000c1"}),
        WebhookEvent(WebhookReplayed{at("2026-07-20T00:00:00Z"), at("2026-07-21T00:00:00Z"), {"shift_filled"}, true}),
        WebhookEvent(WebhookDeleted{}),
        ShiftEvent(ShiftSwapped{481, 43, 502}),
        CredentialEvent(credential_added()),
        CredentialEvent(credential_updated()),
        CredentialEvent(CredentialVerified{CredentialStatus::pending, looked_up(VerificationResult::match)}),
        CredentialEvent(
            CredentialRejected{"The registry knows no such credential.", looked_up(VerificationResult::no_match)}),
        CredentialEvent(credential_expired()),
        CredentialEvent(credential_expiring()),
        CredentialEvent(CredentialRevoked{"Taken back by the authority."}),
        CredentialEvent(CredentialHolderErased{}),
        CredentialEvent(CredentialDeleted{}),
        ShiftEvent(ShiftAcknowledged{481}),
        TimesheetEvent(timesheet_opened()),
        TimesheetEvent(timesheet_submitted()),
        TimesheetEvent(timesheet_edited()),
        TimesheetEvent(TimesheetRecalculated{{120, {3850}, {40425}}}),
        TimesheetEvent(timesheet_approved()),
        TimesheetEvent(TimesheetRejected{{"staff/481"}, core::LongText("The break is missing.")}),
        TimesheetEvent(TimesheetUnapproved{}),
        TimesheetEvent(TimesheetVoided{}),
        TimesheetEvent(TimesheetHolderErased{}),
        TimesheetEvent(TimesheetDeleted{}),
        TimesheetEvent(TimesheetPaid{640}),
        PayrollRunEvent(PayrollRunCreated{{Id{12}, "EUR"}, payroll_draft(), PayrollRunType::off_cycle}),
        PayrollRunEvent(PayrollRunUpdated{payroll_draft()}),
        PayrollRunEvent(PayrollRunNoted{0, core::LongText("For the night of the flood."), "staff/481"}),
        PayrollRunEvent(PayrollRunPaymentsCreated{"EUR", {payment_made(481, 1), payment_made(482, 2)}}),
        PayrollRunEvent(PayrollRunApproved{2}),
        PayrollRunEvent(PayrollRunSubmitted{2, "sim_pr_640", PayrollRunStatus::processing}),
        PayrollRunEvent(payments_settled()),
        PayrollRunEvent(
            PayrollRunPaymentExplained{payment_id(640, 2), core::LongText("The account is closed."), "staff/482"}),
        PayrollRunEvent(PayrollRunPaid{}),
        PayrollRunEvent(PayrollRunPartiallyPaid{}),
        PayrollRunEvent(PayrollRunFailed{2, "The account has no cover.", true}),
        PayrollRunEvent(PayrollRunCancelled{}),
        PayrollRunEvent(PayrollRunDeleted{}),
        PayrollRunEvent(PayrollRunTimesheetsReleased{{5150, 5151}}),
        PayrollRunEvent(PayrollRunPersonErased{481}),
        OAuthClientEvent(client_registered()),
        OAuthClientEvent(OAuthClientRemoved{"unused"}),
        OAuthGrantEvent(OAuthGrantApproved{{31, "svc_client_2TgRQUEoCtKSc4jzXmNPaB", "Planner", {"shifts:read"}}}),
        OAuthGrantEvent(OAuthGrantRevoked{}),
        OAuthGrantEvent(OAuthGrantChainRevoked{ChainEnd::token_replayed, 17}),
        UserEvent(UserMfaEnabled{}),
        UserEvent(UserMfaDisabled{}),
        UserEvent(UserMfaReset{}),
        GuardrailEvent(guardrail_created()),
        GuardrailEvent(guardrail_updated()),
        GuardrailEvent(GuardrailDeleted{}),
        ApprovalEvent(approval_requested()),
        ApprovalEvent(ApprovalApproved{{31, ""}, true, false}),
        ApprovalEvent(approval_executed()),
        ApprovalEvent(ApprovalExecutionFailed{"STAFF_HAS_FUTURE_SHIFTS",
                                              std::string("STAFF_HAS_FUTURE_SHIFTS: There are shifts ahead.")}),
        ApprovalEvent(approval_rejected()),
        ApprovalEvent(ApprovalExpired{}),
        ApprovalEvent(ApprovalDeleted{}),
        ApprovalEvent(ApprovalErased{{core::Text<1, 500>("Asked for by telephone."), "ops"}}),
        AgentEvent(agent_created()),
        AgentEvent(agent_updated()),
        AgentEvent(AgentDeactivated{}),
        AgentEvent(AgentReactivated{}),
        AgentEvent(AgentDeleted{}),
        AgentRunEvent(agent_run_queued()),
        AgentRunEvent(AgentRunStarted{}),
        AgentRunEvent(agent_run_step_finished()),
        AgentRunEvent(AgentRunTurnFinished{RunValue{R"({"role":"assistant","content":"Done."})"}, 812, 40,
                                           core::ShortText("gpt-5-mini"), std::int64_t{5}}),
        AgentRunEvent(agent_run_pending_approval()),
        AgentRunEvent(agent_run_resumed()),
        AgentRunEvent(AgentRunCompleted{RunValue{R"({"filled":2})"}, brief}),
        AgentRunEvent(
            AgentRunFailed{"TOOL_FAILED", core::LongText("Step fill (shifts_assign): SHIFT_FULL: …"), {}, brief}),
        AgentRunEvent(AgentRunRejected{RunRejection::withdrawn, 701, core::LongText("Not this week."), brief}),
        AgentRunEvent(AgentRunCancelled{RunCancellation::agent_deactivated, brief}),
        AgentRunEvent(AgentRunDeleted{}),
        AgentRunEvent(AgentRunErased{{"asked to be forgotten", "ops.dana"}}),
        TriggerEvents(trigger_created()),
        TriggerEvents(trigger_updated()),
        TriggerEvents(TriggerEnabled{at("2026-07-25T07:00:00Z")}),
        TriggerEvents(TriggerDisabled{"max_consecutive_failures", TriggerError{"TOOL_FAILED", "Run 72 failed."}, Id{31},
                                      "New shifts at night"}),
        TriggerEvents(TriggerDeleted{}),
        TriggerEvents(TriggerFired{{at("2026-07-25T07:00:00Z"), "", ""}, 72, at("2026-07-26T07:00:00Z")}),
        TriggerEvents(TriggerDispatchFailed{{{}, "019f9391-4900-7a00-8000-000000000001", "shift.posted"},
                                            {"RUN_AS_USER_INACTIVE", "The user is not active."},
                                            {}}),
        TriggerEvents(
            TriggerSkipped{{{}, "019f9391-4900-7a00-8000-000000000001", "shift.posted"}, SkipReason::queue_full, {}}),
        TriggerEvents(TriggerRunEnded{72, "failed", TriggerError{"TOOL_FAILED", "Run 72 failed."}}),
        AppEvent(app_connected()),
        AppEvent(AppExecuted{app_action(), AppResult{R"({"number":17,"by":"Mara Lind"})"}}),
        AppEvent(AppExecutionFailed{app_action(), core::LongText("Mara Lind may not do that."), true}),
        AppEvent(AppDisconnected{}),
        AppEvent(AppDeleted{}),
        AppEvent(AppErased{{"asked for", "ops"}}),
        OAuthClientEvent(OAuthClientUpdated{ModelTier::advanced}),
        OAuthGrantEvent(OAuthGrantDenied{{31, "svc_client_2TgRQUEoCtKSc4jzXmNPaB", "Planner", {"payroll:run"}}}),
        WebhookEvent(WebhookGranted{{41, 12, {"shifts:read"}}}),
        ConversationEvent(conversation_started()),
        ConversationEvent(ConversationMessageAdded{6001, {Id{31}, {}}}),
        ConversationEvent(ConversationRead{{Id{31}, Id{481}}}),
        ConversationEvent(ConversationDeleted{}),
        ConversationEvent(ConversationErased{{"asked to be forgotten", "ops.dana"}}),
        MessageEvent(message_sent()),
        MessageEvent(MessageDelivered{{message_delivery(DeliveryStatus::sent, "")}}),
        MessageEvent(MessageDeliveryFailed{{message_delivery(DeliveryStatus::failed, "no_address")}}),
        MessageEvent(MessageRetracted{}),
        MessageEvent(MessageHolderErased{}),
        MessageEvent(MessageDeleted{}),
        TimeOffEvent(time_off_requested()),
        TimeOffEvent(TimeOffApproved{{481}}),
        TimeOffEvent(TimeOffDeclined{{481}, core::LongText("The ward has nobody else that week."), "staff/481"}),
        TimeOffEvent(TimeOffCancelled{{481}, TimeOffStatus::approved}),
        TimeOffEvent(TimeOffHolderErased{}),
        TimeOffEvent(TimeOffDeleted{}),
        StaffEvent(StaffAvailabilitySet{std::vector<events::AvailabilityBlock>{{1, clock("08:00"), clock("16:00")},
                                                                               {5, clock("22:00"), clock("06:00")}}}),
        ShiftClaimEvent(ShiftClaimRequested{{12, 90210, 481}}),
        ShiftClaimEvent(ShiftClaimApproved{{12, 90210, 481}, true}),
        ShiftClaimEvent(ShiftClaimDeclined{{12, 90210, 481}, core::LongText("Somebody else comes."), "staff/481"}),
        ShiftClaimEvent(ShiftClaimWithdrawn{{12, 90210, 481}}),
        ShiftClaimEvent(ShiftClaimExpired{{12, 90210, 481}}),
        ShiftClaimEvent(ShiftClaimHolderErased{}),
        ShiftClaimEvent(ShiftClaimDeleted{}),
        shift_swap_requested(),
        of_shift_swap<ShiftSwapAccepted>(),
        of_shift_swap<ShiftSwapDeclined>(),
        of_shift_swap<ShiftSwapApproved>(),
        shift_swap_rejected(),
        of_shift_swap<ShiftSwapCancelled>(),
        of_shift_swap<ShiftSwapExpired>(),
        ShiftSwapEvent(ShiftSwapHolderErased{}),
        ShiftSwapEvent(ShiftSwapDeleted{}),
        ShiftTemplateEvent(shift_template_created()),
        ShiftTemplateEvent(shift_template_updated()),
        ShiftTemplateEvent(ShiftTemplateDeleted{}),
        ShiftOfferEvent(ShiftOfferMade{{12, 90210, 481}, {at("2026-08-01T12:00:00Z")}}),
        ShiftOfferEvent(ShiftOfferAccepted{{12, 90210, 481}}),
        ShiftOfferEvent(ShiftOfferDeclined{{12, 90210, 481}}),
        ShiftOfferEvent(ShiftOfferWithdrawn{{12, 90210, 481}}),
        ShiftOfferEvent(ShiftOfferExpired{{12, 90210, 481}}),
        ShiftOfferEvent(ShiftOfferDeleted{}),
        OrganizationEvent(OrganizationUsageExported{at("2026-06-25T10:00:00Z"), at("2026-07-25T10:00:00Z"),
                                                    core::Nullable<Id>(12), false, 4711}),
    };
}

Id subject_id(Kind kind) {
    switch (kind) {
        case Kind::organization:
            return 7;
        case Kind::facility:
            return 12;
        case Kind::user:
            return 31;
        case Kind::api_key:
            return 55;
        case Kind::staff:
            return 481;
        case Kind::shift:
            return 90210;
        case Kind::lead:
            return 7003;
        case Kind::command:
            return 0;
        case Kind::sandbox:
            return 12;
        case Kind::webhook:
            return 88;
        case Kind::notification:
            return 8104;
        case Kind::credential:
            return 6006;
        case Kind::timesheet:
            return 5150;
        case Kind::payroll_run:
            return 640;
        case Kind::oauth_client:
            return 61;
        case Kind::oauth_grant:
            return 62;
        case Kind::guardrail:
            return 9;
        case Kind::approval:
            return 3100;
        case Kind::agent:
            return 501;
        case Kind::agent_run:
            return 5501;
        case Kind::trigger:
            return 73;
        case Kind::app:
            return 71;
        case Kind::conversation:
            return 601;
        case Kind::message:
            return 6001;
        case Kind::time_off:
            return 6301;
        case Kind::shift_claim:
        case Kind::shift_swap:
            return 6401;
        case Kind::shift_template:
            return 21;
        case Kind::shift_offer:
            return 6501;
    }
    return 0;
}

Envelope envelope_of(AnyEvent const& data, std::int64_t position) {
    auto const kind = data.kind();
    auto const digest = core::sha256("the record before " + std::to_string(position));
    Envelope meta;
    meta.id = fmt::format("019f9391-4900-7a00-8000-{:012x}", position);
    meta.type = type_of(data);
    meta.version = version_of(data);
    meta.time = Timestamp{at("2026-07-24T10:00:00Z").ms + position * 1001};
    meta.subject = {kind, subject_id(kind)};
    meta.organization = 7;
    meta.facility =
        kind == Kind::facility || kind == Kind::shift || kind == Kind::sandbox || kind == Kind::app ? 12 : 0;
    meta.seq = kind == Kind::command ? 0 : position + 1;
    meta.actor = {ActorType::api_key, 55, 31};
    meta.credential = 55;
    meta.request_id = fmt::format("req_019f9391-4900-7b00-9000-{:012x}", position);
    if (kind == Kind::command) {
        meta.idempotency_key = core::hex_encode(core::bytes(core::sha256("key")));
        meta.idempotency_hash = core::hex_encode(core::bytes(core::sha256("request")));
    }
    meta.epoch = 3;
    meta.position = 9'007'199'254'740'993 + position;  // past what a double holds
    meta.previous_hash = core::hex_encode(core::bytes(digest));
    return meta;
}

}  // namespace

std::vector<Event> sample_events() {
    std::vector<Event> all;
    for (auto& data : sample_data()) {
        auto meta = envelope_of(data, static_cast<std::int64_t>(all.size()));
        all.push_back({std::move(meta), std::move(data)});
    }
    return all;
}

Event sample_of(std::string_view type) {
    for (auto& event : sample_events()) {
        if (event.meta.type == type) return event;
    }
    throw std::logic_error("no sample of " + std::string(type));
}

std::string clear_data(AnyEvent const& event) {
    return visit_data(event, [](auto const& data) { return core::to_json(data); });
}

}  // namespace workforce::tests
