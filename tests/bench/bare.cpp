// The least a Beast server can do, alone or with one prepared SELECT a request: the yardstick for the service's speed.
#include <fmt/format.h>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <pqxx/pqxx>
#include <string>
#include <thread>
#include <vector>

#include "tests/bench/bench.hpp"

namespace workforce::bench {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);
constexpr std::int64_t kRows = 1000;
constexpr std::string_view kAnswer =
    R"({"id":4711,"title":"Night shift","status":"Open","requiredWorkers":3,"assignedWorkers":1})";
static_assert(kAnswer.size() == 89);

void create_items(std::string const& url) {
    pqxx::connection connection(url);
    pqxx::work tx(connection);
    tx.exec0("DROP TABLE IF EXISTS bench_item");
    tx.exec0("CREATE TABLE bench_item (id bigint PRIMARY KEY, body text NOT NULL)");
    tx.exec0(
        fmt::format("INSERT INTO bench_item SELECT n, '{{\"id\":' || n || ',\"text\":\"' || repeat('x', 580) || '\"}}' "
                    "FROM generate_series(1, {}) AS n",
                    kRows));
    tx.commit();
    pqxx::nontransaction plain(connection);
    plain.exec0("VACUUM ANALYZE bench_item");
}

/// Threads with one connection each, serving one queue. Results go back to the executor of whoever asked.
class Pool {
   public:
    Pool(std::string const& url, unsigned connections) {
        for (unsigned i = 0; i < connections; ++i) threads_.emplace_back([this, url] { work(url); });
    }

    ~Pool() {
        {
            std::lock_guard const lock(mutex_);
            stopping_ = true;
        }
        ready_.notify_all();
        for (auto& thread : threads_) thread.join();
    }

    Pool(Pool const&) = delete;
    Pool& operator=(Pool const&) = delete;

    asio::awaitable<std::string> body_of(std::int64_t id) {
        auto executor = co_await asio::this_coro::executor;
        co_return co_await asio::async_initiate<asio::use_awaitable_t<> const, void(std::string)>(
            [this, id, executor](auto handler) {
                {
                    std::lock_guard const lock(mutex_);
                    jobs_.push_back({id, executor, std::move(handler)});
                }
                ready_.notify_one();
            },
            asio::use_awaitable);
    }

   private:
    struct Job {
        std::int64_t id;
        asio::any_io_executor executor;
        asio::any_completion_handler<void(std::string)> done;
    };

    void work(std::string const& url) {
        pqxx::connection connection(url);
        connection.prepare("item", "SELECT body FROM bench_item WHERE id = $1");
        std::unique_lock lock(mutex_);
        for (;;) {
            ready_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
            if (stopping_) return;
            auto job = std::move(jobs_.front());
            jobs_.pop_front();
            lock.unlock();
            pqxx::nontransaction tx(connection);
            auto const row = tx.exec_prepared1("item", job.id);
            asio::post(job.executor, [done = std::move(job.done), body = row[0].as<std::string>()]() mutable {
                std::move(done)(std::move(body));
            });
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable ready_;
    std::deque<Job> jobs_;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

asio::awaitable<void> session(tcp::socket socket, Pool* pool) {
    boost::beast::flat_buffer buffer;
    std::uint64_t seed = socket.native_handle() * 7919U;
    for (;;) {
        http::request<http::string_body> request;
        auto const [read_error, read] = co_await http::async_read(socket, buffer, request, kNoThrow);
        if (read_error) co_return;
        http::response<http::string_body> response(http::status::ok, request.version());
        response.set(http::field::server, "bare");
        response.set(http::field::content_type, "application/json");
        response.keep_alive(request.keep_alive());
        if (pool != nullptr) {
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            response.body() = co_await pool->body_of(static_cast<std::int64_t>((seed >> 33U) % kRows) + 1);
        } else {
            response.body() = kAnswer;
        }
        response.prepare_payload();
        auto const [write_error, written] = co_await http::async_write(socket, response, kNoThrow);
        if (write_error || !request.keep_alive()) co_return;
    }
}

asio::awaitable<void> listen(tcp::acceptor* acceptor, Pool* pool) {
    for (;;) {
        auto [ec, socket] = co_await acceptor->async_accept(kNoThrow);
        if (ec) co_return;
        socket.set_option(tcp::no_delay(true));
        asio::co_spawn(acceptor->get_executor(), session(std::move(socket), pool), asio::detached);
    }
}

struct BareLoad {
    std::string mode = "handler";
    std::string url;
    unsigned connections = 2;
    std::uint16_t port = 18080;
};

int run_handler(BareLoad const& load) {
    asio::io_context context{1};
    std::unique_ptr<Pool> pool;
    if (load.mode == "select") {
        create_items(load.url);
        pool = std::make_unique<Pool>(load.url, load.connections);
    }
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), load.port});
    asio::co_spawn(context, listen(&acceptor, pool.get()), asio::detached);
    asio::signal_set stop(context, SIGINT, SIGTERM);
    stop.async_wait([&](auto const&...) { context.stop(); });
    context.run();
    pool.reset();
    return 0;
}

}  // namespace

void add_bare(CLI::App& bench, Run& run) {
    auto const load = std::make_shared<BareLoad>();
    auto* command = bench.add_subcommand("bare", "A bare HTTP handler for comparison");
    command->add_option("--mode", load->mode, "handler: a constant answer; select: one row by primary key a request")
        ->check(CLI::IsMember({"handler", "select"}));
    command->add_option("--port", load->port, "Port on 127.0.0.1")->capture_default_str();
    command->add_option("--database-url", load->url, "Where to create table bench_item (mode select)");
    command->add_option("--connections", load->connections, "Database connections")->capture_default_str();
    command->callback([&run, load] { run = [load] { return run_handler(*load); }; });
}

}  // namespace workforce::bench
