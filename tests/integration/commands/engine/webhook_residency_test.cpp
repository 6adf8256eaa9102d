// Webhook subscriptions that were evicted and looked up again: as those that the bound of an organization counts.
#include "commands/webhook.hpp"

#include <algorithm>

#include "tests/integration/commands/engine/residency_fixture.hpp"

namespace workforce::tests {
namespace {

class WebhookResidencyTest : public ResidencyTest {
   protected:
    Submission subscription(std::string const& owner) {
        commands::CreateWebhook command;
        command.name = "Mirror";
        command.url = "https://hooks.example.test/in";
        command.events = {"*"};
        command.rights.owner = owner;
        command.limits = {.organization = 3, .creator = 2};
        caller_.actor = {events::ActorType::user, core::parse_integer(owner.substr(5)).value(),
                         core::parse_integer(owner.substr(5)).value()};
        caller_.new_ids = {++last_id_};
        auto submission = make(std::move(command));
        submission.success_status = 201;
        return submission;
    }
    Submission deletion(Id webhook, std::string const& owner) {
        return make(commands::DeleteWebhook{webhook, {owner, false, {}}}, {Kind::webhook, webhook});
    }
};

TEST_F(WebhookResidencyTest, TheBoundCountsWhatWasEvictedToo) {
    EXPECT_EQ(told(subscription("user/3")), "201");
    auto const first = last_id_;
    EXPECT_EQ(told(subscription("user/3")), "201");
    forget(*first_);
    EXPECT_EQ(told(subscription("user/3")), "409 LIMIT_REACHED") << "of a creator";
    EXPECT_EQ(told(subscription("user/4")), "201");
    forget(*first_);
    EXPECT_EQ(told(subscription("user/5")), "409 LIMIT_REACHED") << "of the organization";
    caller_.actor = {events::ActorType::user, 3, 3};
    EXPECT_EQ(told(deletion(first, "user/3")), "200");
    forget(*first_);
    EXPECT_EQ(told(subscription("user/3")), "201") << "one that was deleted counts no more";
    EXPECT_EQ(told(subscription("user/5")), "409 LIMIT_REACHED");
}

}  // namespace
}  // namespace workforce::tests
