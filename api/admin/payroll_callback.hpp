// Takes the reports of the payroll provider, on the admin listener.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>
#include <string_view>

#include "core/database.hpp"
#include "core/result.hpp"
#include "net/http.hpp"

namespace workforce::api {

inline constexpr std::string_view kPayrollCallbackPath = "/internal/payroll/callback";
/// The most bytes of its body: what of strangers' bodies is held at a time, for only the whole of one shows whose it
/// is. A provider that has more to tell calls more than once.
inline constexpr std::uint64_t kMaxPayrollCallback = 384 << 10;

/// Keeps a report that is signed with the secret (Standard Webhooks), for the payroll engine to apply. One whose id
/// came before changes nothing. Errors: UNAUTHENTICATED for a signature that is forged or more than five minutes off,
/// VALIDATION_ERROR; NOT_FOUND where the secret is empty: nobody calls back; SERVICE_UNAVAILABLE where it can't be
/// kept.
boost::asio::awaitable<core::Result<std::string>> take_payroll_report(core::Database& writes, std::string_view secret,
                                                                      net::Request const& request);

}  // namespace workforce::api
