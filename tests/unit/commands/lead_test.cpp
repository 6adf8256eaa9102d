// Leads: what makes one, where it may stand, and who sees it.
#include "commands/lead.hpp"

#include <gtest/gtest.h>

#include "commands/erasure.hpp"
#include "tests/support/given.hpp"

namespace workforce::commands {
namespace {

using events::LeadStatus;
using tests::Given;

constexpr Id kUser = 3;  // who Given's caller is

/// An organization with two facilities and the caller's user.
Given given_crm() {
    Given given;
    given.organization().facility(1).facility(2);
    events::UserCreated user;
    user.email = core::Email("user3@example.test");
    given.event({events::Kind::user, kUser}, events::UserEvent(user));
    return given;
}

CreateLead named(std::string const& name) {
    CreateLead command;
    command.name = core::ShortText(name);
    return command;
}

UpdateLead move_to(Id id, LeadStatus status, std::string const& reason = {}) {
    UpdateLead command;
    command.id = id;
    command.status = status;
    if (!reason.empty()) command.lostReason = core::ShortText(reason);
    return command;
}

/// The field that the refusal names.
std::string refused_field(tests::Outcome const& outcome) {
    return outcome.summary() == "VALIDATION_ERROR" ? outcome.details() : outcome.summary();
}

TEST(CreateLead, HasNameOrCompany) {
    EXPECT_EQ(tests::faults_in<CreateLead>("{}"), "name required");
    EXPECT_EQ(tests::faults_in<CreateLead>(R"({"name":"  "})"), "name required");
    EXPECT_EQ(tests::faults_in<CreateLead>(R"({"company":"Harbour Ltd"})"), "");
    EXPECT_EQ(tests::faults_in<CreateLead>(R"({"name":"Ada","email":""})"), "");
    EXPECT_EQ(tests::faults_in<CreateLead>(R"({"name":"Ada","email":"ada","score":101})"), "email email, score range");
}

TEST(CreateLead, IsNewAndTheCallersUnlessSaidOtherwise) {
    auto given = given_crm();
    auto const lead = given.after(named("Ada"));
    EXPECT_EQ(lead.status, LeadStatus::new_);
    EXPECT_EQ(lead.ownerUserId.value, kUser);
    EXPECT_FALSE(lead.facilityId.value);
    EXPECT_FALSE(lead.qualifiedAt.value);
    given.context.actor.user = 99;  // of another organization
    EXPECT_FALSE(given.when(named("Bob")).event<events::LeadCreated>().ownerUserId.value);
    auto stranger = named("Bob");
    stranger.ownerUserId = 99;
    EXPECT_NE(refused_field(given.when(stranger)).find("ownerUserId"), std::string::npos);
}

TEST(CreateLead, QualifiedAtOnceIsQualified) {
    auto given = given_crm();
    auto command = named("Ada");
    command.status = LeadStatus::qualified;
    EXPECT_EQ(given.when(command).summary(), "lead.created lead.qualified");
    EXPECT_EQ(given.after(command).qualifiedAt.value, given.context.now);
}

TEST(CreateLead, LostTakesAReason) {
    auto given = given_crm();
    auto command = named("Ada");
    command.lostReason = core::ShortText("budget");
    EXPECT_EQ(given.when(command).event<events::LeadCreated>().lostReason.value, "") << "it is not lost";
    command.status = LeadStatus::lost;
    EXPECT_EQ(given.when(command).event<events::LeadCreated>().lostReason.value, "budget");
    command.lostReason = {};
    EXPECT_NE(refused_field(given.when(command)).find("lostReason"), std::string::npos);
}

TEST(CreateLead, OfBoundCallersIsOfTheirFacilities) {
    auto given = given_crm();
    given.context.facilities = {2};
    EXPECT_EQ(given.when(named("Ada")).event<events::LeadCreated>().facilityId.value, 2);
    auto elsewhere = named("Ada");
    elsewhere.facilityId = 1;
    EXPECT_EQ(given.when(elsewhere).summary(), "FACILITY_SCOPE_VIOLATION");
    given.context.facilities = {1, 2};
    EXPECT_NE(refused_field(given.when(named("Ada"))).find("facilityId"), std::string::npos);
    given.context.facilities = {};
    elsewhere.facilityId = 77;
    EXPECT_EQ(given.when(elsewhere).summary(), "FACILITY_SCOPE_VIOLATION");
}

TEST(UpdateLead, IsQualifiedOnceAndOnTheMoveAlone) {
    auto given = given_crm();
    Id const id = given.after(named("Ada")).id;
    EXPECT_EQ(given.when(move_to(id, LeadStatus::new_)).summary(), "nothing");
    EXPECT_EQ(given.when(move_to(id, LeadStatus::qualified)).summary(), "lead.status_changed lead.qualified");
    auto const lead = given.after(move_to(id, LeadStatus::qualified));
    EXPECT_EQ(lead.qualifiedAt.value, given.context.now);
    EXPECT_EQ(given.when(move_to(id, LeadStatus::qualified)).summary(), "nothing");
    EXPECT_EQ(given.after(move_to(id, LeadStatus::won)).qualifiedAt.value, given.context.now) << "it was, once";
    EXPECT_EQ(given.when(move_to(id, LeadStatus::qualified)).summary(), "lead.status_changed lead.qualified");
}

TEST(UpdateLead, ReasonComesAndGoesWithTheLoss) {
    auto given = given_crm();
    Id const id = given.after(named("Ada")).id;
    EXPECT_NE(refused_field(given.when(move_to(id, LeadStatus::lost))).find("lostReason"), std::string::npos);
    EXPECT_EQ(given.after(move_to(id, LeadStatus::lost, "budget")).lostReason.value, "budget");
    EXPECT_NE(refused_field(given.when(move_to(id, LeadStatus::disqualified))).find("lostReason"), std::string::npos);
    EXPECT_EQ(given.when(move_to(id, LeadStatus::disqualified, "spam")).summary(), "lead.status_changed");
    UpdateLead scored;
    scored.id = id;
    scored.score = 3;
    EXPECT_EQ(given.when(scored).summary(), "lead.updated") << "its reason stays";
    EXPECT_EQ(given.when(move_to(id, LeadStatus::lost, "timing")).summary(), "lead.status_changed");
    auto emptied = move_to(id, LeadStatus::lost);
    emptied.lostReason = core::ShortText();
    EXPECT_NE(refused_field(given.when(emptied)).find("lostReason"), std::string::npos);
    auto const back = given.after(move_to(id, LeadStatus::contacted, "budget"));  // as a client that sends it all again
    EXPECT_EQ(back.lostReason.value, "");
    EXPECT_EQ(back.status, LeadStatus::contacted);
}

TEST(UpdateLead, FieldsAndStatusMoveTogether) {
    auto given = given_crm();
    Id const id = given.after(named("Ada")).id;
    auto command = move_to(id, LeadStatus::qualified);
    command.score = 80;
    command.facilityId = core::Nullable<Id>(2);
    auto const outcome = given.when(command);
    EXPECT_EQ(outcome.summary(), "lead.updated lead.status_changed lead.qualified");
    for (auto const& event : outcome.result->events) EXPECT_EQ(event.facility, 2);
    UpdateLead unnamed;
    unnamed.id = id;
    unnamed.name = core::Personal<core::ShortText>(core::ShortText());
    EXPECT_NE(refused_field(given.when(unnamed)).find("name"), std::string::npos);
    unnamed.company = core::ShortText("Harbour Ltd");
    EXPECT_EQ(given.when(unnamed).summary(), "lead.updated");
}

TEST(UpdateLead, OfTheOrganizationIsOutsideFacilities) {
    auto given = given_crm();
    Id const id = given.after(named("Ada")).id;
    given.context.facilities = {2};
    EXPECT_EQ(given.when(move_to(id, LeadStatus::won)).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(DeleteLead{id}).summary(), "NOT_FOUND");
    given.context.new_ids = {201};
    Id const own = given.after(named("Bob")).id;
    EXPECT_EQ(given.when(move_to(own, LeadStatus::won)).summary(), "lead.status_changed");
    UpdateLead away;
    away.id = own;
    away.facilityId = core::Nullable<Id>(1);
    EXPECT_EQ(given.when(away).summary(), "FACILITY_SCOPE_VIOLATION");
    away.facilityId = core::Nullable<Id>();
    EXPECT_EQ(given.when(away).summary(), "FACILITY_SCOPE_VIOLATION") << "nor to the organization as a whole";
}

TEST(DeleteLead, IsForGood) {
    auto given = given_crm();
    Id const id = given.after(named("Ada")).id;
    given.context.sandbox = true;
    EXPECT_EQ(given.when(DeleteLead{id}).summary(), "NOT_FOUND") << "the sandbox has its own";
    given.context.sandbox = false;
    EXPECT_EQ(given.when(DeleteLead{id}).summary(), "lead.deleted");
    given.after(DeleteLead{id});
    EXPECT_EQ(given.when(DeleteLead{id}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(move_to(id, LeadStatus::won)).summary(), "NOT_FOUND");
}

TEST(ErasePerson, LeadLosesWhatIsPersonal) {
    auto given = given_crm();
    auto command = named("Ada");
    command.company = core::ShortText("Harbour Ltd");
    command.notes = core::LongText("met at the fair");
    Id const id = given.after(command).id;
    given.after(DeleteLead{id});
    ErasePerson const erasure{{"asked for", "ops"}, {events::Kind::lead, id}};
    EXPECT_EQ(given.when(erasure).summary(), "lead.erased") << "one that was deleted, too";
    given.after(erasure);
    auto const& lead = *given.view().get<events::LeadRecord>(id);
    EXPECT_EQ(lead.name.value.value + lead.notes.value.value, "");
    EXPECT_EQ(lead.company.value, "Harbour Ltd");
    EXPECT_EQ(given.when(erasure).summary(), "nothing");
    given.context.new_ids = {202};
    Id const unnamed = given.after(named("Bob")).id;
    given.after(ErasePerson{{"asked for", "ops"}, {events::Kind::lead, unnamed}});
    UpdateLead scored;
    scored.id = unnamed;
    scored.score = 3;
    EXPECT_EQ(given.when(scored).summary(), "lead.updated") << "though it has neither name nor company";
}

}  // namespace
}  // namespace workforce::commands
