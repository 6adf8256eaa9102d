// Leads that were evicted and looked up again. One without an address is no erased one.
#include "commands/erasure.hpp"
#include "commands/lead.hpp"
#include "tests/integration/commands/engine/residency_fixture.hpp"

namespace workforce::tests {
namespace {

class LeadResidencyTest : public ResidencyTest {
   protected:
    /// A new lead that has no e-mail address.
    Submission lead(std::string const& name) {
        commands::CreateLead command;
        command.name = core::ShortText(name);
        caller_.new_ids = {++last_id_};
        auto submission = make(std::move(command));
        submission.success_status = 201;
        return submission;
    }
    Submission move(Id id, events::LeadStatus status) const {
        commands::UpdateLead command;
        command.id = id;
        command.status = status;
        return make(std::move(command), {Kind::lead, id});
    }
};

TEST_F(LeadResidencyTest, WhatWasEvictedIsChangedAsBefore) {
    ASSERT_EQ(told(keyed(lead("Ada"), "key")), "201");
    auto const ada = last_id_;
    ASSERT_EQ(told(lead("Bob")), "201");
    auto const bob = last_id_;
    forget(*first_);
    EXPECT_EQ(told(move(ada, events::LeadStatus::qualified)), "200");
    EXPECT_EQ(told(move(999, events::LeadStatus::qualified)), "404 NOT_FOUND");
    --last_id_;
    --last_id_;
    EXPECT_EQ(told(keyed(lead("Ada"), "key")), "201") << "the first answer";
    forget(*first_);
    EXPECT_EQ(told(make(commands::DeleteLead{bob}, {Kind::lead, bob})), "200");
    forget(*first_);
    EXPECT_EQ(told(move(bob, events::LeadStatus::won)), "404 NOT_FOUND") << "it is deleted in its row, too";
}

TEST_F(LeadResidencyTest, WhatWasEvictedIsErasedOnce) {
    ASSERT_EQ(told(lead("Ada")), "201");
    auto const ada = last_id_;
    forget(*first_);
    commands::ErasePerson const erasure{{"asked for", "ops"}, {Kind::lead, ada}};
    auto const first = ask(*first_, make(erasure));
    EXPECT_NE(first.body.find(R"("recorded":true)"), std::string::npos) << first.body;
    forget(*first_);
    auto const again = ask(*first_, make(erasure));
    EXPECT_NE(again.body.find(R"("recorded":false)"), std::string::npos) << again.body;
    EXPECT_EQ(told(move(ada, events::LeadStatus::won)), "409 INVALID_STATE_TRANSITION");
    EXPECT_EQ(first_->store.erased_persons(), std::vector{"lead/" + std::to_string(ada)});
}

}  // namespace
}  // namespace workforce::tests
