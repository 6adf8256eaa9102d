// Makes sessions of a person in an installation that runs, more than people may open, and prints the secret of each:
// the cookies or tokens that tests/bench/run reads with.
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <jwt/jwt.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "api/credentials/person_tokens.hpp"
#include "core/crypto.hpp"
#include "core/ids.hpp"
#include "events/master_key_table.hpp"
#include "tests/bench/bench.hpp"
#include "workers/runtime.hpp"
#include "workers/store/session_store.hpp"

namespace workforce::bench {
namespace {

// Older than any other, so that the service goes on signing with its own.
constexpr core::Statement kStoreKey{"bench_store_key",
                                    "INSERT INTO auth.signing_key (id, public_key, sealed_private_key, master_key, "
                                    "created_at) VALUES ($1, $2, '', '', 'epoch')"};
constexpr core::Statement kOpen{"bench_open", R"(
INSERT INTO auth.session (organization_id, user_id, kind, digest, ends_at, address, agent)
SELECT $1, $2, $3, digest, now() + interval '1 day', '', 'bench' FROM unnest($4::bytea[]) AS made (digest))"};

struct SessionsWanted {
    core::ConfigFlags flags{};
    api::Person person{};
    std::string kind = "cookie";
    int count = 1;
};

/// A key pair as PEM: the private part and the public one.
std::pair<std::string, std::string> make_key() {
    std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> const key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
    std::unique_ptr<BIO, decltype(&BIO_free)> const bio(BIO_new(BIO_s_mem()), &BIO_free);
    auto const take = [&] {
        char* data = nullptr;
        auto const size = BIO_get_mem_data(bio.get(), &data);
        std::string text(data, static_cast<std::size_t>(size));
        BIO_reset(bio.get());
        return text;
    };
    if (PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
        throw std::runtime_error("no key could be made");
    auto secret = take();
    if (PEM_write_bio_PUBKEY(bio.get(), key.get()) != 1) throw std::runtime_error("no key could be made");
    return {std::move(secret), take()};
}

/// Tokens as the service's own, but for the key that signs them.
std::vector<std::string> make_tokens(core::Connection& connection, api::Person const& person, int count) {
    auto const [secret, open] = make_key();
    auto const id = core::uuid_v7(core::now());
    connection.execute(kStoreKey, id, open);
    auto const begins = core::now().ms / 1000;
    std::vector<std::string> tokens;
    for (int i = 0; i < count; ++i) {
        jwt::jwt_object token{jwt::params::algorithm("ES256"), jwt::params::secret(secret)};
        token.header().add_header("kid", id);
        token.add_claim("sub", std::to_string(person.user));
        token.add_claim("org", person.organization);
        token.add_claim("aud", "dashboard");
        token.add_claim("iat", begins);
        token.add_claim("exp", begins + std::int64_t{workers::kTokenLife.count()});
        token.add_claim("jti", core::uuid_v7(core::now()));
        tokens.push_back(token.signature());
    }
    return tokens;
}

int open_sessions(SessionsWanted const& wanted) {
    core::Connection connection(workers::session(load_config(wanted.flags), "workforce_writer", "workforce bench"));
    std::vector<std::string> secrets;
    if (wanted.kind == "jwt") {
        secrets = make_tokens(connection, wanted.person, wanted.count);
    } else {
        for (int i = 0; i < wanted.count; ++i) secrets.push_back(workers::make_session_secret());
    }
    std::vector<std::string> digests;
    for (auto const& secret : secrets) digests.emplace_back(core::bytes(core::sha256(secret)));
    std::vector<core::Bytes> const rows(digests.begin(), digests.end());
    connection.execute(kOpen, wanted.person.organization, wanted.person.user, wanted.kind, rows);
    for (auto const& secret : secrets) fmt::print("{}\n", secret);
    return 0;
}

}  // namespace

void add_sessions(CLI::App& bench, Run& run) {
    auto const wanted = std::make_shared<SessionsWanted>();
    auto* command = bench.add_subcommand("sessions", "Makes sessions of a person and prints their secrets");
    core::add_config_flags(*command, wanted->flags);
    command->add_option("--organization", wanted->person.organization, "Whose person it is")->required();
    command->add_option("--user", wanted->person.user, "The person")->required();
    command->add_option("--kind", wanted->kind, "cookie or jwt")
        ->check(CLI::IsMember({"cookie", "jwt"}))
        ->capture_default_str();
    command->add_option("--count", wanted->count, "How many")->capture_default_str();
    command->callback([&run, wanted] { run = [wanted] { return open_sessions(*wanted); }; });
}

}  // namespace workforce::bench
