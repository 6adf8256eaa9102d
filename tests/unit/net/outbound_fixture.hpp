// A client whose names resolve as a test says.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "net/http_client.hpp"
#include "tests/unit/net/scripted_server.hpp"

namespace workforce::net {

/// Names and what they resolve to: the first answer to the first look-up, and so on; the last one stays. Thread-safe.
class ScriptedDns {
   public:
    using Addresses = std::vector<std::string>;
    void set(std::string const& host, std::vector<Addresses> answers) {
        std::lock_guard const lock(mutex_);
        answers_[host] = std::move(answers);
    }
    FoundAddresses look_up(std::string const& host) {
        std::lock_guard const lock(mutex_);
        auto const known = answers_.find(host);
        if (known == answers_.end()) return tl::unexpected(std::string("no such name"));
        auto& answers = known->second;
        std::vector<boost::asio::ip::address> found;
        for (auto const& text : answers.front()) found.push_back(boost::asio::ip::make_address(text));
        if (answers.size() > 1) answers.erase(answers.begin());
        return found;
    }

   private:
    std::mutex mutex_;
    std::map<std::string, std::vector<Addresses>> answers_;
};

class OutboundTest : public testing::Test {
   protected:
    using Outcome = tl::expected<Reply, ClientFailure>;

    OutboundTest() {
        dns->set("hooks.example.test", {{"127.0.0.1"}});
        limits.addresses = AddressPolicy::public_or_loopback;
        limits.connect = std::chrono::minutes(1);
        limits.whole = std::chrono::minutes(1);
    }
    ~OutboundTest() override { close(); }

    void open(std::string ca_file = "") {
        close();
        ClientOptions options;
        options.ca_file = std::move(ca_file);
        options.look_up = [d = dns](std::string const& host) { return d->look_up(host); };
        client = std::make_unique<HttpClient>(std::move(options));
    }
    void close() {
        if (client) client->close();
        client.reset();
    }

    static OutboundUrl url(std::string const& text) { return parse_outbound_url(text, true).value(); }
    static OutboundUrl url(ScriptedServer const& server, std::string const& host = "hooks.example.test",
                           std::string const& scheme = "http") {
        return url(scheme + "://" + host + ":" + std::to_string(server.port()) + "/hook?x=1");
    }

    /// Runs to its end what the client does; connections that it keeps stay for the next.
    template <class T>
    T run(boost::asio::awaitable<T> operation) {
        auto result = boost::asio::co_spawn(context, std::move(operation), boost::asio::use_future);
        context.restart();
        context.run();
        return result.get();
    }
    Outcome post(OutboundUrl const& to, std::shared_ptr<ClientStop> stop = nullptr) {
        if (!client) open();
        return run(client->send(to, {"POST", "", {{"X-A", "1"}}, "{}"}, limits, std::move(stop)));
    }
    /// "200 body", or "kind: reason", with "sent" where the other side may have acted.
    static std::string text_of(Outcome const& outcome) {
        static constexpr std::array kKinds = {"dns", "blocked", "connect", "tls", "timeout", "broken", "stopped"};
        if (outcome) return std::to_string(outcome->status) + ' ' + outcome->body;
        return std::string(kKinds.at(static_cast<std::size_t>(outcome.error().kind))) +
               (outcome.error().sent ? ", sent" : "");
    }

    std::shared_ptr<ScriptedDns> const dns = std::make_shared<ScriptedDns>();
    boost::asio::io_context context{1};
    ClientLimits limits;
    std::unique_ptr<HttpClient> client;
};

}  // namespace workforce::net
