// What processes of the installation send each other: made-up headers are refused, altered requests too, and whatever a
// call's text is, it is read or refused.
#include <string>

#include "api/cluster/call_message.hpp"
#include "api/cluster/forwarder.hpp"
#include "api/cluster/internal_requests.hpp"
#include "api/cluster/internal_signature.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {

/// Lines: method, target, the hop's header as somebody else would write it, fields `name:value`, an empty line, the
/// body.
void fuzz(std::string_view input) {
    static api::HopSigner const signer("a key of the installation");
    net::Request request;
    request.method_name = take_until(input, '\n');
    request.target = take_until(input, '\n');
    std::string const forged(take_until(input, '\n'));
    for (auto line = take_until(input, '\n'); !line.empty(); line = take_until(input, '\n')) {
        std::string const name(take_until(line, ':'));
        request.headers.emplace_back(name, line);
    }
    request.body = input;
    if (request.header("Workforce-Forwarded")) return;

    auto signed_request = request;
    signed_request.headers.push_back(signer.sign(request, {"req_1", "192.0.2.7"}));
    auto const from = signer.verify(signed_request);
    require(from && *from && (*from)->request_id == "req_1" && (*from)->client_address == "192.0.2.7",
            "a hop is known");
    signed_request.body += 'x';
    require(!signer.verify(signed_request), "a hop is of its own request");
    require(!api::HopSigner("another key").verify(signed_request), "a hop is of its own installation");
    require(signer.verify(request).has_value() && !*signer.verify(request), "no header, no hop");
    request.headers.emplace_back("workforce-forwarded", forged);
    require(!signer.verify(request), "nobody guesses a hop");

    require(!api::is_signed_internal("key", forged, request.target, request.body), "nobody guesses a signature");
    auto const signature = api::sign_internal("key", request.target, request.body);
    require(api::is_signed_internal("key", signature, request.target, request.body), "a signature is known");
    require(!api::is_signed_internal("key", signature, request.target + 'x', request.body), "and of its own request");
    (void)api::is_recent(forged);

    static api::InternalVerifier verifier("a key of the installation", "host:1-a");
    request.headers = {{std::string(api::kInternalField), forged}};
    require(verifier.take(request) == api::InternalFault::forged, "nobody guesses an internal request");
    require(!verifier.lane(request), "nor whose it is");
    if (auto const call = api::read_call(input)) {
        auto const again = api::read_call(api::write_call(call->first, call->second));
        require(again && again->second == call->second, "a call is read as it was written");
        (void)api::cause_of(call->first);
    }
    net::Reply reply;
    reply.body = input;
    (void)api::read_reply(reply);
}

}  // namespace workforce::tests
