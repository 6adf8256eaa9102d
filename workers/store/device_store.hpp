// Devices that wait for a user to type a code (RFC 8628).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "core/database.hpp"
#include "workers/store/oauth_store.hpp"

namespace workforce::workers {

inline constexpr std::chrono::seconds kDeviceLife{900};
inline constexpr int kPollPause = 5;    ///< seconds between polls, and by how much each early one adds
inline constexpr int kMostGuesses = 5;  ///< wrong codes of a user within kGuessWindow
inline constexpr std::chrono::minutes kGuessWindow{10};
inline constexpr int kMostWaiting = 100;  ///< devices of one address that wait for a person

/// A device that asks.
struct NewDevice {
    std::string device_code;
    std::string user_code;  ///< plain, as plain_user_code() has it
    std::string client_id;
    std::string scope;
    std::string resource;
    std::string address;
    std::uint64_t source = 0;  ///< what address limits go by (net::ByteHolder::id)
};

/// What came of keeping one.
enum class Kept : std::uint8_t { kept, code_taken, too_many };

/// What came of a user's decision on one.
enum class Settled : std::uint8_t { settled, waits_no_more, session_ended };

/// One that waits, as whoever typed its code is shown it.
struct WaitingDevice {
    std::string client_id;
    std::string scope;
    std::string address;
    core::Timestamp asked_at;
};

/// The result of a poll.
enum class Polled : std::uint8_t { unknown, mismatch, pending, too_early, expired, denied, replayed, issued };

struct Poll {
    Polled result = Polled::unknown;
    std::optional<IssuedChain> issued{};
    Consent replayed{};
    core::Id chain = 0;
};

/// Thread-safe. Errors of all: core::DatabaseUnavailable, core::DatabaseBusy.
class DeviceStore {
   public:
    /// `writes` has sessions of role workforce_writer.
    explicit DeviceStore(core::Database& writes) : writes_(writes) {}

    /// Keeps a device, unless its user code is another's, or as many wait as may of its source.
    boost::asio::awaitable<Kept> add(NewDevice device);
    /// The device that waits for the code. A wrong one counts as the user's guess; who guessed too often finds nothing.
    boost::asio::awaitable<std::optional<WaitingDevice>> find(std::string user_code, core::Id user);
    /// The user lets it have the scope, or (`consent` without a grant) denies it, by a session that holds.
    boost::asio::awaitable<Settled> settle(std::string user_code, Consent consent, core::Id session);
    /// A poll of the client's device.
    boost::asio::awaitable<Poll> poll(std::string device_code, std::string client_id);

   private:
    core::Database& writes_;
};

/// A user code: eight letters that nobody mistakes for others.
std::string make_user_code();
/// The letters of a code that somebody typed; "" for what is none (domain 16: case, blanks and dashes mean nothing).
std::string plain_user_code(std::string_view typed);
/// As people are shown it: "BCDF-GHJK".
std::string shown_user_code(std::string_view plain);

}  // namespace workforce::workers
