// Credentials: where they stand, what moves them, what registries and time do to them, and who sees them.
#include "commands/credential.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "commands/erasure.hpp"
#include "commands/shift.hpp"
#include "tests/support/given_shift.hpp"

namespace workforce::commands {
namespace {

using events::CredentialRecord;
using events::CredentialStatus;
using events::ExpiredReason;
using events::StaffCredentialType;
using events::VerificationMethod;
using events::VerificationResult;
using tests::Given;

constexpr Id kHolder = 11;       // of facility 1
constexpr Id kOtherHolder = 12;  // of no facility, and so of all
constexpr Id kCaller = 3;        // who Given's caller is
constexpr char const* kNumber = "RN-4711";

/// An organization in Berlin with two facilities and two people, on 2026-07-24.
Given given_holders() {
    Given given;
    given.organization().facility(1).facility(2).staff(kHolder, {1}).staff(kOtherHolder);
    return given;
}

/// The same in another zone, with Ada alone.
Given given_in(std::string const& zone, std::string_view now) {
    Given given;
    given.context.now = tests::at(now);
    events::OrganizationCreated created;
    created.name = "Harbour Care";
    created.timezone = zone;
    given.event({events::Kind::organization, Given::kOrganization}, events::OrganizationEvent(std::move(created)));
    given.staff(kHolder);
    return given;
}

AddCredential license(Id staff = kHolder) {
    AddCredential command;
    command.staffId = staff;
    command.type = StaffCredentialType::license;
    command.name = core::Name("Registered Nurse");
    command.number = core::Text<0, 64>(kNumber);
    return command;
}
AddCredential good_until(std::string_view day) {
    auto command = license();
    command.expiresOn = core::Nullable<core::Date>(tests::day(day));
    return command;
}

UpdateCredential update(Id id) {
    UpdateCredential command;
    command.id = id;
    return command;
}
UpdateCredential move_end(Id id, std::string_view day) {
    auto command = update(id);
    command.expiresOn = core::Nullable<core::Date>(tests::day(day));
    return command;
}
UpdateCredential rename(Id id, std::string const& name) {
    auto command = update(id);
    command.name = core::Name(name);
    return command;
}
UpdateCredential renumber(Id id, std::string const& number) {
    auto command = update(id);
    command.number = core::Personal<core::Text<0, 64>>(core::Text<0, 64>(number));
    return command;
}

RejectCredential reject(Id id) { return {id, core::Name("Unreadable")}; }
ExpireCredential expire(Id id) { return {id, core::ShortText("Left the register")}; }
RevokeCredential revoke(Id id) { return {id, core::ShortText("Forged")}; }

RecordVerification told(Id id, RegistryOutcome outcome) {
    RecordVerification command;
    command.id = id;
    command.asked.name = "Registered Nurse";
    command.asked.number = kNumber;
    auto& finding = command.finding.emplace();
    finding.provider = "registry_sim";
    finding.outcome = outcome;
    finding.details = "As the registry has it.";
    if (outcome != RegistryOutcome::no_match) finding.reference = std::string("sim_cr_101");
    return command;
}

CredentialRecord const& record_of(Given const& given, Id id) { return *given.view().get<CredentialRecord>(id); }

TEST(AddCredential, SaysWhatItIs) {
    EXPECT_EQ(tests::faults_in<AddCredential>("{}"), "staffId required, type required, name required");
    std::string const whole = R"("staffId":11,"type":"license","name":"Registered Nurse")";
    EXPECT_EQ(tests::faults_in<AddCredential>("{" + whole + "}"), "");
    EXPECT_EQ(tests::faults_in<AddCredential>("{" + whole + R"(,"number":")" + std::string(65, '1') + R"("})"),
              "number max_length");
    EXPECT_EQ(tests::faults_in<AddCredential>("{" + whole + R"(,"documentUrl":"http://documents.example/"})"),
              "documentUrl https_url");
    EXPECT_EQ(tests::faults_in<AddCredential>("{" + whole + R"(,"issuedOn":"2026-01-02","expiresOn":"2026-01-01"})"),
              "expiresOn order");
    EXPECT_EQ(tests::faults_in<AddCredential>("{" + whole + R"(,"issuedOn":"2026-01-02","expiresOn":"2026-01-02"})"),
              "");
    EXPECT_EQ(tests::faults_in<AddCredential>("{" + whole + R"(,"issuedOn":"2026-01-02","expiresOn":"soon"})"),
              "expiresOn date")
        << "what can't be read is in no order";
}

TEST(AddCredential, IsPendingUntilItsLastDayIsOver) {
    auto given = given_holders();
    auto const outcome = given.when(license());
    EXPECT_EQ(outcome.summary(), "credential.added");
    EXPECT_EQ(outcome.event<events::CredentialAdded>().sealedFor.value, "staff/11");
    auto const endless = given.after(license());
    EXPECT_EQ(endless.status, CredentialStatus::pending);
    EXPECT_FALSE(endless.daysUntilExpiry.value);
    EXPECT_FALSE(endless.verification.method.value);
    given.context.new_ids = {102};
    auto const last_day = given.after(good_until("2026-07-24"));
    EXPECT_EQ(last_day.status, CredentialStatus::pending);
    EXPECT_EQ(last_day.daysUntilExpiry.value, 0);
    given.context.new_ids = {103};
    EXPECT_EQ(given.when(good_until("2026-07-23")).summary(), "credential.added") << "it begins as expired";
    auto const past = given.after(good_until("2026-07-23"));
    EXPECT_EQ(past.status, CredentialStatus::expired);
    EXPECT_EQ(past.expiredReason.value, ExpiredReason::date_passed);
    EXPECT_EQ(past.daysUntilExpiry.value, -1);
}

TEST(AddCredential, IsOfWhomTheCallerSees) {
    auto given = given_holders();
    EXPECT_EQ(given.when(license(99)).summary(), "NOT_FOUND");
    given.context.facilities = {2};
    EXPECT_EQ(given.when(license(kHolder)).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(license(kOtherHolder)).summary(), "credential.added");
    given.context.facilities = {1};
    EXPECT_EQ(given.when(license(kHolder)).summary(), "credential.added");
    given.context.sandbox = true;
    EXPECT_EQ(given.when(license(kHolder)).summary(), "NOT_FOUND") << "the sandbox has its own";
    given.context.sandbox = false;
    given.event({events::Kind::staff, kHolder}, events::StaffEvent(events::StaffDeleted{}));
    EXPECT_EQ(given.when(license(kHolder)).summary(), "NOT_FOUND");
}

TEST(AddCredential, DaysAreThoseOfTheOrganizationsCalendar) {
    // It is the 25th in Auckland, and the 24th in UTC.
    auto ahead = given_in("Pacific/Auckland", "2026-07-24T13:00:00Z");
    auto const past = ahead.after(good_until("2026-07-24"));
    EXPECT_EQ(past.status, CredentialStatus::expired);
    EXPECT_EQ(past.daysUntilExpiry.value, -1);
    // It is the 23rd in Honolulu, and the 24th in UTC.
    auto behind = given_in("Pacific/Honolulu", "2026-07-24T05:00:00Z");
    auto const good = behind.after(good_until("2026-07-23"));
    EXPECT_EQ(good.status, CredentialStatus::pending);
    EXPECT_EQ(good.daysUntilExpiry.value, 0);
    EXPECT_EQ(behind.when(VerifyCredential{good.id}).summary(), "credential.verified");
}

TEST(UpdateCredential, HolderAndTypeStay) {
    auto given = given_holders();
    Id const id = given.after(license()).id;
    auto command = update(id);
    command.staffId = kHolder;
    command.type = StaffCredentialType::license;
    EXPECT_EQ(given.when(command).summary(), "nothing") << "as a client that sends it all again";
    command.staffId = kOtherHolder;
    command.type = StaffCredentialType::training;
    auto const outcome = given.when(command);
    EXPECT_EQ(outcome.summary(), "VALIDATION_ERROR");
    EXPECT_NE(outcome.details().find("staffId"), std::string::npos);
    EXPECT_NE(outcome.details().find("type"), std::string::npos);
}

TEST(UpdateCredential, DatesStayInOrder) {
    auto given = given_holders();
    auto command = license();
    command.issuedOn = core::Nullable<core::Date>(tests::day("2026-01-02"));
    Id const id = given.after(command).id;
    EXPECT_EQ(given.when(move_end(id, "2026-01-01")).summary(), "VALIDATION_ERROR") << "before what is known";
    auto both = move_end(id, "2027-01-01");
    both.issuedOn = core::Nullable<core::Date>(tests::day("2027-01-02"));
    EXPECT_EQ(given.when(both).summary(), "VALIDATION_ERROR");
    EXPECT_EQ(tests::faults_in<UpdateCredential>(R"({"issuedOn":"2026-01-02","expiresOn":"2026-01-01"})"),
              "expiresOn order");
    both.issuedOn = core::Nullable<core::Date>();
    EXPECT_EQ(given.when(both).summary(), "credential.updated");
}

TEST(UpdateCredential, WhatWasCheckedIsCheckedAnew) {
    auto given = given_holders();
    Id const id = given.after(license()).id;
    given.after(VerifyCredential{id});
    EXPECT_EQ(given.when(renumber(id, kNumber)).summary(), "nothing");
    auto document = update(id);
    document.documentUrl = core::Personal<core::Nullable<core::HttpsUrl>>(
        core::Nullable<core::HttpsUrl>(core::HttpsUrl("https://documents.example/rn.pdf")));
    EXPECT_EQ(given.when(document).event<events::CredentialUpdated>().sealedFor.value, "staff/11");
    EXPECT_EQ(given.after(document).status, CredentialStatus::verified) << "the scan is no part of it";
    EXPECT_EQ(given.after(move_end(id, "2027-07-24")).status, CredentialStatus::verified);
    EXPECT_EQ(given.after(renumber(id, "RN-4712")).status, CredentialStatus::pending);
    given.after(reject(id));
    EXPECT_EQ(given.after(move_end(id, "2028-07-24")).status, CredentialStatus::rejected);
    auto const renamed = given.after(rename(id, "Nurse Practitioner"));
    EXPECT_EQ(renamed.status, CredentialStatus::pending);
    EXPECT_EQ(renamed.statusReason.value, "");
}

TEST(UpdateCredential, ADateInThePastExpiresIt) {
    auto given = given_holders();
    Id const id = given.after(license()).id;
    given.after(VerifyCredential{id});
    auto command = move_end(id, "2026-07-23");
    command.name = core::Name("Nurse Practitioner");
    auto const outcome = given.when(command);
    EXPECT_EQ(outcome.summary(), "credential.updated credential.expired");
    auto const& expired = outcome.event<events::CredentialExpired>();
    EXPECT_EQ(expired.name.value, "Nurse Practitioner");
    EXPECT_EQ(expired.expiresOn.value, tests::day("2026-07-23"));
    EXPECT_EQ(expired.staffId, kHolder);
    auto const credential = given.after(command);
    EXPECT_EQ(credential.status, CredentialStatus::expired);
    EXPECT_EQ(credential.expiredReason.value, ExpiredReason::date_passed);
    EXPECT_EQ(given.after(renumber(id, "RN-4712")).status, CredentialStatus::expired) << "its date is past as before";
    given.context.new_ids = {102};
    Id const other = given.after(license()).id;
    given.after(reject(other));
    EXPECT_EQ(given.when(move_end(other, "2026-07-23")).summary(), "credential.updated") << "it was not good before";
}

TEST(UpdateCredential, ADateAheadReopensWhatHasExpired) {
    auto given = given_holders();
    Id const id = given.after(good_until("2026-07-01")).id;
    EXPECT_EQ(given.when(move_end(id, "2026-07-24")).summary(), "credential.updated");
    auto const reopened = given.after(move_end(id, "2026-07-24"));
    EXPECT_EQ(reopened.status, CredentialStatus::pending);
    EXPECT_FALSE(reopened.expiredReason.value);
    given.after(expire(id));
    EXPECT_EQ(given.after(rename(id, "Nurse Practitioner")).status, CredentialStatus::pending)
        << "it was marked by hand, and is another one now";
}

TEST(UpdateCredential, NotOfWhatWasRevokedNorOfWhatIsNotSeen) {
    auto given = given_holders();
    Id const id = given.after(license()).id;
    EXPECT_EQ(given.when(rename(999, "Other")).summary(), "NOT_FOUND");
    given.context.facilities = {2};
    EXPECT_EQ(given.when(rename(id, "Other")).summary(), "NOT_FOUND");
    given.context.facilities = {};
    given.context.sandbox = true;
    EXPECT_EQ(given.when(rename(id, "Other")).summary(), "NOT_FOUND");
    given.context.sandbox = false;
    given.after(revoke(id));
    EXPECT_EQ(given.when(rename(id, "Other")).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(given.when(rename(id, "Registered Nurse")).summary(), "nothing");
}

TEST(VerifyCredential, TellsWhoSawItAndWhen) {
    auto given = given_holders();
    Id const id = given.after(license()).id;
    auto const credential = given.after(VerifyCredential{id});
    EXPECT_EQ(credential.status, CredentialStatus::verified);
    EXPECT_EQ(credential.verification.method.value, VerificationMethod::manual);
    EXPECT_EQ(credential.verification.result.value, VerificationResult::match);
    EXPECT_EQ(credential.verification.checkedAt.value, given.context.now);
    EXPECT_EQ(credential.verification.verifiedBy.value, kCaller);
    EXPECT_EQ(credential.verification.provider.value, "");
    EXPECT_EQ(given.when(VerifyCredential{id}).summary(), "nothing");
    given.context.actor = {events::ActorType::api_key, 5, 0};
    given.after(renumber(id, "RN-4712"));
    EXPECT_FALSE(given.after(VerifyCredential{id}).verification.verifiedBy.value) << "nobody's key did";
}

TEST(VerifyCredential, LeadsBackFromAllButRevoked) {
    auto given = given_holders();
    Id const id = given.after(license()).id;
    given.after(reject(id));
    EXPECT_EQ(given.when(VerifyCredential{id}).event<events::CredentialVerified>().from, CredentialStatus::rejected);
    EXPECT_EQ(given.after(VerifyCredential{id}).statusReason.value, "");
    given.after(expire(id));
    EXPECT_EQ(given.after(VerifyCredential{id}).status, CredentialStatus::verified);
    given.after(revoke(id));
    EXPECT_EQ(given.when(VerifyCredential{id}).summary(), "INVALID_STATE_TRANSITION");
    given.context.new_ids = {102};
    Id const past = given.after(good_until("2026-07-23")).id;
    EXPECT_EQ(given.when(VerifyCredential{past}).summary(), "CREDENTIAL_EXPIRED");
    EXPECT_EQ(given.when(VerifyCredential{999}).summary(), "NOT_FOUND");
}

TEST(RejectCredential, IsOfWhatIsPending) {
    EXPECT_EQ(tests::faults_in<RejectCredential>("{}"), "reason required");
    EXPECT_EQ(tests::faults_in<RejectCredential>(R"({"reason":" "})"), "reason min_length");
    auto given = given_holders();
    Id const id = given.after(license()).id;
    auto const credential = given.after(reject(id));
    EXPECT_EQ(credential.status, CredentialStatus::rejected);
    EXPECT_EQ(credential.statusReason.value, "Unreadable");
    EXPECT_EQ(given.when(reject(id)).summary(), "nothing");
    given.after(VerifyCredential{id});
    auto const refused = given.when(reject(id));
    EXPECT_EQ(refused.summary(), "INVALID_STATE_TRANSITION");
    EXPECT_NE(refused.details().find(R"(["update","verify-external","expire","revoke"])"), std::string::npos)
        << refused.details();
    EXPECT_EQ(given.when(reject(999)).summary(), "NOT_FOUND");
}

TEST(ExpireCredential, IsOfWhatIsPendingOrVerified) {
    EXPECT_EQ(tests::faults_in<ExpireCredential>("{}"), "");
    auto given = given_holders();
    Id const id = given.after(license()).id;
    auto const outcome = given.when(expire(id));
    EXPECT_EQ(outcome.summary(), "credential.expired");
    EXPECT_EQ(outcome.event<events::CredentialExpired>().reason, ExpiredReason::api);
    EXPECT_EQ(outcome.event<events::CredentialExpired>().type, StaffCredentialType::license);
    given.after(VerifyCredential{id});
    auto const credential = given.after(expire(id));
    EXPECT_EQ(credential.status, CredentialStatus::expired);
    EXPECT_EQ(credential.expiredReason.value, ExpiredReason::api);
    EXPECT_EQ(credential.statusReason.value, "Left the register");
    EXPECT_EQ(given.when(expire(id)).summary(), "nothing");
    given.context.new_ids = {102};
    Id const other = given.after(license()).id;
    given.after(reject(other));
    EXPECT_EQ(given.when(expire(other)).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(given.when(expire(999)).summary(), "NOT_FOUND");
}

TEST(RevokeCredential, IsForGood) {
    auto given = given_holders();
    Id const id = given.after(license()).id;
    auto const credential = given.after(revoke(id));
    EXPECT_EQ(credential.status, CredentialStatus::revoked);
    EXPECT_EQ(credential.statusReason.value, "Forged");
    EXPECT_EQ(given.when(revoke(id)).summary(), "nothing");
    EXPECT_EQ(given.when(DeleteCredential{id}).summary(), "nothing");
    EXPECT_EQ(given.when(reject(id)).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(given.when(expire(id)).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(given.when(told(id, RegistryOutcome::match)).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(given.when(revoke(999)).summary(), "NOT_FOUND");
    given.context.new_ids = {102};
    Id const past = given.after(good_until("2026-07-23")).id;
    EXPECT_EQ(given.when(revoke(past)).summary(), "credential.revoked") << "whatever its state";
}

TEST(DeleteCredential, RevokesIt) {
    auto given = given_holders();
    Id const id = given.after(license()).id;
    EXPECT_EQ(given.when(DeleteCredential{id}).summary(), "credential.revoked");
    auto const credential = given.after(DeleteCredential{id});
    EXPECT_EQ(credential.status, CredentialStatus::revoked);
    EXPECT_EQ(credential.statusReason.value, "deleted");
    EXPECT_EQ(given.when(DeleteCredential{999}).summary(), "NOT_FOUND");
}

TEST(RecordVerification, AMatchVerifies) {
    auto given = given_holders();
    Id const id = given.after(license()).id;
    auto const command = told(id, RegistryOutcome::match);
    EXPECT_EQ(given.when(command).summary(), "credential.verified");
    auto const result = given.after(command);
    EXPECT_TRUE(result.verified);
    EXPECT_EQ(result.outcome, RegistryOutcome::match);
    EXPECT_EQ(result.provider, "registry_sim");
    EXPECT_EQ(result.reference.value, "sim_cr_101");
    EXPECT_EQ(result.checkedAt, given.context.now);
    EXPECT_EQ(result.details, "As the registry has it.");
    auto const& check = result.credential.verification;
    EXPECT_EQ(check.method.value, VerificationMethod::external);
    EXPECT_EQ(check.provider.value + " " + check.reference.value, "registry_sim sim_cr_101");
    EXPECT_EQ(check.verifiedBy.value, kCaller);
    EXPECT_EQ(given.when(command).event<events::CredentialVerified>().from, CredentialStatus::verified)
        << "checked once more";
    given.context.new_ids = {102};
    Id const past = given.after(good_until("2026-07-23")).id;
    EXPECT_EQ(given.when(told(past, RegistryOutcome::match)).summary(), "nothing") << "it has expired already";
}

TEST(RecordVerification, WhatMatchesAndIsPastItsDateHasExpired) {
    auto given = given_in("UTC", "2026-07-20T10:00:00Z");
    Id const id = given.after(good_until("2026-07-23")).id;
    given.context.now = tests::at("2026-07-24T10:00:00Z");
    auto const result = given.after(told(id, RegistryOutcome::match));
    EXPECT_FALSE(result.verified);
    EXPECT_EQ(result.credential.status, CredentialStatus::expired);
    EXPECT_EQ(result.credential.expiredReason.value, events::ExpiredReason::external_verification);
    EXPECT_EQ(result.credential.verification.result.value, VerificationResult::match);
}

TEST(RecordVerification, NeedsSomebodyWhoWasAsked) {
    auto given = given_holders();
    Id const id = given.after(license()).id;
    auto command = told(id, RegistryOutcome::match);
    command.finding.reset();
    EXPECT_EQ(given.when(command).summary(), "CONCURRENT_MODIFICATION");
}

TEST(RecordVerification, NoMatchRejects) {
    auto given = given_holders();
    Id const id = given.after(license()).id;
    given.after(VerifyCredential{id});
    auto const command = told(id, RegistryOutcome::no_match);
    EXPECT_EQ(given.when(command).summary(), "credential.rejected");
    auto const result = given.after(command);
    EXPECT_FALSE(result.verified);
    EXPECT_FALSE(result.reference.value);
    EXPECT_EQ(result.credential.status, CredentialStatus::rejected);
    EXPECT_EQ(result.credential.statusReason.value, "As the registry has it.");
    EXPECT_EQ(result.credential.verification.result.value, VerificationResult::no_match);
    EXPECT_EQ(result.credential.verification.reference.value, "");
}

TEST(RecordVerification, WhatTheRegistryHasAsExpiredIsSo) {
    auto given = given_holders();
    Id const id = given.after(good_until("2027-07-24")).id;
    auto const command = told(id, RegistryOutcome::expired);
    EXPECT_EQ(given.when(command).event<events::CredentialExpired>().reason, ExpiredReason::external_verification);
    auto const result = given.after(command);
    EXPECT_FALSE(result.verified);
    EXPECT_EQ(result.credential.status, CredentialStatus::expired);
    EXPECT_EQ(result.credential.expiredReason.value, ExpiredReason::external_verification);
    EXPECT_EQ(result.credential.verification.result.value, VerificationResult::expired);
    EXPECT_EQ(given.when(command).summary(), "nothing") << "it was so before";
    EXPECT_EQ(given.after(told(id, RegistryOutcome::match)).credential.status, CredentialStatus::verified)
        << "it was renewed";
}

TEST(RegistryQuestion, TellsTheCredentialAndItsHolder) {
    auto given = given_holders();
    Id const id = given.after(good_until("2027-07-24")).id;
    auto const asked = registry_question(given.view(), id, given.context);
    ASSERT_TRUE(asked) << asked.error().message;
    auto const* holder = given.view().get<events::StaffRecord>(kHolder);
    EXPECT_EQ(asked->credential, id);
    EXPECT_EQ(asked->name + " " + asked->number, "Registered Nurse RN-4711");
    EXPECT_EQ(asked->expires_on.value, tests::day("2027-07-24"));
    EXPECT_FALSE(asked->issued_on.value);
    EXPECT_EQ(asked->first_name, holder->firstName.value.value);
    EXPECT_EQ(asked->last_name, holder->lastName.value.value);
    EXPECT_EQ(registry_question(given.view(), 999, given.context).error().code, core::Code::not_found);
    given.after(revoke(id));
    EXPECT_EQ(registry_question(given.view(), id, given.context).error().code, core::Code::invalid_state_transition);
    given.context.facilities = {2};
    EXPECT_EQ(registry_question(given.view(), id, given.context).error().code, core::Code::not_found);
}

TEST(RecordVerification, IsOfWhatWasAskedFor) {
    auto const changed = [](auto change) {
        auto given = given_holders();
        auto command = update(given.after(license()).id);
        change(command);
        given.after(command);
        return given.when(told(command.id, RegistryOutcome::match)).summary();
    };
    EXPECT_EQ(changed([](UpdateCredential& c) { c.name = core::Name("Nurse"); }), "CONCURRENT_MODIFICATION");
    EXPECT_EQ(changed([](UpdateCredential& c) { c.issuingAuthority = core::ShortText("Board"); }),
              "CONCURRENT_MODIFICATION");
    EXPECT_EQ(changed([](UpdateCredential& c) { c.jurisdiction = core::ShortText("NJ"); }), "CONCURRENT_MODIFICATION");
    EXPECT_EQ(changed([](UpdateCredential& c) { c.expiresOn = core::Nullable<core::Date>(tests::day("2027-01-01")); }),
              "credential.verified");
}

TEST(RecordVerification, IsOfTheNumberThatWasAskedFor) {
    auto given = given_holders();
    Id const id = given.after(license()).id;
    given.after(renumber(id, "RN-4712"));
    EXPECT_EQ(given.when(told(id, RegistryOutcome::match)).summary(), "CONCURRENT_MODIFICATION");
    EXPECT_EQ(given.when(told(999, RegistryOutcome::match)).summary(), "NOT_FOUND");
    given.context.facilities = {2};
    EXPECT_EQ(given.when(told(id, RegistryOutcome::match)).summary(), "NOT_FOUND");
}

/// What the due job brings about on that day.
std::string moved_on(Given& given, std::string_view day, std::vector<Id> ids) {
    given.context.now = tests::at(std::string(day) + "T10:00:00Z");
    MoveDueCredentials const command{std::move(ids)};
    auto const summary = given.when(command).summary();
    given.after(command);
    return summary;
}

TEST(MoveDueCredentials, TellsTwiceAndThenExpires) {
    auto given = given_holders();
    Id const id = given.after(good_until("2026-08-24")).id;  // 31 days ahead
    given.after(VerifyCredential{id});
    EXPECT_EQ(moved_on(given, "2026-07-24", {id}), "nothing");
    given.context.now = tests::at("2026-07-25T10:00:00Z");
    auto const first = given.when(MoveDueCredentials{{id}});
    EXPECT_EQ(first.event<events::CredentialExpiring>().withinDays, 30);
    EXPECT_EQ(first.event<events::CredentialExpiring>().staffId, kHolder);
    EXPECT_EQ(first.event<events::CredentialExpiring>().expiresOn, tests::day("2026-08-24"));
    EXPECT_EQ(moved_on(given, "2026-07-25", {id}), "credential.expiring");
    EXPECT_EQ(moved_on(given, "2026-07-25", {id}), "nothing");
    EXPECT_EQ(moved_on(given, "2026-08-16", {id}), "nothing");
    EXPECT_EQ(moved_on(given, "2026-08-17", {id}), "credential.expiring");
    EXPECT_EQ(record_of(given, id).internals.toldWithinDays, 7);
    EXPECT_EQ(moved_on(given, "2026-08-17", {id}), "nothing");
    EXPECT_EQ(moved_on(given, "2026-08-24", {id}), "nothing") << "it is good on its last day";
    EXPECT_EQ(moved_on(given, "2026-08-25", {id}), "credential.expired");
    EXPECT_EQ(record_of(given, id).expiredReason.value, ExpiredReason::date_passed);
    EXPECT_EQ(moved_on(given, "2026-08-26", {id}), "nothing");
}

TEST(MoveDueCredentials, ALateOneIsToldOnce) {
    auto given = given_holders();
    Id const id = given.after(good_until("2026-07-27")).id;
    EXPECT_EQ(moved_on(given, "2026-07-24", {id}), "credential.expiring");
    EXPECT_EQ(record_of(given, id).internals.toldWithinDays, 7);
    EXPECT_EQ(moved_on(given, "2026-07-25", {id}), "nothing");
    given.after(move_end(id, "2026-08-20"));
    EXPECT_EQ(moved_on(given, "2026-07-26", {id}), "credential.expiring") << "of its new end";
    EXPECT_EQ(record_of(given, id).internals.toldWithinDays, 30);
    given.context.new_ids = {102};
    Id const missed = given.after(good_until("2026-08-01")).id;
    EXPECT_EQ(moved_on(given, "2026-08-10", {missed}), "credential.expired") << "which tells enough";
}

TEST(MoveDueCredentials, LeavesWhatIsNotGoodAnyway) {
    auto given = given_holders();
    std::vector<Id> ids;
    for (Id const id : {101, 102, 103, 104}) {
        given.context.new_ids = {id};
        ids.push_back(given.after(id == 104 ? license() : good_until("2026-07-30")).id);
    }
    given.after(reject(101));
    given.after(revoke(102));
    given.after(expire(103));
    ids.push_back(999);
    EXPECT_EQ(moved_on(given, "2026-07-28", ids), "nothing");
    EXPECT_EQ(moved_on(given, "2026-08-28", ids), "nothing");
    given.context.new_ids = {105};
    auto const command = good_until("2026-08-29");
    given.after(command);
    given.context.new_ids = {106};
    given.after(command);
    EXPECT_EQ(moved_on(given, "2026-08-28", {105, 106}), "credential.expiring credential.expiring");
}

TEST(MoveDueCredentials, GoByTheOrganizationsCalendar) {
    auto given = given_in("Pacific/Honolulu", "2026-07-20T10:00:00Z");
    Id const id = given.after(good_until("2026-07-23")).id;
    given.after(MoveDueCredentials{{id}});
    given.context.now = tests::at("2026-07-24T09:00:00Z");  // 23:00 on the 23rd
    EXPECT_EQ(given.when(MoveDueCredentials{{id}}).summary(), "nothing");
    given.context.now = tests::at("2026-07-24T11:00:00Z");
    EXPECT_EQ(given.when(MoveDueCredentials{{id}}).summary(), "credential.expired");
}

TEST(ErasePerson, CredentialsLoseWhatIsPersonal) {
    auto given = given_holders();
    auto command = license();
    command.documentUrl = core::Nullable<core::HttpsUrl>(core::HttpsUrl("https://documents.example/rn.pdf"));
    Id const id = given.after(command).id;
    given.context.new_ids = {102};
    Id const revoked = given.after(command).id;
    given.after(revoke(revoked));
    given.context.new_ids = {103};
    Id const bobs = given.after(license(kOtherHolder)).id;
    ErasePerson const erasure{{"asked for", "ops"}, {events::Kind::staff, kHolder}};
    EXPECT_EQ(given.when(erasure).summary(), "credential.holder_erased credential.holder_erased staff.erased");
    given.after(erasure);
    for (Id const each : {id, revoked}) {
        auto const& credential = record_of(given, each);
        EXPECT_EQ(credential.number.value.value, "");
        EXPECT_FALSE(credential.documentUrl.value.value);
        EXPECT_EQ(credential.name.value, "Registered Nurse");
        EXPECT_TRUE(credential.internals.holderErased);
    }
    EXPECT_EQ(record_of(given, bobs).number.value.value, kNumber);
    EXPECT_EQ(given.when(erasure).summary(), "nothing");
    EXPECT_EQ(given.when(VerifyCredential{id}).summary(), "INVALID_STATE_TRANSITION");
}

TEST(AddCredential, NobodyHasMoreThanSoMany) {
    auto given = given_holders();
    for (Id id = 1000; id < 1000 + static_cast<Id>(kMostCredentials); ++id) {
        given.context.new_ids = {id};
        given.after(license());
    }
    given.context.new_ids = {5000};
    EXPECT_EQ(given.when(license()).summary(), "VALIDATION_ERROR");
    EXPECT_EQ(given.when(license(kOtherHolder)).summary(), "credential.added");
}

/// Facility 1 asks for a license as a nurse, of those who work as one.
Given given_requirement(events::RuleLevel level = events::RuleLevel::block) {
    auto given = given_holders();
    events::FacilityUpdated updated;
    updated.schedulingRules.emplace().inactiveCredential = level;
    updated.requiredCredentialTypes = {{"nurse", "license", "Registered nurse"}};
    given.event({events::Kind::facility, 1}, events::FacilityEvent(std::move(updated)), 1);
    given.shift(40, 1, "2026-07-30", "08:00", "16:00");
    events::ShiftUpdated nurses;
    nurses.specialty = "nurse";
    return std::move(given.on_shift(40, std::move(nurses)));
}
AssignStaff assign_ada() {
    AssignStaff command;
    command.id = 40;
    command.staffId = kHolder;
    return command;
}

TEST(AssignStaff, NeedsTheCredentialsThatTheFacilityRequires) {
    auto given = given_requirement();
    auto const none = given.when(assign_ada());
    EXPECT_EQ(none.summary(), "CREDENTIAL_INVALID");
    EXPECT_NE(none.result.error().message.find("license Registered nurse"), std::string::npos);
    Id const id = given.after(good_until("2026-07-30")).id;
    EXPECT_EQ(given.when(assign_ada()).summary(), "CREDENTIAL_INVALID") << "nobody verified it";
    given.after(VerifyCredential{id});
    EXPECT_NE(given.when(assign_ada()).summary(), "CREDENTIAL_INVALID") << "good on the last day";
    given.after(move_end(id, "2026-07-29"));
    EXPECT_EQ(given.when(assign_ada()).summary(), "CREDENTIAL_INVALID");
    auto override_it = assign_ada();
    override_it.override_ = true;
    given.context.may_override = true;
    EXPECT_NE(given.when(override_it).summary(), "CREDENTIAL_INVALID");
}

TEST(AssignStaff, ToldOfCredentialsAsTheLevelSays) {
    auto flagged = given_requirement(events::RuleLevel::flag);
    auto const outcome = flagged.when(assign_ada());
    ASSERT_TRUE(outcome.result);
    EXPECT_TRUE(std::ranges::any_of(outcome.result->warnings,
                                    [](auto const& warning) { return warning.code == "CREDENTIAL_INVALID"; }));
    auto allowed = given_requirement(events::RuleLevel::allow);
    auto const silent = allowed.when(assign_ada());
    ASSERT_TRUE(silent.result);
    EXPECT_FALSE(std::ranges::any_of(silent.result->warnings,
                                     [](auto const& warning) { return warning.code == "CREDENTIAL_INVALID"; }));
}

TEST(UpdateShift, NewTimesNeedCredentialsThatAreGoodThen) {
    auto given = given_requirement();
    Id const id = given.after(good_until("2026-07-31")).id;
    given.after(VerifyCredential{id});
    given.after(assign_ada());
    UpdateShift move;
    move.id = 40;
    move.date = tests::day("2026-08-03");
    EXPECT_EQ(given.when(move).summary(), "CREDENTIAL_INVALID");
    move.date = tests::day("2026-07-31");
    EXPECT_EQ(given.when(move).summary(), "shift.updated");
    given.after(move_end(id, "2026-07-29"));
    EXPECT_EQ(given.when(move).summary(), "shift.updated") << "it is no worse than before";
}

TEST(IsMet, ByWhatIsVerifiedAndOfThatTypeAndName) {
    auto const friday = tests::day("2026-07-24");
    events::Credential nurse;
    nurse.type = StaffCredentialType::license;
    nurse.name = "Registered Nurse";
    nurse.status = CredentialStatus::verified;
    auto const met = [&](events::RequiredCredential const& required) {
        std::vector<events::Credential const*> const held{&nurse};
        return is_met(required, held, friday);
    };
    EXPECT_TRUE(met({"", "license", ""}));
    EXPECT_TRUE(met({"icu", "license", "registered NURSE"})) << "whom it is asked of is for the caller to see";
    EXPECT_FALSE(met({"", "license", "Midwife"}));
    EXPECT_FALSE(met({"", "training", ""}));
    EXPECT_FALSE(is_met({"", "license", ""}, {}, friday));
    nurse.expiresOn = core::Nullable<core::Date>(friday);
    EXPECT_TRUE(met({"", "license", ""})) << "its last day";
    nurse.expiresOn = core::Nullable<core::Date>(tests::day("2026-07-23"));
    EXPECT_FALSE(met({"", "license", ""}));
    nurse.expiresOn = {};
    for (auto const status : {CredentialStatus::pending, CredentialStatus::expired, CredentialStatus::rejected,
                              CredentialStatus::revoked}) {
        nurse.status = status;
        EXPECT_FALSE(met({"", "license", ""})) << core::enum_name(status);
    }
}

}  // namespace
}  // namespace workforce::commands
