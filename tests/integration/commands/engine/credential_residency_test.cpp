// Credentials that were evicted and looked up again: by their ids, and as those of a person.
#include "commands/credential.hpp"

#include <tuple>

#include "commands/erasure.hpp"
#include "events/command.hpp"
#include "tests/integration/commands/engine/residency_fixture.hpp"

namespace workforce::tests {
namespace {

class CredentialResidencyTest : public ResidencyTest {
   protected:
    Id onboard(std::string const& name) {
        EXPECT_EQ(told(staff(name)), "201");
        return last_id_;
    }
    /// A new credential of the person.
    Submission license(Id person, std::string const& number) {
        commands::AddCredential command;
        command.staffId = person;
        command.type = events::StaffCredentialType::license;
        command.name = core::Name("Registered Nurse");
        command.number = core::Text<0, 64>(number);
        command.expiresOn = core::Nullable<core::Date>(core::Date{50'000});  // so that answers need a calendar
        caller_.new_ids = {++last_id_};
        auto submission = make(std::move(command));
        submission.success_status = 201;
        return submission;
    }
    Id add(Id person, std::string const& number) {
        EXPECT_EQ(told(license(person, number)), "201");
        return last_id_;
    }
    /// The command, which is about the credential.
    template <class Command>
    Submission to(Command command) const {
        auto const id = command.id;
        return make(std::move(command), {Kind::credential, id});
    }
    commands::UpdateCredential renumbered(Id credential) const {
        commands::UpdateCredential update;
        update.id = credential;
        update.number = core::Personal<core::Text<0, 64>>(core::Text<0, 64>("RN-9"));
        return update;
    }
    Submission erase(Id person) const {
        return make(commands::ErasePerson{{"asked for", "ops"}, {Kind::staff, person}});
    }
    /// Does nothing and answers with the numbers of all credentials that decisions see of the person.
    Submission numbers_of(Id person) const {
        Submission submission;
        submission.context = caller_;
        submission.decide = [person](commands::View const& view,
                                     commands::Context const&) -> core::Result<commands::Decision> {
            std::ignore = view.by<events::CredentialsOfPerson>(person);
            return commands::Decision{};
        };
        submission.render = [person](commands::View const& view, commands::Decision const&) {
            std::string numbers;
            for (auto const* credential : view.by<events::CredentialsOfPerson>(person))
                numbers += credential->number.value.value + ";";
            return commands::Rendered{numbers, {}};
        };
        return finished(std::move(submission));
    }
    /// Whose keys seal the answers that were stored.
    std::vector<std::string> answers_sealed_for() {
        std::vector<std::string> persons;
        for (auto const& event : history()) {
            if (auto const* answered = events::get_if<events::CommandAnswered>(event.data))
                persons.push_back(answered->sealedFor);
        }
        return persons;
    }
};

TEST_F(CredentialResidencyTest, WhatWasEvictedIsDecidedOnAsBefore) {
    auto const ada = onboard("ada");
    auto const credential = add(ada, "RN-1");
    forget(*first_);
    EXPECT_EQ(told(to(commands::VerifyCredential{credential})), "200");
    forget(*first_);
    EXPECT_EQ(told(to(commands::RejectCredential{credential, core::Name("Unreadable")})),
              "409 INVALID_STATE_TRANSITION");
    EXPECT_EQ(told(to(renumbered(credential))), "200");
    EXPECT_EQ(told(to(commands::RejectCredential{credential, core::Name("Unreadable")})), "200") << "pending once more";
    EXPECT_EQ(told(to(commands::VerifyCredential{999})), "404 NOT_FOUND");
    EXPECT_EQ(told(license(999, "RN-2")), "404 NOT_FOUND");
    EXPECT_EQ(told(to(commands::DeleteCredential{credential})), "200");
    EXPECT_EQ(told(to(commands::VerifyCredential{credential})), "409 INVALID_STATE_TRANSITION");
}

TEST_F(CredentialResidencyTest, ThePersonsAreFoundAgain) {
    auto const ada = onboard("ada");
    auto const bob = onboard("bob");
    add(ada, "RN-1");
    add(bob, "RN-2");
    auto const third = add(ada, "RN-3");
    EXPECT_EQ(ask(numbers_of(ada)).body, "RN-1;RN-3;");
    EXPECT_EQ(ask(numbers_of(bob)).body, "RN-2;");
    EXPECT_EQ(ask(numbers_of(999)).body, "");
    ASSERT_EQ(told(to(renumbered(third))), "200");
    EXPECT_EQ(ask(numbers_of(ada)).body, "RN-1;RN-9;");
    caller_.sandbox = true;
    EXPECT_EQ(ask(numbers_of(ada)).body, "") << "these are live ones";
    caller_.sandbox = false;
}

// Some are in memory, as they were changed a moment ago, and some are not.
TEST_F(CredentialResidencyTest, WhatIsHereAndWhatIsNotAreOnePersons) {
    auto const ada = onboard("ada");
    add(ada, "RN-1");
    add(ada, "RN-2");
    forget(*first_);
    first_->log.hold();
    auto const blocker = send(*first_, staff("blocker"));
    first_->log.await_held();
    auto const added = send(*first_, license(ada, "RN-3"));
    auto const seen = send(*first_, numbers_of(ada));
    first_->log.release();
    EXPECT_EQ(reply(blocker).status, 201);
    EXPECT_EQ(reply(added).status, 201);
    EXPECT_EQ(reply(seen).body, "RN-1;RN-2;RN-3;");
}

TEST_F(CredentialResidencyTest, ErasureFindsWhatWasEvicted) {
    auto const ada = onboard("ada");
    auto const bob = onboard("bob");
    auto const first = add(ada, "RN-1");
    auto const second = add(ada, "RN-2");
    add(bob, "RN-3");
    ASSERT_EQ(told(to(commands::RevokeCredential{second, std::nullopt})), "200");
    forget(*first_);
    EXPECT_EQ(told(erase(ada)), "200");
    EXPECT_EQ(count<events::CredentialHolderErased>(), 2U) << "what was revoked, too";
    EXPECT_EQ(ask(numbers_of(ada)).body, ";;");
    EXPECT_EQ(ask(numbers_of(bob)).body, "RN-3;");
    EXPECT_EQ(told(to(renumbered(first))), "409 INVALID_STATE_TRANSITION");
    EXPECT_EQ(told(license(ada, "RN-4")), "409 INVALID_STATE_TRANSITION");
    EXPECT_EQ(told(to(commands::ExpireCredential{first, std::nullopt})), "409 INVALID_STATE_TRANSITION");
    EXPECT_NE(ask(erase(ada)).body.find(R"("recorded":false)"), std::string::npos);
    EXPECT_EQ(first_->store.erased_persons(), std::vector{"staff/" + std::to_string(ada)});
}

TEST_F(CredentialResidencyTest, AnswersAreTheHoldersAndGoWithThem) {
    auto const ada = onboard("ada");
    auto const holder = "staff/" + std::to_string(ada);
    ASSERT_EQ(told(keyed(license(ada, "RN-1"), "add")), "201");
    auto const credential = last_id_;
    forget(*first_);
    ASSERT_EQ(told(keyed(to(commands::VerifyCredential{credential}), "verify")), "200");
    EXPECT_EQ(answers_sealed_for(), (std::vector{holder, holder}));
    forget(*first_);
    auto const again = ask(keyed(license(ada, "RN-1"), "add"));
    EXPECT_TRUE(again.replayed);
    EXPECT_NE(again.body.find("RN-1"), std::string::npos) << again.body;
    ASSERT_EQ(told(erase(ada)), "200");
    for (auto const* key : {"add", "verify"}) {
        EXPECT_EQ(told(keyed(license(ada, "RN-1"), key)), "404 NOT_FOUND") << key;
    }
    restart();
    EXPECT_EQ(told(keyed(license(ada, "RN-1"), "add")), "404 NOT_FOUND");
    EXPECT_EQ(told(keyed(to(commands::RevokeCredential{credential, std::nullopt}), "revoke")),
              "409 INVALID_STATE_TRANSITION")
        << "its answer could not be kept";
}

}  // namespace
}  // namespace workforce::tests
