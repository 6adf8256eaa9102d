// A whole process: what keeps it from starting, and what an end that was not asked for leaves.
#include "cli/node.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "api/admin/administration.hpp"
#include "core/crypto.hpp"
#include "net/http_client.hpp"
#include "tests/support/await.hpp"
#include "tests/support/memory_keyring.hpp"
#include "tests/support/test_database.hpp"
#include "workers/mail/outbox.hpp"

namespace workforce::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using workers::Role;

class NodeTest : public testing::Test {
   protected:
    NodeTest() {
        auto const key = testing::TempDir() + "/" + database_.name() + ".key";
        std::ofstream(key) << core::hex_encode(core::random_bytes(32)) << '\n';
        std::filesystem::permissions(key, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
        config_.database_url = database_.url();
        config_.master_key_file = key;
        config_.port = config_.mcp_port = config_.admin_port = 0;
        config_.http_threads = 1;
        config_.admin_url = "http://127.0.0.1:8090";
        workers::migrate(config_);
    }
    void TearDown() override { std::filesystem::remove(config_.master_key_file); }

    std::string processes() {
        return database_.ask("SELECT coalesce(string_agg(role, ' ' ORDER BY role), '') FROM ops.process");
    }
    void announce(std::string const& role, std::string const& life) {
        database_.query("INSERT INTO ops.process VALUES ('other', '" + role +
                        "', 'http://there', now(), now() + interval '" + life + "')");
    }
    /// What start() throws.
    static std::string refusal_of(cli::Node& node) {
        try {
            node.start();
            return {};
        } catch (std::runtime_error const& error) {
            return error.what();
        }
    }

    TestDatabase database_;
    core::Config config_;
};

TEST_F(NodeTest, AnEndWithoutAStopIsOrderlyToo) {
    for (auto const role : {Role::serve, Role::api, Role::workers}) {
        {
            cli::Node node(config_, role);
            node.start();
            EXPECT_EQ(processes(), core::enum_name(role));
        }
        EXPECT_EQ(processes(), "");
        {
            cli::Node const never_started(config_, role);
        }
    }
}

std::uint16_t free_port() {
    boost::asio::io_context context;
    return boost::asio::ip::tcp::acceptor(context, {boost::asio::ip::address_v4::loopback(), 0})
        .local_endpoint()
        .port();
}

/// Status and text of /readyz.
std::string readiness_at(std::uint16_t port) {
    net::HttpClient client;
    auto const ask = [&]() -> boost::asio::awaitable<std::string> {
        auto const reply = co_await client.send("http://127.0.0.1:" + std::to_string(port), {"GET", "/readyz", {}, {}},
                                                net::within_installation(std::chrono::seconds(10)));
        client.close();
        co_return reply ? std::to_string(reply->status) + " " + reply->body.substr(0, reply->body.find(','))
                        : reply.error().reason;
    };
    return await(ask());
}

TEST_F(NodeTest, IsReadyFromItsStartsEndToTheStopsAnnouncement) {
    config_.admin_port = free_port();
    cli::Node node(config_, Role::serve);
    node.start();
    EXPECT_EQ(readiness_at(config_.admin_port), R"(503 {"status":"starting")") << "signals are not awaited yet";
    node.announce_start();
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    std::string told;
    while ((told = readiness_at(config_.admin_port)) != R"(200 {"status":"ok")" &&
           std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_EQ(told, R"(200 {"status":"ok")");
    node.announce_stop();
    EXPECT_EQ(readiness_at(config_.admin_port), R"(503 {"status":"stopping")");
}

TEST_F(NodeTest, APortInUseIsOneLineAndLeavesNothing) {
    boost::asio::io_context context;
    boost::asio::ip::tcp::acceptor const taken(context, {boost::asio::ip::address_v4::loopback(), 0});
    for (auto* port : {&config_.mcp_port, &config_.admin_port}) {
        *port = taken.local_endpoint().port();
        cli::Node node(config_, Role::serve);
        EXPECT_THAT(refusal_of(node), HasSubstr("is in use"));
        EXPECT_EQ(processes(), "");
        *port = 0;
    }
}

TEST_F(NodeTest, ServeAndTheOthersKeepEachOtherOut) {
    announce("workers", "1 hour");
    cli::Node serve(config_, Role::serve);
    EXPECT_THAT(refusal_of(serve),
                AllOf(HasSubstr("`serve` does not run beside `workers`"), HasSubstr("http://there")));
    EXPECT_EQ(processes(), "workers");
    database_.query("UPDATE ops.process SET role = 'serve'");
    cli::Node workers(config_, Role::workers);
    EXPECT_THAT(refusal_of(workers), HasSubstr("`workers` does not run beside `serve`"));
}

TEST_F(NodeTest, ServeKeepsItsLikeOut) {
    cli::Node first(config_, Role::serve);
    first.start();
    auto const place = [&] {
        return database_.query("SELECT string_agg(DISTINCT owner, ' ') FROM ops.lease")[0][0].as<std::string>();
    };
    auto const holder = place();
    EXPECT_NE(holder, "");
    cli::Node second(config_, Role::serve);
    EXPECT_THAT(refusal_of(second), AllOf(HasSubstr("`serve` does not run beside `serve`"), HasSubstr(holder)));
    EXPECT_EQ(place(), holder);
    first.stop();
    cli::Node third(config_, Role::serve);
    EXPECT_EQ(refusal_of(third), "");
}

TEST_F(NodeTest, AKilledOneIsWaitedFor) {
    announce("api", "1 second");
    cli::Node serve(config_, Role::serve);
    EXPECT_EQ(refusal_of(serve), "");
    EXPECT_EQ(processes(), "api serve");
}

/// A reactor of the test's own whose work is to make a facility. Its first try ends between the effect and its record.
struct FacilityMaker {
    static inline int tries = 0;
    static inline std::vector<std::string> answers;

    static workers::ReactorType type() {
        static workers::WorkTable const work("facility_maker", "facility_maker_work");
        return {.name = "facility_maker", .work = &work, .perform = perform};
    }
    static void perform(std::span<pqxx::row const> rows, workers::Effects const& effects) {
        auto const& row = rows.front();
        auto const answer = effects.submit({.verb = "facilities.create",
                                            .organization = core::read<core::Id>(row["organization_id"]),
                                            .body = R"({"name":"North"})",
                                            .key = "facility_maker/" + core::read<std::string>(row["id"])});
        if (!answer) throw std::runtime_error(answer.error().message);
        answers.push_back(answer->body);
        if (++tries == 1) throw std::runtime_error("killed");
    }
};

TEST_F(NodeTest, AReactorOfAProcessThatWritesNothingAsksTheOwnerOnce) {
    core::Id organization = 0;
    {
        workers::Runtime runtime(config_);
        events::OrganizationDetails details;
        details.name = core::Name("Customer");
        organization = await(api::create_organization(runtime, details))->id;
        runtime.stop();
    }
    core::Connection owner({.url = database_.url()});
    owner.execute_sql("CREATE TABLE reactor.facility_maker_work (LIKE reactor.shift_mail_work INCLUDING ALL)");
    owner.execute_sql("GRANT ALL ON reactor.facility_maker_work TO workforce_writer");
    owner.execute_sql("INSERT INTO reactor.facility_maker_work VALUES (gen_random_uuid(), 0, 0, " +
                      std::to_string(organization) + ", 0, '')");
    config_.admin_port = free_port();
    config_.admin_url = "http://127.0.0.1:" + std::to_string(config_.admin_port);
    cli::Node api(config_, Role::api);
    api.start();
    config_.admin_port = free_port();
    config_.admin_url = "http://127.0.0.1:" + std::to_string(config_.admin_port);
    cli::Node workers(config_, Role::workers);
    workers.start();

    core::SessionPool sessions(workers::reactor_session({.url = database_.url()}), 1);
    MemoryKeyring keyring;
    workers::Outbox mailer(sessions, keyring);
    workers::Effects const effects{keyring, mailer, [&](auto request) { return workers.submit(std::move(request)); }};
    std::array const types{FacilityMaker::type()};
    int done = 0;
    for (auto const deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
         done == 0 && std::chrono::steady_clock::now() < deadline;) {
        done = workers::work_off(sessions, effects, {}, types);
        owner.execute_sql("UPDATE reactor.facility_maker_work SET due_at = now()");
    }
    EXPECT_EQ(done, 1);
    ASSERT_EQ(FacilityMaker::answers.size(), 2U);
    EXPECT_EQ(FacilityMaker::answers[0], FacilityMaker::answers[1]) << "the second try is told the first one's answer";
    EXPECT_THAT(FacilityMaker::answers[0], HasSubstr(R"("name":"North")"));
}

}  // namespace
}  // namespace workforce::tests
