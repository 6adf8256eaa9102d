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

TEST(OwnPermission, ReachesRowsOfOnesOwnAlone) {
    auto const row = Operation{.name = "test"}.needs("scheduling.edit").or_own("scheduling.request");
    auto const with = [](std::vector<std::string> const& scopes) {
        Caller key;
        key.permissions = key.own_permissions = permissions_of_key(scopes, false);
        return key;
    };
    auto const all = with({"scheduling:write"}), own = with({"scheduling:request"}), both = with({"scheduling:*"});
    for (auto const* caller : {&all, &own, &both}) EXPECT_FALSE(lacking(*caller, row));
    EXPECT_FALSE(reaches_own_alone(all, row));
    EXPECT_TRUE(reaches_own_alone(own, row));
    EXPECT_FALSE(reaches_own_alone(both, row));
    auto const refused = lacking(with({"scheduling:read"}), row);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->details, R"({"permission":"scheduling.request"})");
    auto member = std::make_shared<Caller>(*person(events::Role::staff));
    member->own_permissions = events::permissions_of_role(events::Role::staff, false, events::Reach::own_rows);
    EXPECT_FALSE(lacking(*member, row));
    EXPECT_TRUE(reaches_own_alone(*member, row));
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
