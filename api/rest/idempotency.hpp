// What makes a retry recognisable (spec 2.10, domain 5). Answers of the last 24 hours lie in the log under these
// digests: they stay what they are, byte for byte. (Keys in quotes with escapes had others until those were read.)
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "commands/engine/submission.hpp"
#include "net/http.hpp"

namespace workforce::api {

/// The purpose of the key of these digests, for MasterKeys::kept().
inline constexpr std::string_view kIdempotencyPurpose = "idempotency";

/// Whose key it is: the same key of another credential, or in the sandbox, is another one.
struct KeySpace {
    std::string lineage;  ///< Caller::lineage()
    bool sandbox = false;
};

/// The client's idempotency key and the request's fingerprint, as digests keyed with `secret`: a plain one of a
/// telephone number can be found by trying all numbers, by whoever reads the log, also after the person was erased.
/// The key is the header's text, or what a structured field's string there holds.
/// Nothing for a request without the header, or of a method that has no use for it.
/// Errors: VALIDATION_ERROR for a key that is empty or longer than 255 characters.
core::Result<std::optional<commands::Idempotency>> idempotency_of(net::Request const& request, KeySpace const& space,
                                                                  std::string_view secret);
/// The same of a key that came otherwise; `request` is what a retry repeats.
core::Result<std::optional<commands::Idempotency>> idempotency_of(std::string_view told_key, std::string_view request,
                                                                  KeySpace const& space, std::string_view secret);

}  // namespace workforce::api
