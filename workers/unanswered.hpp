// Why somebody outside gave no answer.
#pragma once

#include <string>
#include <utility>

#include "net/http_client.hpp"

namespace workforce::workers {

/// Why somebody who was asked outside gave no answer to rely on. Whether they acted on it nobody knows.
struct Unanswered {
    std::string reason;      ///< for operators; it names nobody
    bool timed_out = false;  ///< nothing whole came within the time that they had
};

/// The same of a request that failed. Pure.
inline Unanswered unanswered(net::ClientFailure failure) {
    return {std::move(failure.reason), failure.kind == net::ClientFault::timeout};
}

}  // namespace workforce::workers
