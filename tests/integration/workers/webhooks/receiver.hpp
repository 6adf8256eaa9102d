// A subscriber's server: it answers by path as a test says, and remembers what it was sent.
#pragma once

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "net/server.hpp"

namespace workforce::tests {

/// What one path was sent and does. `held` answers wait.
struct Endpoint {
    std::vector<net::Request> received;
    unsigned status = 200;
    bool held = false;
    int at_once = 0;
    int most_at_once = 0;
};

/// Thread-safe.
class Receiver {
   public:
    Receiver() : server_(options(), [this](net::Request const& request) { return answer(request); }) {
        server_.start();
    }
    ~Receiver() {
        release_all();
        server_.stop(std::chrono::seconds(10));
    }
    Receiver(Receiver const&) = delete;
    Receiver& operator=(Receiver const&) = delete;

    std::string url(std::string const& path) const {
        return "http://127.0.0.1:" + std::to_string(server_.port()) + path;
    }

    void answer_with(std::string const& path, unsigned status) {
        std::lock_guard const lock(mutex_);
        endpoints_[path].status = status;
    }
    void hold(std::string const& path, bool held = true) {
        std::lock_guard const lock(mutex_);
        endpoints_[path].held = held;
    }
    void release_all() {
        std::lock_guard const lock(mutex_);
        for (auto& [path, endpoint] : endpoints_) endpoint.held = false;
    }
    /// A path as it is now.
    Endpoint at(std::string const& path) {
        std::lock_guard const lock(mutex_);
        return endpoints_[path];
    }
    std::size_t received(std::string const& path) {
        std::lock_guard const lock(mutex_);
        return endpoints_[path].received.size();
    }
    /// How often each event came, wherever.
    std::map<std::string, int> events() {
        std::lock_guard const lock(mutex_);
        std::map<std::string, int> all;
        for (auto const& [path, endpoint] : endpoints_) {
            for (auto const& request : endpoint.received) {
                ++all[path + ' ' + std::string(request.header("webhook-id").value_or("?"))];
            }
        }
        return all;
    }

   private:
    static net::ServerOptions options() {
        net::ServerOptions all;
        all.threads = 1;
        return all;
    }
    boost::asio::awaitable<net::Reply> answer(net::Request const& request) {
        std::string const path(request.path());
        {
            std::lock_guard const lock(mutex_);
            auto& endpoint = endpoints_[path];
            endpoint.received.push_back(request);
            endpoint.most_at_once = std::max(endpoint.most_at_once, ++endpoint.at_once);
        }
        boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
        while (is_held(path)) {
            timer.expires_after(std::chrono::milliseconds(5));
            co_await timer.async_wait(boost::asio::use_awaitable);
        }
        std::lock_guard const lock(mutex_);
        auto& endpoint = endpoints_[path];
        --endpoint.at_once;
        net::Reply reply;
        reply.status = endpoint.status;
        reply.body = "thanks";
        reply.content_type = "text/plain";
        co_return reply;
    }
    bool is_held(std::string const& path) {
        std::lock_guard const lock(mutex_);
        return endpoints_[path].held;
    }

    std::mutex mutex_;
    std::map<std::string, Endpoint> endpoints_;
    net::Server server_;
};

}  // namespace workforce::tests
