// Names into addresses, on a few threads of its own: the system's resolver blocks.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace workforce::net {

/// The addresses of a name, in the order in which they are to be tried; or why there are none.
using FoundAddresses = tl::expected<std::vector<boost::asio::ip::address>, std::string>;

/// Looks a name up, and may block; called on several threads at once. Must not throw.
using LookUp = std::function<FoundAddresses(std::string const& host)>;

/// As the system resolves it (getaddrinfo): hosts file, DNS, whatever nsswitch.conf has.
FoundAddresses look_up_by_system(std::string const& host);

/// One who waits for a look-up, until `patience` expires or is cancelled; on whose executor all happens.
struct NameWait {
    explicit NameWait(boost::asio::any_io_executor const& executor) : patience(executor) {}
    boost::asio::steady_timer patience;
    std::optional<FoundAddresses> found;
};

/// Looks names up, each once at a time however many ask for it; answers are not kept. Thread-safe.
///
/// A name whose last look-up was slow can have only a quarter of the threads, and one that is new three quarters, so
/// that names which answered quickly never stand behind names that don't.
class NameResolver {
   public:
    struct Limits {
        std::size_t threads = 16;    ///< begun when they are needed; 4 or more
        std::size_t waiting = 1024;  ///< names whose look-up has not begun
        std::chrono::milliseconds slow{1000};
    };

    explicit NameResolver(LookUp look_up) : NameResolver(std::move(look_up), Limits()) {}
    NameResolver(LookUp look_up, Limits limits);
    NameResolver(NameResolver const&) = delete;
    NameResolver& operator=(NameResolver const&) = delete;
    /// As close().
    ~NameResolver();

    /// What the look-up gave; nothing where `wait` ended before. Its executor runs on one thread.
    boost::asio::awaitable<std::optional<FoundAddresses>> resolve(std::string host, std::shared_ptr<NameWait> wait);

    /// From now on nobody's executor is touched, and who waits does so until the end of his patience. Look-ups that
    /// hang go on by themselves, with nothing of this object's owner: an end of the process need not wait for them.
    void close();

   private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

}  // namespace workforce::net
