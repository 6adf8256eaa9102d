// The clients that a user lets act for them.
#include "projections/oauth_grants/oauth_grants.hpp"

#include "commands/oauth_client.hpp"
#include "commands/oauth_grant.hpp"
#include "operations/accounts.hpp"
#include "operations/declare.hpp"
#include "operations/oauth/oauth.hpp"

namespace workforce::operations {
namespace {

using boost::asio::awaitable;
using events::Kind;

constexpr int kMostGrants = 200;

awaitable<Outcome> list_grants(Call& call) {
    co_await await_own_writes(call);
    auto const grants = co_await projections::connected_clients(call.services.operators, call.caller->organization,
                                                                call.caller->user.id);
    core::JsonWriter w;
    w.begin_object();
    w.key("data");
    core::write_json(w, grants);
    w.key("pagination");
    core::write_json(w, Pagination{.limit = kMostGrants});
    w.key("scope");
    core::write_json(w, ListScope{.orgUnitId = call.caller->organization});
    w.end_object();
    co_return Outcome{.body = w.take()};
}

awaitable<Outcome> revoke_grant(Call& call) {
    auto outcome = co_await run_command<commands::RevokeOAuthGrant>(call);
    if (outcome.status < 300) call.services.accounts->forget(call.caller->user.id);
    co_return outcome;
}

}  // namespace

std::vector<Operation> grant_rows() {
    auto listed = query<projections::ConnectedClient>("oauth.grants", "List the clients that act for you", list_grants);
    listed.description = "Returns the programs that you let act for you, with what they may do, the newest first.";
    listed.answer = &page_of<projections::ConnectedClient>;
    listed.answer_example = &page_example<projections::ConnectedClient>;
    listed.reads = {core::enum_name(Kind::oauth_grant)};
    auto revoked = command<commands::RevokeOAuthGrant>("oauth.revoke_grant", "Let a client act for you no more");
    revoked.description = "Ends all tokens of the program within a second. It may ask you again.";
    revoked.handler = revoke_grant;
    auto registered = command<commands::RegisterOAuthClient>("oauth.register_client", "A client was registered");
    registered.makes = Kind::oauth_client;
    auto removed = command<commands::RemoveOAuthClient>("oauth.remove_client", "Nobody uses a client");
    auto replayed = command<commands::RecordOAuthChainEnd>("oauth.record_chain_end", "A token came twice");
    return {
        std::move(listed).by_people().at(net::Method::get, "/api/oauth/grants"),
        std::move(revoked)
            .by_people()
            .of_live_data()
            .on(Kind::oauth_grant)
            .destroys()
            .audit()
            .at(net::Method::del, "/api/oauth/grants/{id:int}"),
        std::move(registered).by_installation(),
        std::move(removed).by_installation().on(Kind::oauth_client),
        std::move(replayed).by_installation().on(Kind::oauth_grant),
    };
}

}  // namespace workforce::operations
