// What clients and strangers send to the authorization server: addresses, metadata, codes that people type, tokens.
#include <string>

#include "api/credentials/access_tokens.hpp"
#include "operations/oauth/client_metadata.hpp"
#include "operations/oauth/redirect_uri.hpp"
#include "operations/oauth/scope_words.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "workers/store/device_store.hpp"

namespace workforce::tests {
namespace {

void try_address(std::string const& uri) {
    if (operations::fault_of_redirect_uri(uri)) return;
    require(uri.size() <= 2048 && uri.find('#') == std::string::npos, "an address has no fragment");
    for (unsigned char const c : uri) require(c > 0x20 && c < 0x7f, "no line ends within a header");
    require(operations::is_same_redirect(uri, uri), "an address is itself");
    require(!operations::is_same_redirect(uri, uri + "x") || uri.starts_with("http://"), "and no other");
    auto const sent = operations::with_query(uri, "code=x");
    require(sent.starts_with(uri) && sent.ends_with("code=x"), "what is added is a query");
    auto const source = operations::form_source(uri);
    require(!source.empty() && source.find_first_of(" ;,'\"\r\n") == std::string::npos,
            "a source is one word of a policy");
}

void try_metadata(std::string_view text) {
    constexpr std::string_view kAddress = "https://client.example.test/metadata";
    if (auto const client = operations::read_client_document(text, std::string(kAddress))) {
        require(client->clientId == kAddress && !client->clientName.value.empty(), "a document is its client's");
        require(client->authentication == events::ClientAuthentication::none, "such a client has no secret");
        for (auto const& uri : client->redirectUris) {
            require(!operations::fault_of_redirect_uri(uri.value), "its addresses are judged");
        }
    }
}

}  // namespace

void fuzz(std::string_view input) {
    auto const what = take_byte(input) % 4;
    std::string const text(input);
    if (what == 0) try_address(text);
    if (what == 1) try_metadata(input);
    if (what == 2) {
        auto const code = workers::plain_user_code(input);
        require(code.empty() || workers::plain_user_code(workers::shown_user_code(code)) == code,
                "a code is typed as shown");
        auto const scopes = operations::scopes_of_text(input);
        require(operations::scopes_of_text(operations::text_of_scopes(scopes)) == scopes, "scopes come back");
        (void)operations::is_client_document(input);
        require(operations::challenge_of(input).empty() || operations::is_challenge(operations::challenge_of(input)),
                "a verifier has a challenge");
    }
    if (what == 3) {
        static std::string const key =
            "-----BEGIN PUBLIC KEY-----\n"
            "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEVs/o5+uQbTjL3chynL4wXgUg2R9\n"
            "q9UU8I5mEovUf86QZ7kOBIjJwqnzD1omageEHWwHdBO6B+dFabmdT9POxg==\n"
            "-----END PUBLIC KEY-----\n";
        require(!api::read_access_token(input, key, {"https://a.test", {"https://a.test"}}),
                "nobody guesses a signature");
    }
}

}  // namespace workforce::tests
