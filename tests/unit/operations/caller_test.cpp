// Who may act on the sandbox.
#include "operations/caller.hpp"

#include <gtest/gtest.h>

#include "events/aggregate.hpp"
#include "events/roles.hpp"
#include "operations/reads.hpp"

namespace workforce::operations {
namespace {

std::shared_ptr<Caller const> person(events::Role role) {
    auto caller = std::make_shared<Caller>();
    caller->credential_type = events::ActorType::user;
    caller->permissions = events::permissions_of_role(role, false);
    return caller;
}

TEST(ActingOnSandbox, TakesThePermission) {
    for (auto const role : {events::Role::admin, events::Role::facility_admin}) {
        auto const live = person(role);
        auto const acting = acting_on_sandbox(live);
        ASSERT_TRUE(acting);
        EXPECT_TRUE((*acting)->sandbox);
        EXPECT_FALSE(live->sandbox) << "others share it";
        EXPECT_EQ((*acting)->lineage(), live->lineage());
    }
    for (auto const role : {events::Role::manager, events::Role::scheduler, events::Role::viewer}) {
        auto const refused = acting_on_sandbox(person(role));
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, core::Code::forbidden);
        EXPECT_EQ(refused.error().details, R"({"permission":"sandbox.manage"})");
    }
}

TEST(ActingOnSandbox, AKeyIsOfOneSide) {
    auto key = std::make_shared<Caller>();
    key->permissions.set();
    EXPECT_EQ(acting_on_sandbox(key).error().code, core::Code::forbidden);
    key->sandbox = true;
    EXPECT_EQ(acting_on_sandbox(key).value(), key);
}

TEST(MayRead, GoesByThePermissionOfTheKind) {
    Caller all, none;
    all.permissions.set();
    for (auto const kind : events::kAllKinds) {
        if (!events::is_in_activity(kind)) continue;
        EXPECT_TRUE(may_read(all, kind)) << core::enum_name(kind);
        EXPECT_FALSE(may_read(none, kind)) << core::enum_name(kind);
    }
    auto const manager = person(events::Role::facility_admin);
    EXPECT_TRUE(may_read(*manager, events::Kind::credential));
    EXPECT_FALSE(may_read(*manager, events::Kind::lead));
}

}  // namespace
}  // namespace workforce::operations
