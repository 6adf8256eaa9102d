// Tokens by which calendar programs, which send no headers, read one person's shifts: beside the log, as SHA-256.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/database.hpp"

namespace workforce::workers {

/// The person whose calendar a token opens, and how far.
struct CalendarOwner {
    core::Id organization = 0;
    bool sandbox = false;
    core::Id staff = 0;
    std::vector<core::Id> facilities{};  ///< whose shifts it shows; empty: the person's shifts anywhere
};

/// Thread-safe. Errors of all: core::DatabaseUnavailable, core::DatabaseBusy.
class CalendarTokens {
   public:
    /// `writes` has sessions of role workforce_writer, which strangers can make many wait for.
    explicit CalendarTokens(core::Database& writes) : writes_(writes) {}

    /// A new token, in the place of the person's former one; nothing where the person was erased.
    boost::asio::awaitable<std::optional<std::string>> make(CalendarOwner owner);
    /// The person has no token any more.
    boost::asio::awaitable<void> remove(CalendarOwner owner);
    /// Whose the token is; nothing for any other text.
    boost::asio::awaitable<std::optional<CalendarOwner>> find(std::string token);

   private:
    core::Database& writes_;
};

}  // namespace workforce::workers
