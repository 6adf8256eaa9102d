// Places of open streams: by credential, and of the process.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "api/fair_share.hpp"
#include "core/config.hpp"
#include "core/result.hpp"
#include "net/stream.hpp"
#include "operations/caller.hpp"

namespace workforce::api {

/// Thread-safe. It outlives the connections that its places go to.
class StreamPlaces {
   public:
    explicit StreamPlaces(core::Config const& config)
        : places_(static_cast<std::size_t>(config.credential_streams), static_cast<std::size_t>(config.streams)) {}

    /// Takes a place for the stream until its end; without a caller all share the places of one. Errors: RATE_LIMITED
    /// where the credential has as many as it may, SERVICE_UNAVAILABLE where the process has.
    core::Result<void> take(net::StreamBody& stream, operations::Caller const* caller) {
        Holder holder{};
        if (caller != nullptr) holder = {caller->credential_type, caller->credential_id};
        auto place = places_.enter(holder);
        if (place) {
            stream.place = std::make_shared<FairShare<Holder>::Place>(*std::move(place));
            return {};
        }
        if (place.error() == Full::holder)
            return core::refuse(core::Code::rate_limited, "The credential has as many streams open as it may.");
        return core::refuse(core::Code::service_unavailable, "The process has as many streams open as it may.");
    }

    /// Refused since the start.
    [[nodiscard]] std::size_t refused() const { return places_.refused(); }
    /// Open now.
    [[nodiscard]] std::size_t used() const { return places_.used(); }

   private:
    using Holder = std::pair<events::ActorType, core::Id>;
    FairShare<Holder> places_;
};

}  // namespace workforce::api
