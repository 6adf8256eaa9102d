// Threads that are begun when they are needed, and three queues.
#include "net/name_resolver.hpp"

#include <netdb.h>

#include <algorithm>
#include <array>
#include <bit>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <numeric>
#include <system_error>
#include <thread>
#include <unordered_map>

#include "net/no_throw.hpp"
#include "net/recent_map.hpp"

namespace workforce::net {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kRememberedNames = 4096;

/// How long the last look-up of a name took.
enum class Pace : std::uint8_t { quick, unknown, slow };
constexpr std::size_t kPaces = 3;

constexpr std::size_t index_of(Pace pace) { return static_cast<std::size_t>(pace); }

}  // namespace

/// What threads and resolver share, so that a look-up that hangs keeps nobody.
struct NameResolver::Shared {
    struct Pending {
        std::vector<std::weak_ptr<NameWait>> waits;
        Pace pace = Pace::unknown;
    };

    Shared(LookUp l, Limits m) : look_up(std::move(l)), limits(m) {}

    /// Why the name is not looked up; nothing: it will be.
    std::optional<std::string> add(std::string const& host, std::shared_ptr<NameWait> const& wait);
    /// The next name whose turn it is; nothing where there is none that may have a thread now.
    std::optional<std::string> next();
    /// Tells all who wait.
    void deliver(std::string const& host, FoundAddresses const& found);
    /// Whether more names wait than threads are free for them.
    [[nodiscard]] bool needs_thread() const;
    /// What each thread does.
    void serve();

    LookUp const look_up;
    Limits const limits;
    std::mutex mutex;  // guards what follows, and each post to who waits
    std::condition_variable arrived;
    std::unordered_map<std::string, Pending> pending;  // those that wait, and those that are looked up
    std::array<std::deque<std::string>, kPaces> queues;
    std::array<std::size_t, kPaces> running{};
    RecentMap<Pace> paces{kRememberedNames};
    std::size_t threads = 0;
    bool closed = false;
};

std::optional<std::string> NameResolver::Shared::add(std::string const& host, std::shared_ptr<NameWait> const& wait) {
    if (closed) return "the client is closed";
    if (auto const known = pending.find(host); known != pending.end()) {
        auto& waits = known->second.waits;
        // Each time they doubled, those who gave up are forgotten.
        if (std::has_single_bit(waits.size())) std::erase_if(waits, [](auto const& other) { return other.expired(); });
        waits.push_back(wait);
        return std::nullopt;
    }
    auto const* const known = paces.find(host);
    auto const pace = known != nullptr ? *known : Pace::unknown;
    auto& queue = queues[index_of(pace)];
    if (queue.size() >= limits.waiting) return "too many names wait to be resolved";
    pending.emplace(host, Pending{{wait}, pace});
    queue.push_back(host);
    return std::nullopt;
}

std::optional<std::string> NameResolver::Shared::next() {
    auto const slow = running[index_of(Pace::slow)];
    auto const not_quick = slow + running[index_of(Pace::unknown)];
    auto const may_run = [&](Pace pace) {
        if (pace == Pace::slow && slow >= limits.threads / 4) return false;
        return pace == Pace::quick || not_quick < limits.threads * 3 / 4;
    };
    for (auto const pace : {Pace::quick, Pace::unknown, Pace::slow}) {
        auto& queue = queues[index_of(pace)];
        while (!queue.empty() && may_run(pace)) {
            auto host = std::move(queue.front());
            queue.pop_front();
            auto const& waits = pending[host].waits;
            if (std::any_of(waits.begin(), waits.end(), [](auto const& wait) { return !wait.expired(); })) return host;
            pending.erase(host);
        }
    }
    return std::nullopt;
}

void NameResolver::Shared::deliver(std::string const& host, FoundAddresses const& found) {
    auto const done = pending.extract(host);
    if (closed || done.empty()) return;
    for (auto const& one : done.mapped().waits) {
        auto const wait = one.lock();
        if (!wait) continue;
        asio::post(wait->patience.get_executor(), [wait, found] {
            wait->found = found;
            wait->patience.cancel();
        });
    }
}

bool NameResolver::Shared::needs_thread() const {
    std::size_t waiting = 0;
    for (auto const& queue : queues) waiting += queue.size();
    auto const busy = std::accumulate(running.begin(), running.end(), std::size_t{0});
    return threads < limits.threads && waiting > threads - busy;
}

void NameResolver::Shared::serve() {
    std::unique_lock lock(mutex);
    while (true) {
        std::optional<std::string> host;
        arrived.wait(lock, [&] { return closed || (host = next()).has_value(); });
        if (closed) return;
        auto const pace = pending[*host].pace;
        ++running[index_of(pace)];
        lock.unlock();
        auto const begun = std::chrono::steady_clock::now();
        auto const found = look_up(*host);
        bool const was_slow = std::chrono::steady_clock::now() - begun >= limits.slow;
        lock.lock();
        --running[index_of(pace)];
        paces.put(*host, was_slow ? Pace::slow : Pace::quick);
        deliver(*host, found);
    }
}

NameResolver::NameResolver(LookUp look_up, Limits limits)
    : shared_(std::make_shared<Shared>(std::move(look_up), limits)) {}

NameResolver::~NameResolver() { close(); }

asio::awaitable<std::optional<FoundAddresses>> NameResolver::resolve(std::string host, std::shared_ptr<NameWait> wait) {
    {
        std::lock_guard const lock(shared_->mutex);
        if (auto refusal = shared_->add(host, wait)) co_return tl::unexpected(*std::move(refusal));
        if (shared_->needs_thread()) {
            try {
                // Detached, for a look-up can hang for a minute: what the thread uses is its own.
                std::thread([shared = shared_] { shared->serve(); }).detach();
                ++shared_->threads;
            } catch (std::system_error const&) {
                if (shared_->threads == 0) co_return tl::unexpected(std::string("no thread to resolve names"));
            }
        }
    }
    shared_->arrived.notify_one();
    co_await wait->patience.async_wait(kNoThrow);
    co_return std::move(wait->found);
}

void NameResolver::close() {
    {
        std::lock_guard const lock(shared_->mutex);
        shared_->closed = true;
    }
    shared_->arrived.notify_all();
}

FoundAddresses look_up_by_system(std::string const& host) {
    ::addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    ::addrinfo* list = nullptr;
    int const code = ::getaddrinfo(host.c_str(), nullptr, &hints, &list);
    if (code == EAI_SYSTEM) return tl::unexpected(std::system_category().message(errno));
    if (code != 0) return tl::unexpected(std::string(::gai_strerror(code)));
    std::unique_ptr<::addrinfo, decltype(&::freeaddrinfo)> const owned(list, &::freeaddrinfo);
    std::vector<asio::ip::address> addresses;
    for (auto const* entry = list; entry != nullptr; entry = entry->ai_next) {
        asio::ip::tcp::endpoint endpoint;
        if (entry->ai_addrlen > endpoint.capacity()) continue;
        std::memcpy(endpoint.data(), entry->ai_addr, entry->ai_addrlen);
        endpoint.resize(entry->ai_addrlen);
        addresses.push_back(endpoint.address());
    }
    return addresses;
}

}  // namespace workforce::net
