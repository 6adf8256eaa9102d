// Requests between the processes of one installation: who may send them, to whom, and that each is taken once.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_set.hpp>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "api/cluster/shared_keys.hpp"
#include "core/fair_queue.hpp"
#include "core/time.hpp"
#include "net/http.hpp"

namespace workforce::api {

/// The field that carries the signature.
inline constexpr std::string_view kInternalField = "Workforce-Internal";

/// How far the clocks of two processes may differ, and how old a request may be.
inline constexpr std::chrono::milliseconds kInternalLife{30'000};

/// Whether a time (milliseconds since 1970, as text) is within kInternalLife of now.
bool is_recent(std::string_view ms);

/// What an internal request says of itself beside its body.
struct InternalHead {
    std::string addressee;  ///< name of the process that is to take it
    core::Lane lane;        ///< whom its body counts for while it is read
};

/// Signs internal requests: HMAC-SHA256 over time, nonce, addressee, lane, method, path and the body's digest, under a
/// key that the processes of one installation share. Thread-safe.
class InternalSigner {
   public:
    explicit InternalSigner(SharedKeys keys) : keys_(std::move(keys)) {}

    /// The header to put on the request.
    [[nodiscard]] net::Header sign(InternalHead const& head, std::string_view method, std::string_view path,
                                   std::string_view body, core::Timestamp now = core::now()) const;

   private:
    SharedKeys keys_;
};

/// Why an internal request is not taken.
enum class InternalFault : std::uint8_t {
    forged,           ///< it is not signed, or not by this installation, or was changed
    other_addressee,  ///< it is for another process, maybe for the one that had this address before
    clocks_differ,    ///< its time is too far from now
    replayed,         ///< it was taken before
};

/// Tells what is signed by this installation for this process. Thread-safe.
class InternalVerifier {
   public:
    /// `self` is this process's name.
    InternalVerifier(SharedKeys keys, std::string self) : keys_(std::move(keys)), self_(std::move(self)) {}

    /// Whom a body counts for that is still to come; nothing where the head is not signed by this installation.
    [[nodiscard]] std::optional<core::Lane> lane(net::Request const& request) const;

    /// Takes a whole request, once. Returns why it is not taken, or nothing.
    std::optional<InternalFault> take(net::Request const& request);

    /// Whether a signature of the release before is seen for the first time, as far back as it holds.
    bool take_once(std::string_view signature);

   private:
    using Nonce = std::array<std::uint64_t, 2>;
    /// Whether the nonce is new. Each is remembered for as long as a request that has it can be recent.
    bool remember(Nonce nonce);

    SharedKeys const keys_;
    std::string const self_;
    std::mutex mutex_;
    std::chrono::steady_clock::time_point turned_ = std::chrono::steady_clock::now();
    boost::unordered_flat_set<Nonce> nonces_, former_;  // of the present and the last period
};

}  // namespace workforce::api
