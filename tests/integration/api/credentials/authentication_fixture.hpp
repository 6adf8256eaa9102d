// An authenticator over a real log's read models and a pool of one thread, and credentials to ask it with.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "api/credentials/authentication.hpp"
#include "core/database.hpp"
#include "events/key_secret.hpp"
#include "tests/integration/projections/fixture.hpp"
#include "tests/support/busy_thread.hpp"

namespace workforce::tests {

/// A pool of one thread, as the role that row-level security holds for, and what is asked while that thread is busy.
class AuthenticatorTest : public ProjectionsTest {
   protected:
    using Outcome = core::Result<std::shared_ptr<operations::Caller const>>;

    static constexpr std::size_t kCredentialBytes = 1 << 20;

    /// The header of a new token, which `key` of the organization has; 0: nobody. `id` names its secret.
    std::string header(core::Id organization, core::Id key, std::string const& id = "") {
        auto const secret = events::make_key_secret(events::ApiKeyType::live);
        if (key != 0) {
            static constexpr core::Statement kStore{
                "test_store_secret",
                "INSERT INTO auth.api_key_secret (digest, key_id, organization_id, secret_id) VALUES ($1, $2, $3, $4)"};
            core::Connection({.url = database_.url()})
                .execute(kStore, core::Bytes{secret.digest}, key, organization, id);
        }
        return "Bearer " + secret.token;
    }

    void add(core::Id organization, events::Kind kind, core::Id id, events::AnyEvent const& data) {
        writer_.meta.organization = organization;
        writer_.add(kind, id, data);
    }

    /// What each of the headers gives when all come at once.
    std::vector<Outcome> authenticate(std::vector<std::string> const& headers) {
        boost::asio::io_context io(1);
        BusyThread busy(pool_, io);
        std::vector<std::future<Outcome>> answers;
        for (auto const& each : headers) {
            answers.push_back(boost::asio::co_spawn(io, authenticator_.authenticate({.authorization = each}),
                                                    boost::asio::use_future));
        }
        std::jthread const loop([&io] { io.run(); });
        busy.await_begun();
        while (pool_.stats().waiting < std::min(headers.size(), api::kKeySessions))
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        busy.release();
        std::vector<Outcome> outcomes;
        for (auto& each : answers) outcomes.push_back(each.get());
        return outcomes;
    }

    EventWriter writer_{*log_, keyring_, 0};
    core::Database pool_{{.connection = {.url = database_.url(), .role = "workforce_operator"}, .threads = 1}};
    api::Authenticator authenticator_{pool_, pool_, kCredentialBytes};
};

}  // namespace workforce::tests
