// Who may ask for rows of their own alone, and what the scope of a read says of them.
#include "dispatch_fixture.hpp"

namespace workforce::api {
namespace {

class OwnRowsTest : public DispatchTest {
   protected:
    nlohmann::json scope(std::string const& credential, std::string const& query = "") {
        auto const reply = ask(request(get, "/api/mine" + query, {{"Authorization", "Bearer " + credential}}));
        EXPECT_EQ(reply.status, 200U) << reply.body;
        return nlohmann::json::parse(reply.body);
    }
    std::string refused(std::string const& credential, net::Method method, std::string const& target) {
        return code_of(ask(request(method, target, {{"Authorization", "Bearer " + credential}})));
    }
};

TEST_F(OwnRowsTest, WhoHasThePermissionForAllRowsIsNotNarrowed) {
    EXPECT_EQ(scope("4 shifts:read"), (nlohmann::json{{"organization", 1}, {"facilities", nlohmann::json::array()}}));
    EXPECT_EQ(scope("5 shifts:read"), (nlohmann::json{{"organization", 1}, {"facilities", {9}}}));
    EXPECT_EQ(scope("5 shifts:read", "?facilityId=9"), (nlohmann::json{{"organization", 1}, {"facilities", {9}}}));
    EXPECT_EQ(refused("4 staff:read", get, "/api/mine"), "INSUFFICIENT_SCOPE");
}

TEST_F(OwnRowsTest, WhoHasItForTheirOwnGetsTheseWhereverTheyLie) {
    nlohmann::json const own{{"staff", 481}, {"facilities", {8, 9}}};
    EXPECT_EQ(scope("6"), (nlohmann::json{{"organization", 1}, {"facilities", nlohmann::json::array()}, {"own", own}}));
    EXPECT_EQ(scope("6", "?facilityId=9"), (nlohmann::json{{"organization", 1}, {"facilities", {9}}, {"own", own}}));
    EXPECT_EQ(refused("6", get, "/api/mine?facilityId=10"), "FACILITY_SCOPE_VIOLATION");
    EXPECT_EQ(scope("7")["own"], (nlohmann::json{{"staff", 0}, {"facilities", nlohmann::json::array()}}))
        << "of no staff record";
}

TEST_F(OwnRowsTest, OnlyOperationsThatReachThemOpen) {
    EXPECT_EQ(refused("6", get, "/api/things/1"), "FORBIDDEN");
    EXPECT_EQ(refused("6", post, "/api/things"), "FORBIDDEN");
    auto const error = error_of(ask(request(get, "/api/things/1", {{"Authorization", "Bearer 6"}})));
    EXPECT_EQ(error["details"], (nlohmann::json{{"permission", "shifts.view"}}));
}

}  // namespace
}  // namespace workforce::api
