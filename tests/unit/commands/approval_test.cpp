// Approvals: who sees and who decides them, in every way in which somebody can ask (domain 4.5); their states; and what
// ends with a person whom they name.
#include "commands/approval.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/erasure.hpp"
#include "events/roles.hpp"
#include "tests/support/given.hpp"

namespace workforce::commands {
namespace {

using events::ActorType;
using events::Kind;
using events::Role;
using tests::Given;

constexpr Id kWaiting = 31;
constexpr Id kInternalOrganization = 1;
constexpr Id kNear = 12;
constexpr Id kFar = 13;

enum class Of : std::uint8_t { customer, internal, other_customer };

/// Somebody with a credential, and what the rules give them.
struct Asker {
    char const* name;
    Of of = Of::customer;
    Role role = Role::viewer;
    std::vector<Id> facilities{};  ///< of the user
    ActorType credential = ActorType::user;
    std::vector<Id> bound{};    ///< of a key
    bool approves_own = false;  ///< ai.approve_actions by scope
    bool has_user = true;
    bool asked = false;            ///< the user is who asked
    bool same_credential = false;  ///< and by this very credential
    // What is to come of it.
    bool sees = false;
    bool approves = false;
    bool rejects = false;
    bool approves_barred = false;  ///< where the asking credential may not
};

std::vector<Asker> const& askers() {
    using enum ActorType;
    using enum Of;
    using enum Role;
    static std::vector<Asker> const all{
        // Sessions: by who they are.
        {.name = "admin", .role = admin, .sees = true, .approves = true, .rejects = true, .approves_barred = true},
        {.name = "admin of here",
         .role = admin,
         .facilities = {kNear},
         .sees = true,
         .approves = true,
         .rejects = true,
         .approves_barred = true},
        {.name = "admin of there", .role = admin, .facilities = {kFar}},
        {.name = "facility admin of here",
         .role = facility_admin,
         .facilities = {kNear, kFar},
         .sees = true,
         .approves = true,
         .rejects = true,
         .approves_barred = true},
        {.name = "facility admin of there", .role = facility_admin, .facilities = {kFar}},
        {.name = "facility admin of all",
         .role = facility_admin,
         .sees = true,
         .approves = true,
         .rejects = true,
         .approves_barred = true},
        {.name = "manager", .role = manager, .sees = true},
        {.name = "scheduler", .role = scheduler, .sees = true},
        {.name = "viewer there", .role = viewer, .facilities = {kFar}},
        {.name = "operator",
         .of = internal,
         .role = super_admin,
         .sees = true,
         .approves = true,
         .rejects = true,
         .approves_barred = true},
        {.name = "internal manager",
         .of = internal,
         .role = manager,
         .sees = true,
         .approves = true,
         .rejects = true,
         .approves_barred = true},
        {.name = "internal viewer", .of = internal, .role = viewer},
        {.name = "internal manager of a facility", .of = internal, .role = manager, .facilities = {99}},
        {.name = "another customer's admin", .of = other_customer, .role = admin},
        // Who asked.
        {.name = "manager who asked",
         .role = manager,
         .asked = true,
         .sees = true,
         .approves = true,
         .rejects = true,
         .approves_barred = true},
        {.name = "scheduler who asked", .role = scheduler, .asked = true, .sees = true, .rejects = true},
        {.name = "manager who asked, there",
         .role = manager,
         .facilities = {kFar},
         .asked = true,
         .sees = true,
         .approves = true,
         .rejects = true,
         .approves_barred = true},
        {.name = "viewer who asked by this session",
         .role = viewer,
         .asked = true,
         .same_credential = true,
         .sees = true,
         .rejects = true},
        // Keys: the data scope first, then the bound user, and scopes for one's own.
        {.name = "key of an admin",
         .role = admin,
         .credential = api_key,
         .sees = true,
         .approves = true,
         .rejects = true,
         .approves_barred = true},
        {.name = "key of an admin, there", .role = admin, .credential = api_key, .bound = {kFar}},
        {.name = "key of an admin who asked, there",
         .role = admin,
         .credential = api_key,
         .bound = {kFar},
         .approves_own = true,
         .asked = true},
        {.name = "key of a viewer", .role = viewer, .credential = api_key, .approves_own = true, .sees = true},
        {.name = "key of a viewer who asked",
         .role = viewer,
         .credential = api_key,
         .asked = true,
         .sees = true,
         .rejects = true},
        {.name = "key of a viewer who asked, with the scope",
         .role = viewer,
         .credential = api_key,
         .approves_own = true,
         .asked = true,
         .sees = true,
         .approves = true,
         .rejects = true,
         .approves_barred = true},
        {.name = "key without a user", .credential = api_key, .approves_own = true, .has_user = false, .sees = true},
        {.name = "key without a user that asked",
         .credential = api_key,
         .has_user = false,
         .same_credential = true,
         .sees = true,
         .rejects = true},
        {.name = "key without a user that asked, with the scope",
         .credential = api_key,
         .approves_own = true,
         .has_user = false,
         .same_credential = true,
         .sees = true,
         .approves = true,
         .rejects = true,
         .approves_barred = true},
        {.name = "key that asked, there",
         .credential = api_key,
         .bound = {kFar},
         .has_user = false,
         .same_credential = true,
         .sees = true,
         .rejects = true},
        {.name = "the asking key of an admin",
         .role = admin,
         .credential = api_key,
         .asked = true,
         .same_credential = true,
         .sees = true,
         .approves = true,
         .rejects = true,
         .approves_barred = false},
        {.name = "another customer's key",
         .of = other_customer,
         .credential = api_key,
         .approves_own = true,
         .has_user = false},
        {.name = "another customer's key of an admin", .of = other_customer, .role = admin, .credential = api_key},
        // OAuth: scopes and role.
        {.name = "client of an operator",
         .of = internal,
         .role = super_admin,
         .credential = oauth,
         .sees = true,
         .approves = true,
         .rejects = true,
         .approves_barred = true},
        {.name = "client of an admin",
         .role = admin,
         .credential = oauth,
         .sees = true,
         .approves = true,
         .rejects = true,
         .approves_barred = true},
        {.name = "client of a manager who asked",
         .role = manager,
         .credential = oauth,
         .asked = true,
         .sees = true,
         .rejects = true},
        {.name = "client of a manager who asked, with the scope",
         .role = manager,
         .credential = oauth,
         .approves_own = true,
         .asked = true,
         .sees = true,
         .approves = true,
         .rejects = true,
         .approves_barred = true},
        {.name = "the asking client of a scheduler, with the scope",
         .role = scheduler,
         .credential = oauth,
         .approves_own = true,
         .asked = true,
         .same_credential = true,
         .sees = true,
         .rejects = true},
        {.name = "client of a viewer, there", .role = viewer, .facilities = {kFar}, .credential = oauth},
    };
    return all;
}

constexpr Id kAsked = 40;
constexpr Id kAnother = 41;

Id organization_of(Of of) {
    return of == Of::customer ? Given::kOrganization : of == Of::internal ? kInternalOrganization : 8;
}

ApprovalParticipant participant(Asker const& asker) {
    ApprovalParticipant who;
    bool const is_key = asker.credential == ActorType::api_key;
    bool const internal = asker.of == Of::internal;
    who.credential_type = asker.credential;
    who.credential = 5;
    who.organization = organization_of(asker.of);
    who.user_internal = internal;
    if (asker.has_user) {
        who.user.id = asker.asked ? kAsked : kAnother;
        who.user.organizationId = who.organization;
        who.user.role = asker.role;
        who.user.facilityIds = asker.facilities;
        who.user.status = events::UserStatus::active;
    }
    who.facilities = is_key ? asker.bound : asker.facilities;
    who.across = internal && asker.facilities.empty() && events::is_operator_role(asker.role);
    who.lineage = asker.same_credential ? "the asking credential" : "another credential";
    auto const role = events::permissions_of_role(asker.role, internal);
    bool const by_role = role[core::Permission("ai.approve_actions").index()];
    who.approves_own = asker.credential == ActorType::user ? by_role
                       : is_key                            ? asker.approves_own
                                                           : asker.approves_own && by_role;
    return who;
}

/// A call that waits, of the user kAsked or of a key that no user stands behind.
Given& request(Given& given, bool has_user = true, std::optional<Id> facility = kNear) {
    events::ApprovalRequested requested;
    requested.tool = "staff_deactivate";
    requested.arguments.value.text = R"({"staffId":9})";
    requested.facilityId.value = facility;
    requested.requestedBy = {has_user ? kAsked : 0, has_user ? "" : "Planner"};
    requested.requester.lineage = "the asking credential";
    requested.expiresAt = tests::at("2026-07-27T10:00:00Z");
    requested.namedStaffIds = {9};
    return given.event({Kind::approval, kWaiting}, requested, facility.value_or(0));
}

Given given_waiting(bool has_user = true) {
    Given given;
    given.organization().facility(kNear).facility(kFar).staff(9, {kNear});
    request(given, has_user);
    return given;
}

Given& bar_same_credential(Given& given) {
    events::OrganizationUpdated updated;
    updated.settings.emplace().forbidSameCredentialApproval = true;
    return given.event({Kind::organization, Given::kOrganization}, events::OrganizationEvent(updated));
}

std::string approve_as(Given& given, Asker const& asker) {
    View const view(Given::kOrganization, given.state, given.context.sandbox);
    auto const approved = approve(view, given.context, {kWaiting, false, participant(asker)});
    return approved ? std::string(type_of(approved->data)) : std::string(core::info(approved.error().code).name);
}

std::string reject_as(Given& given, Asker const& asker) {
    RejectApproval reject;
    reject.resolve = {kWaiting, false, participant(asker)};
    return given.when(reject).summary();
}

std::string_view refusal_of(Asker const& asker) { return asker.sees ? "SELF_APPROVAL_FORBIDDEN" : "NOT_FOUND"; }

TEST(ApprovalRights, AreThoseOfTheTable) {
    for (auto const& asker : askers()) {
        auto given = given_waiting(asker.has_user);
        EXPECT_EQ(approve_as(given, asker), asker.approves ? "approval.approved" : refusal_of(asker)) << asker.name;
        EXPECT_EQ(reject_as(given, asker), asker.rejects ? "approval.rejected" : refusal_of(asker)) << asker.name;
        bar_same_credential(given);
        EXPECT_EQ(approve_as(given, asker), asker.approves_barred ? "approval.approved" : refusal_of(asker))
            << asker.name << ", barred";
        EXPECT_EQ(reject_as(given, asker), asker.rejects ? "approval.rejected" : refusal_of(asker)) << asker.name;
    }
}

TEST(ApprovalRights, AreLookedAtBeforeTheState) {
    for (auto const& asker : askers()) {
        auto given = given_waiting(asker.has_user);
        given.event({Kind::approval, kWaiting}, events::ApprovalExpired{});
        EXPECT_EQ(approve_as(given, asker), asker.approves ? "ALREADY_RESOLVED" : refusal_of(asker)) << asker.name;
        EXPECT_EQ(reject_as(given, asker), asker.rejects ? "ALREADY_RESOLVED" : refusal_of(asker)) << asker.name;
    }
}

TEST(ApprovalRights, EndAtTheSandbox) {
    auto given = given_waiting();
    Asker const admin{.name = "admin", .role = Role::admin};
    auto who = participant(admin);
    who.sandbox = true;
    RejectApproval reject;
    reject.resolve = {kWaiting, false, who};
    EXPECT_EQ(given.when(reject).summary(), "NOT_FOUND");
}

TEST(ApprovalRights, AreThoseOfTheMomentOfTheAppend) {
    auto given = given_waiting();
    events::UserCreated user;
    user.email = core::Email("ada@example.test");
    user.role = Role::viewer;
    user.status = events::UserStatus::active;
    given.event({Kind::user, kAnother}, events::UserEvent(user));
    Asker const before{.name = "was an admin when the button was pressed", .role = Role::admin};
    EXPECT_EQ(approve_as(given, before), "SELF_APPROVAL_FORBIDDEN");
}

TEST(ApprovalRights, OfWhatIsOfNoFacilityAreTheOrganizations) {
    Given given;
    given.organization().facility(kNear);
    request(given, true, std::nullopt);
    EXPECT_EQ(approve_as(given, {.name = "", .role = Role::admin}), "approval.approved");
    EXPECT_EQ(approve_as(given, {.name = "", .role = Role::facility_admin}), "approval.approved");
    EXPECT_EQ(approve_as(given, {.name = "", .role = Role::facility_admin, .facilities = {kNear}}), "NOT_FOUND");
}

Asker const kAdmin{.name = "admin", .role = Role::admin};

TEST(ResolveApproval, HasTwoCodesOfOneName) {
    auto given = given_waiting();
    given.event({Kind::approval, kWaiting}, events::ApprovalApproved{{kAnother, ""}, false, false});
    View const view(Given::kOrganization, given.state, false);
    auto const refused = [&](bool in_app) {
        return approve(view, given.context, {kWaiting, in_app, participant(kAdmin)}).error();
    };
    EXPECT_EQ(refused(true).code, Code::already_resolved_in_app);
    EXPECT_EQ(refused(false).code, Code::already_resolved);
    EXPECT_EQ(refused(false).details, R"({"status":"approved","resolvedAt":"2026-07-24T10:00:00.000Z"})");
}

TEST(ResolveApproval, TellsWhetherSomebodyApprovedTheirOwn) {
    auto given = given_waiting();
    View const view(Given::kOrganization, given.state, false);
    auto const self_approved = [&](Asker const& asker) {
        auto const event = approve(view, given.context, {kWaiting, false, participant(asker)}).value();
        return events::get<events::ApprovalApproved>(event.data).selfApproved;
    };
    EXPECT_FALSE(self_approved(kAdmin));
    EXPECT_TRUE(self_approved({.name = "", .role = Role::manager, .asked = true}));
    EXPECT_TRUE(
        self_approved({.name = "", .role = Role::admin, .credential = ActorType::api_key, .same_credential = true}));
}

TEST(ResolveApproval, IsOverWhenTimeIs) {
    auto given = given_waiting();
    given.context.now = tests::at("2026-07-27T10:00:00Z");
    View const view(Given::kOrganization, given.state, false);
    auto const late = approve(view, given.context, {kWaiting, false, participant(kAdmin)}).error();
    EXPECT_EQ(late.code, Code::already_resolved);
    EXPECT_THAT(late.details, testing::HasSubstr(R"("status":"expired")"));
}

TEST(RejectApproval, IsAWithdrawalOfWhoAsked) {
    auto given = given_waiting();
    RejectApproval reject{.reason = core::LongText("Not now"), .resolve = {kWaiting, false, participant(kAdmin)}};
    auto const rejected = given.when(reject).event<events::ApprovalRejected>();
    EXPECT_EQ(rejected.cause, events::RejectionCause::rejected);
    EXPECT_EQ(rejected.reason.value.value->value, "Not now");
    reject.resolve.by = participant({.name = "", .role = Role::scheduler, .asked = true});
    EXPECT_EQ(given.when(reject).event<events::ApprovalRejected>().cause, events::RejectionCause::withdrawn);
}

TEST(ExpireApprovals, EndsWhatWaitedTooLong) {
    auto given = given_waiting();
    ExpireApprovals const expire{{kWaiting, 99}};
    EXPECT_EQ(given.when(expire).summary(), "nothing");
    given.context.now = tests::at("2026-07-27T10:00:00Z");
    EXPECT_EQ(given.when(expire).summary(), "approval.expired");
    given.event({Kind::approval, kWaiting}, events::ApprovalExpired{});
    EXPECT_EQ(given.when(expire).summary(), "nothing");
}

TEST(RecordExecution, IsRecordedOnce) {
    auto given = given_waiting();
    RecordExecution record{kWaiting, {.result = R"({"id":9})"}, {}};
    EXPECT_EQ(given.when(record).summary(), "nothing") << "nobody approved it";
    given.event({Kind::approval, kWaiting}, events::ApprovalApproved{{kAnother, ""}, false, true});
    EXPECT_EQ(given.when(record).summary(), "approval.executed");
    record.outcome = {.what = ApprovalOutcome::What::execution_failed, .code = "NOT_FOUND", .error = "NOT_FOUND: gone"};
    EXPECT_EQ(given.when(record).summary(), "approval.execution_failed");
    given.event({Kind::approval, kWaiting}, events::ApprovalExecuted{});
    EXPECT_EQ(given.when(record).summary(), "nothing");
}

RequestApproval requesting(Id staff) {
    RequestApproval command;
    command.request.tool = "staff_deactivate";
    command.request.arguments = R"({"staffId":9})";
    command.request.target = events::AggregateRef{Kind::staff, staff};
    return command;
}

TEST(RequestApproval, IsAtTheFacilityOfItsTarget) {
    Given given;
    given.organization().facility(kNear).facility(kFar).staff(9, {kNear}).staff(10).staff(11, {kNear, kFar});
    auto const facility = [&](Id staff) {
        return given.when(requesting(staff)).event<events::ApprovalRequested>().facilityId.value;
    };
    EXPECT_EQ(facility(9), kNear);
    EXPECT_EQ(facility(10), std::nullopt);
    EXPECT_EQ(facility(11), std::nullopt);
    EXPECT_EQ(given.when(requesting(12)).summary(), "NOT_FOUND");
    given.context.facilities = {kFar};
    EXPECT_EQ(given.when(requesting(9)).summary(), "NOT_FOUND") << "the caller does not reach it";
    EXPECT_EQ(given.when(requesting(10)).summary(), "approval.requested") << "who works everywhere is seen everywhere";
    RequestApproval targetless;
    targetless.request.tool = "leads_create";
    targetless.request.arguments = "{}";
    EXPECT_EQ(given.when(targetless).event<events::ApprovalRequested>().facilityId.value, kFar) << "the caller's own";
}

TEST(RequestApproval, LastsAsLongAsTheOrganizationSays) {
    Given given;
    given.organization().staff(9);
    EXPECT_EQ(given.when(requesting(9)).event<events::ApprovalRequested>().expiresAt,
              tests::at("2026-07-27T10:00:00Z"));
    events::OrganizationUpdated updated;
    updated.settings.emplace().approvalTtlHours = core::Int<1, 720>(1);
    given.event({Kind::organization, Given::kOrganization}, events::OrganizationEvent(updated));
    EXPECT_EQ(given.when(requesting(9)).event<events::ApprovalRequested>().expiresAt,
              tests::at("2026-07-24T11:00:00Z"));
}

TEST(RequestApproval, TakesArgumentsThatARecordHasRoomFor) {
    Given given;
    given.organization().staff(9);
    auto command = requesting(9);
    command.request.arguments = R"({"notes":")" + std::string(1 << 19, 'x') + R"("})";
    EXPECT_EQ(given.when(command).summary(), "PAYLOAD_TOO_LARGE");
}

/// So many calls that wait, or else were rejected: of a credential, and until then.
void add_calls(Given& given, Id first, int count, std::string const& lineage, std::string_view expires,
               bool waits = true) {
    for (Id id = first; id < first + count; ++id) {
        events::ApprovalRequested requested;
        requested.requester.lineage = lineage;
        requested.expiresAt = tests::at(expires);
        requested.namedStaffIds = {9};
        given.event({Kind::approval, id}, requested);
        if (!waits) given.event({Kind::approval, id}, events::ApprovalRejected{});
    }
}

TEST(RequestApproval, HasABoundForEachCredential) {
    Given given;
    given.organization().staff(9);
    auto mine = requesting(9);
    mine.request.requester.lineage = "key/7";
    auto another = mine;
    another.request.requester.lineage = "key/8";
    constexpr std::string_view kLater = "2026-07-25T10:00:00Z";
    add_calls(given, 1000, 199, "key/7", kLater);
    add_calls(given, 2000, 50, "key/7", "2026-07-24T10:00:00Z");  // their time is over
    add_calls(given, 3000, 50, "key/7", kLater, false);
    EXPECT_EQ(given.when(mine).summary(), "approval.requested");
    add_calls(given, 4000, 1, "key/7", kLater);
    EXPECT_EQ(given.when(mine).summary(), "LIMIT_REACHED");
    EXPECT_EQ(given.when(mine).details(), R"({"resource":"approval","limit":200})");
    EXPECT_EQ(given.when(another).summary(), "approval.requested");
    given.event({Kind::approval, 4000}, events::ApprovalApproved{});
    EXPECT_EQ(given.when(mine).summary(), "approval.requested");
    given.context.sandbox = true;
    given.staff(10);
    auto inside = requesting(10);
    inside.request.requester.lineage = "key/7";
    EXPECT_EQ(given.when(inside).summary(), "approval.requested") << "the sandbox has a bound of its own";
    add_calls(given, 5000, 200, "key/7", kLater);
    EXPECT_EQ(given.when(inside).summary(), "LIMIT_REACHED");
    given.context.sandbox = false;
    EXPECT_EQ(given.when(mine).summary(), "approval.requested");
}

TEST(RequestApproval, HasABoundForTheOrganization) {
    Given given;
    given.organization().staff(9);
    constexpr std::string_view kLater = "2026-07-25T10:00:00Z";
    for (int credential = 0; credential < 20; ++credential) {
        auto const first = 1000 + 100 * credential;
        add_calls(given, first, credential < 19 ? 100 : 99, "key/" + std::to_string(credential), kLater);
    }
    auto command = requesting(9);
    command.request.requester.lineage = "key/100";
    EXPECT_EQ(given.when(command).summary(), "approval.requested");
    add_calls(given, 9000, 1, "key/99", kLater);
    EXPECT_EQ(given.when(command).summary(), "LIMIT_REACHED");
    EXPECT_EQ(given.when(command).details(), R"({"resource":"approval","limit":2000})");
}

TEST(ErasePerson, EmptiesSomeHundredApprovalsAtATime) {
    Given given;
    given.organization().staff(9);
    add_calls(given, 1000, 250, "key/7", "2026-07-25T10:00:00Z");
    ErasePerson const erase{{core::Text<1, 500>("Asked for"), "ops"}, {Kind::staff, 9}};
    auto const first = given.when(erase);
    EXPECT_EQ(first.result->events.size(), 2 * events::kErasedApprovalsAtOnce);
    EXPECT_TRUE(given.after(erase).more);
    EXPECT_FALSE(given.view().erased({Kind::staff, 9})) << "not before all that names them is empty";
    EXPECT_EQ(given.when(erase).result->events.size(), 2 * 50 + 1);
    EXPECT_FALSE(given.after(erase).more);
    EXPECT_TRUE(given.view().erased({Kind::staff, 9}));
    EXPECT_EQ(given.when(erase).summary(), "nothing");
}

TEST(ErasePerson, EndsApprovalsThatNameThem) {
    auto given = given_waiting();
    ErasePerson const erase{{core::Text<1, 500>("Asked for"), "ops"}, {Kind::staff, 9}};
    EXPECT_EQ(given.when(erase).summary(), "approval.rejected approval.erased staff.erased");
    given.event({Kind::approval, kWaiting}, events::ApprovalApproved{{kAnother, ""}, false, true});
    EXPECT_EQ(given.when(erase).summary(), "approval.execution_failed approval.erased staff.erased")
        << "nobody waits for what is asked outside";
    given.event({Kind::approval, kWaiting}, events::ApprovalErased{});
    EXPECT_EQ(given.when(erase).summary(), "staff.erased");
    auto done = given_waiting();
    done.event({Kind::approval, kWaiting}, events::ApprovalApproved{{kAnother, ""}, false, false});
    done.event({Kind::approval, kWaiting}, events::ApprovalExecuted{});
    EXPECT_EQ(done.when(erase).summary(), "approval.erased staff.erased");
    auto other = given_waiting();
    other.staff(10);
    EXPECT_EQ(other.when(ErasePerson{{core::Text<1, 500>("Asked for"), "ops"}, {Kind::staff, 10}}).summary(),
              "staff.erased");
    EXPECT_EQ(other.when(ErasePerson{{core::Text<1, 500>("Asked for"), "ops"}, {Kind::approval, kWaiting}}).summary(),
              "approval.rejected approval.erased");
}

}  // namespace
}  // namespace workforce::commands
