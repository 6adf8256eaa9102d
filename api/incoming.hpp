// A request on its way in, and what is noted of it on the way.
#pragma once

#include <string_view>

#include "api/cluster/forwarder.hpp"
#include "api/limits.hpp"
#include "api/versions.hpp"
#include "net/http.hpp"
#include "operations/operation.hpp"

namespace workforce::api {

/// A request to be answered.
struct Incoming {
    net::Request const& request;
    ForwardedFrom from;      ///< its id, and the client's address
    bool forwarded = false;  ///< another process took it in: it counted there, and goes no further
};

/// What an answer needs besides the reply, also where it is a refusal or something was thrown.
struct RequestNotes {
    ServedVersion const* version;                      ///< that the answer is in
    operations::Operation const* operation = nullptr;  ///< of its route; null where there is none
    bool downgraded = false;                           ///< the answer came from another process in that version
    operations::Facts facts{};
    LimitNote limit{};

    [[nodiscard]] std::string_view verb() const { return operation == nullptr ? "" : operation->name; }
    [[nodiscard]] operations::ErrorForm errors() const {
        return operation == nullptr ? operations::ErrorForm::envelope : operation->http.errors;
    }
};

}  // namespace workforce::api
