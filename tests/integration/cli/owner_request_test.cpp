// Commands of the command line: what becomes of those whose first answer is lost.
#include "cli/owner_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>
#include <deque>
#include <filesystem>
#include <fstream>

#include "api/admin/admin_listener.hpp"
#include "api/admin/administration.hpp"
#include "cli/node.hpp"
#include "tests/support/await.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::tests {
namespace {

using core::Code;

class OwnerRequestTest : public testing::Test {
   protected:
    OwnerRequestTest() {
        auto const key = testing::TempDir() + "/" + database_.name() + ".key";
        std::ofstream(key) << core::hex_encode(core::random_bytes(32)) << '\n';
        std::filesystem::permissions(key, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
        config_.database_url = database_.url();
        config_.master_key_file = key;
        config_.port = config_.mcp_port = config_.admin_port = 0;
        config_.http_threads = 1;
        workers::migrate(config_);
        runtime_.emplace(config_);
        events::OrganizationDetails details;
        details.name = core::Name("Customer");
        organization_ = await(api::create_organization(*runtime_, details))->id;
    }
    void TearDown() override {
        if (runtime_) runtime_->stop();
        std::filesystem::remove(config_.master_key_file);
    }

    static events::ApiKeyDetails details() {
        events::ApiKeyDetails key;
        key.name = "planning";
        key.scopes = {core::ShortText("shifts:read")};
        return key;
    }
    int keys() { return database_.query("SELECT count(*) FROM auth.api_key_secret")[0][0].as<int>(); }
    /// What the command is told where its tries here end so, one after another; no owner lives.
    std::string told(std::deque<core::Result<std::string>> tries) {
        auto const here = [&]() -> core::Result<std::string> {
            auto const next = tries.front();
            tries.pop_front();
            return next;
        };
        try {
            auto answer = cli::ask_until_known(*runtime_, {organization_, "/internal/api-keys", "{}", "a"}, here);
            EXPECT_TRUE(tries.empty());
            return answer;
        } catch (std::runtime_error const& error) {
            return error.what();
        }
    }

    TestDatabase database_;
    core::Config config_;
    std::optional<workers::Runtime> runtime_;
    core::Id organization_ = 0;
};

TEST_F(OwnerRequestTest, ARetryIsToldOfTheKeyThatIsThere) {
    auto const first = await(api::create_api_key(*runtime_, organization_, details(), "a request"));
    auto const again = await(api::create_api_key(*runtime_, organization_, details(), "a request"));
    auto const other = await(api::create_api_key(*runtime_, organization_, details(), "another"));
    ASSERT_TRUE(first && again && other);
    EXPECT_EQ(again->id, first->id);
    EXPECT_EQ(again->key, first->key);
    EXPECT_NE(other->id, first->id);
    EXPECT_EQ(keys(), 2) << "the retry's own secret is forgotten";
}

TEST_F(OwnerRequestTest, WhatWasRefusedIsTriedAnewByARetry) {
    auto const nobody = await(api::create_api_key(*runtime_, organization_ + 7, details(), "a request"));
    ASSERT_FALSE(nobody);
    EXPECT_EQ(nobody.error().code, Code::not_found);
    auto unknown = details();
    unknown.scopes = {core::ShortText("nothing:read")};
    ASSERT_FALSE(await(api::create_api_key(*runtime_, organization_, unknown, "a request")));
    EXPECT_TRUE(await(api::create_api_key(*runtime_, organization_, details(), "a request")));
}

TEST_F(OwnerRequestTest, TheOwnerKnowsARetry) {
    runtime_->stop();
    boost::asio::io_context context;
    config_.admin_port =
        boost::asio::ip::tcp::acceptor(context, {boost::asio::ip::address_v4::loopback(), 0}).local_endpoint().port();
    config_.admin_url = "http://127.0.0.1:" + std::to_string(config_.admin_port);
    cli::Node node(config_, workers::Role::serve);
    node.start();
    auto const ask = [&](std::string const& request_key) {
        auto const body = core::to_json(api::CreateKeyRequest{organization_, details()});
        return cli::ask_until_known(*runtime_, {organization_, "/internal/api-keys", body, request_key}, [] {
            ADD_FAILURE() << "the owner lives";
            return core::Result<std::string>("");
        });
    };
    auto const id_and_token = [](std::string const& answer) {
        auto const made = core::from_stored_json<api::CreatedKey>(answer);
        return std::pair(made.id, made.key);
    };
    auto const first = id_and_token(ask("a"));
    EXPECT_EQ(id_and_token(ask("a")), first);
    EXPECT_NE(id_and_token(ask("b")), first);
}

TEST_F(OwnerRequestTest, AsksUntilTheOutcomeIsKnown) {
    auto const refused = [](Code code) { return core::Result<std::string>(core::refuse(code, "no")); };
    EXPECT_EQ(told({refused(Code::log_unavailable), refused(Code::idempotency_in_progress),
                    refused(Code::service_unavailable), "done"}),
              "done");
    EXPECT_EQ(told({refused(Code::service_unavailable), refused(Code::not_found)}), "no");
    EXPECT_THAT(told({refused(Code::log_unavailable), refused(Code::not_found)}),
                testing::StartsWith("The outcome is unknown"))
        << "the first try may have done it";
}

/// The one rule of passwords holds for those that the command line gives, too.
TEST_F(OwnerRequestTest, AUserIsSetUpWithNoWeakPassword) {
    api::SetUpUserRequest request;
    request.organizationId = organization_;
    request.user.email = core::Email("ada.byron@example.test");
    request.user.firstName = core::Name("Ada");
    request.user.lastName = core::Name("Byron");
    for (auto const* weak : {"password1234", "Ada.Byron@Example.test"}) {
        request.password = {weak};
        auto const refused = await(api::set_up_user(*runtime_, request));
        ASSERT_FALSE(refused) << weak;
        EXPECT_EQ(refused.error().code, Code::validation_error);
        EXPECT_NE(refused.error().details.find(R"("field":"password")"), std::string::npos);
    }
    request.password = {"correct horse battery staple"};
    EXPECT_TRUE(await(api::set_up_user(*runtime_, request))->passwordIsSet);
}

}  // namespace
}  // namespace workforce::tests
