// Listening, the I/O threads, and the orderly stop.
#include "net/server.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <exception>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "core/allocator.hpp"
#include "net/address_places.hpp"
#include "net/connection.hpp"
#include "net/no_throw.hpp"

namespace workforce::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kAcceptPause{100};  // out of file descriptors: trying at once would only spin

/// Who is at the other end.
struct Peer {
    std::optional<core::IpAddress> address;
    AddressPlaces::Place place;
};

/// Owns the connection in its frame, so that whatever ends the coroutine ends the connection.
asio::awaitable<void> serve(ConnectionSet* set, tcp::socket socket, Peer peer) {
    Connection connection(*set, std::move(socket), peer.address, set->counters.open_connections);
    co_await connection.run();
}

asio::awaitable<void> refuse(ConnectionSet* set, tcp::socket socket, Peer peer) {
    Connection connection(*set, std::move(socket), peer.address, set->counters.refusing_connections);
    co_await connection.refuse();
}

/// Counts one more, unless there are as many as may be.
bool take_place(std::atomic<std::uint64_t>& count, std::size_t limit) {
    if (count.fetch_add(1, std::memory_order_relaxed) < limit) return true;
    count.fetch_sub(1, std::memory_order_relaxed);
    return false;
}

std::string text_of(std::exception_ptr const& error) {
    try {
        std::rethrow_exception(error);
    } catch (std::exception const& e) {
        return e.what();
    } catch (...) {
        return "unknown exception";
    }
}

/// The address, without a port.
tcp::endpoint endpoint_of(ServerOptions const& options) {
    error_code ec;
    auto const address = asio::ip::make_address(options.host, ec);
    if (!ec) return {address, 0};
    asio::io_context context;
    auto const found = tcp::resolver(context).resolve(options.host, "", tcp::resolver::passive, ec);
    if (ec || found.empty()) {
        throw std::runtime_error(fmt::format("{} is no address of this machine: {}", options.host, ec.message()));
    }
    return {found.begin()->endpoint().address(), 0};
}

void listen_on(tcp::acceptor& acceptor, tcp::endpoint const& endpoint, bool shared) {
    acceptor.open(endpoint.protocol());
    acceptor.set_option(tcp::acceptor::reuse_address(true));
    int const on = 1;
    if (shared && ::setsockopt(acceptor.native_handle(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0) {
        throw boost::system::system_error(errno, boost::system::system_category());
    }
    acceptor.bind(endpoint);
    acceptor.listen(asio::socket_base::max_listen_connections);
}

std::runtime_error listen_error(std::string const& host, ServerPort const& port, error_code ec) {
    auto const where = fmt::format("port {} on {}", port.number, host);
    auto const hint = fmt::format("(choose another with {})", port.option);
    if (ec == asio::error::address_in_use) return std::runtime_error(fmt::format("{} is in use {}", where, hint));
    if (ec == asio::error::access_denied) {
        return std::runtime_error(fmt::format("{} is not for this user to open {}", where, hint));
    }
    return std::runtime_error(fmt::format("{} cannot be opened: {}", where, ec.message()));
}

/// Often enough for the shortest time-out, seldom enough to cost nothing.
milliseconds sweep_period(ServerTimeouts const& t) {
    return std::clamp(std::min({t.idle, t.head, t.body, t.body_window, t.write, t.heartbeat, t.linger}) / 4,
                      milliseconds(5), milliseconds(1000));
}

}  // namespace

class IoThread {
   public:
    IoThread(ServerOptions const& options, RequestHandler const& handler, ServerCounters& counters, ByteBudget& bodies,
             AddressPlaces& places)
        : set_{.options = options,
               .handler = handler,
               .counters = counters,
               .bodies = bodies,
               .on_drained = [this] { context_.stop(); }},
          places_(places),
          period_(sweep_period(options.timeouts)) {}

    /// Connections that the context still holds end with it, when there is nothing left to stop.
    ~IoThread() {
        set_.on_drained = [] {};
    }

    asio::io_context& context() { return context_; }

    /// Gives the port. Throws boost::system::system_error.
    std::uint16_t listen(tcp::endpoint const& endpoint, bool shared) {
        auto& acceptor = acceptors_.emplace_back(context_);
        listen_on(acceptor, endpoint, shared);
        return acceptor.local_endpoint().port();
    }

    void start() {
        for (auto& acceptor : acceptors_) {
            asio::co_spawn(context_, accept(acceptor), [this](std::exception_ptr const& error) {
                if (error) report("accepting connections ended: " + text_of(error));
            });
        }
        sweep();
        thread_ = std::thread([this] { run(); });
    }

    void begin_stop(milliseconds grace) {
        if (!thread_.joinable()) return;
        asio::post(context_, [this, grace] { stop_accepting(grace); });
    }

    void join() {
        if (thread_.joinable()) thread_.join();
    }

   private:
    void run() {
        while (!context_.stopped()) {
            try {
                context_.run();
            } catch (...) {
                report("an I/O thread caught: " + text_of(std::current_exception()));
            }
        }
    }

    void report(std::string text) const {
        if (set_.options.on_error) set_.options.on_error(std::move(text));
    }

    asio::awaitable<void> accept(tcp::acceptor& acceptor) {
        asio::steady_timer pause(context_);
        bool in_trouble = false;
        while (acceptor.is_open()) {
            auto [ec, socket] = co_await acceptor.async_accept(kNoThrow);
            if (!ec) {
                in_trouble = false;
                admit(std::move(socket));
            } else if (acceptor.is_open() && ec != asio::error::connection_aborted) {
                if (!in_trouble) report("a connection could not be accepted: " + ec.message());
                in_trouble = true;
                pause.expires_after(kAcceptPause);
                co_await pause.async_wait(kNoThrow);
            }
        }
    }

    void admit(tcp::socket socket) {
        auto& counters = set_.counters;
        Peer peer{peer_of(socket), {}};
        if (peer.address && !set_.options.trusted_proxies.contains(*peer.address)) {
            auto place = places_.take(core::to_string(*peer.address));
            if (!place) {
                counters.refused_of_address.fetch_add(1, std::memory_order_relaxed);
                return;
            }
            peer.place = *std::move(place);
        }
        if (take_place(counters.open_connections, set_.options.max_connections)) {
            counters.accepted_connections.fetch_add(1, std::memory_order_relaxed);
            spawn(serve(&set_, std::move(socket), std::move(peer)));
            return;
        }
        counters.refused_connections.fetch_add(1, std::memory_order_relaxed);
        if (take_place(counters.refusing_connections, set_.options.max_refusals)) {
            spawn(refuse(&set_, std::move(socket), std::move(peer)));
        }
    }

    void spawn(asio::awaitable<void> connection) {
        asio::co_spawn(context_, std::move(connection), [this](std::exception_ptr const& error) {
            if (error) report("a connection was closed: its handler threw: " + text_of(error));
        });
    }

    void sweep() {
        sweep_.expires_after(period_);
        sweep_.async_wait([this](error_code ec) {
            if (ec) return;
            auto const now = Connection::Clock::now();
            for (auto* connection : set_.members) connection->expire(now);
            release_memory();
            sweep();
        });
    }

    /// Gives back what requests left behind, once there were none for a while.
    void release_memory() {
        auto const requests = set_.counters.requests.load(std::memory_order_relaxed);
        bool const quiet = requests == std::exchange(requests_seen_, requests);
        if (!quiet || requests == std::exchange(requests_released_, requests)) return;
        core::release_unused_memory();
    }

    void stop_accepting(milliseconds grace) {
        set_.stopping = true;
        error_code ignored;
        for (auto& acceptor : acceptors_) acceptor.close(ignored);
        if (set_.members.empty()) return context_.stop();
        for (auto* connection : set_.members) connection->begin_stop();
        grace_.expires_after(grace);
        grace_.async_wait([this](error_code ec) {
            if (ec) return;
            for (auto* connection : set_.members) connection->cut();
            asio::post(context_, [this] { context_.stop(); });  // after the coroutines that the cut ends
        });
    }

    ConnectionSet set_;  // before the context, whose end destroys the connections that are left
    AddressPlaces& places_;
    milliseconds period_;
    std::uint64_t requests_seen_ = 0;      // of all threads, at the last sweep
    std::uint64_t requests_released_ = 0;  // when memory was given back
    asio::io_context context_{1};
    std::deque<tcp::acceptor> acceptors_;
    asio::steady_timer sweep_{context_};
    asio::steady_timer grace_{context_};
    std::thread thread_;
};

Server::Server(ServerOptions options, RequestHandler handler)
    : options_(std::move(options)),
      handler_(std::move(handler)),
      bodies_(options_.bodies),
      places_(options_.connections_per_address) {
    for (std::size_t i = 0; i < std::max<std::size_t>(options_.threads, 1); ++i) {
        threads_.push_back(std::make_unique<IoThread>(options_, handler_, counters_, bodies_, places_));
    }
}

Server::~Server() { stop(milliseconds(0)); }

asio::any_io_executor Server::executor(std::size_t index) { return threads_.at(index)->context().get_executor(); }

void Server::listen() {
    auto endpoint = endpoint_of(options_);
    bool const shared = threads_.size() > 1;
    for (auto const& port : options_.ports) {
        endpoint.port(port.number);
        try {
            if (shared && port.number != 0) {
                // Sockets that share a port also share it with another process of this user: ask for it alone first.
                tcp::acceptor alone(threads_.front()->context());
                listen_on(alone, endpoint, false);
            }
            for (auto& thread : threads_) endpoint.port(thread->listen(endpoint, shared));
        } catch (boost::system::system_error const& error) {
            throw listen_error(options_.host, port, error.code());
        }
        ports_.push_back(endpoint.port());
    }
}

void Server::start() {
    if (ports_.empty()) listen();
    for (auto& thread : threads_) thread->start();
}

void Server::stop(milliseconds grace) {
    for (auto& thread : threads_) thread->begin_stop(grace);
    for (auto& thread : threads_) thread->join();
}

}  // namespace workforce::net
