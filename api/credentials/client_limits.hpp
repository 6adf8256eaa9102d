// Limits of OAuth clients, and of strangers who ask what clients do.
#pragma once

#include <string>
#include <string_view>

#include "api/credentials/window_counter.hpp"
#include "core/config.hpp"
#include "net/byte_budget.hpp"
#include "operations/oauth/oauth.hpp"

namespace workforce::api {

/// Counts the requests of each client and stranger to this process, a minute each. Thread-safe.
class ClientLimits {
   public:
    explicit ClientLimits(core::Config const& config)
        : config_(config), tokens_(kWindow), states_(kWindow), strangers_(kWindow) {}

    /// Counts what a client asks for; whether it may.
    bool admit(operations::ClientCall what, std::string const& client_id) {
        auto const limit = limit_of(what);
        return limit == 0 || !counter_of(what).take(client_id, limit);
    }
    /// Whether it might. Counts nothing.
    bool has_room(operations::ClientCall what, std::string const& client_id) {
        auto const limit = limit_of(what);
        return limit == 0 || !counter_of(what).exhausted(client_id, limit);
    }
    /// Counts what a stranger asks for at that address; whether they may.
    bool admit_stranger(std::string_view address) {
        auto const limit = config_.address_rate_limit;
        return limit == 0 || !strangers_.take(net::holder_of(address).id, limit);
    }

   private:
    static constexpr std::chrono::seconds kWindow{60};

    [[nodiscard]] std::int64_t limit_of(operations::ClientCall what) const {
        return what == operations::ClientCall::token ? config_.oauth_token_limit : config_.oauth_state_limit;
    }
    WindowCounter<std::string>& counter_of(operations::ClientCall what) {
        return what == operations::ClientCall::token ? tokens_ : states_;
    }

    core::Config const& config_;
    WindowCounter<std::string> tokens_;
    WindowCounter<std::string> states_;
    WindowCounter<decltype(net::ByteHolder::id)> strangers_;
};

}  // namespace workforce::api
