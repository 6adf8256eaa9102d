// How many look-ups there are of the tokens that requests bring.
#include "api/authentication.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <thread>

#include "tests/support/await.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::api {
namespace {

namespace asio = boost::asio;

TEST(AuthenticatorTest, TokensThatNobodyKnowsShareFewLookUps) {
    tests::TestDatabase const place;
    core::Database database({.connection = {.url = place.url()}, .threads = 1, .queue_limit = 8});
    Authenticator authenticator(database);
    asio::io_context io(1);
    std::promise<void> begun, release;
    auto released = release.get_future().share();
    auto busy = asio::co_spawn(io, database.run([&, released](core::Connection&) {
        begun.set_value();
        released.wait();
    }),
                               asio::use_future);
    std::vector<std::string> headers;
    for (int i = 0; i < 200; ++i) headers.push_back("Bearer " + make_key_secret(events::ApiKeyType::live).token);
    std::vector<std::future<core::Result<std::shared_ptr<Principal const>>>> answers;
    for (auto const& header : headers) {
        for (int twice = 0; twice < 2; ++twice) {
            answers.push_back(asio::co_spawn(io, authenticator.authenticate(header), asio::use_future));
        }
    }
    std::jthread const loop([&io] { io.run(); });
    begun.get_future().wait();
    while (database.stats().waiting == 0) std::this_thread::yield();
    release.set_value();
    busy.get();
    for (auto& each : answers) {
        auto const answer = each.get();
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().code, core::Code::invalid_api_key);
    }
    EXPECT_LE(database.stats().jobs, 5U) << "one statement for all that came while another one was under way";
}

TEST(AuthenticatorTest, AllThatWaitHearThatTheDatabaseIsAway) {
    core::Database database({.connection = {.url = "postgresql://127.0.0.1:1/none"}, .threads = 1});
    Authenticator authenticator(database);
    auto const header = "Bearer " + make_key_secret(events::ApiKeyType::live).token;
    for (int i = 0; i < 3; ++i) {
        EXPECT_THROW(tests::await(authenticator.authenticate(header)), core::DatabaseUnavailable);
    }
}

}  // namespace
}  // namespace workforce::api
