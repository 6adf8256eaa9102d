// A dispatcher without a process: rows of the tests' own, through the real router, adapter and dispatcher.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "api/dispatch.hpp"
#include "events/codec.hpp"
#include "events/roles.hpp"
#include "operations/reads.hpp"
#include "tests/support/await.hpp"
#include "tests/support/memory_keyring.hpp"
#include "tests/support/memory_log.hpp"

namespace workforce::api {

using enum net::Method;
using operations::Call;
using operations::Effect;
using operations::ErrorForm;
using operations::MediaType;
using operations::Operation;
using operations::Outcome;

constexpr std::size_t kMuch = 20'000;
constexpr std::size_t kReplyBytes = 1 << 20;

inline void any_object(core::JsonWriter& w, operations::Components&) { w.member("type", "object"); }

inline boost::asio::awaitable<Outcome> get_thing(Call& call) {
    Outcome outcome;
    outcome.body = R"({"id":)" + std::to_string(call.input.path.id()) + "}";
    outcome.version = 7;
    outcome.facility = 31;
    co_return outcome;
}

/// Tells what the adapter made of the request.
inline boost::asio::awaitable<Outcome> create_thing(Call& call) {
    if (!*call.input.body) co_return operations::refuse(call, call.input.body->error());
    auto const& versions = call.meta.expected_versions;
    Outcome outcome;
    outcome.status = 201;
    outcome.body = nlohmann::json{{"keyed", call.meta.idempotency.has_value()},
                                  {"members", (*call.input.body)->MemberCount()},
                                  {"version", versions && !versions->empty() ? versions->front() : 0}}
                       .dump();
    outcome.marker = "shift_filled";
    co_return outcome;
}

/// Tells the scope of a read, of a facility where one is named.
inline boost::asio::awaitable<Outcome> show_scope(Call& call) {
    auto const query = operations::read_query<operations::ScopeQuery>(call.input.parameters).value();
    auto const scope = operations::read_scope(call, query.facilityId);
    if (!scope) co_return operations::refuse(call, scope.error());
    nlohmann::json told{{"organization", scope->organization}, {"facilities", scope->facilities}};
    if (scope->own) told["own"] = {{"staff", scope->own->staff}, {"facilities", scope->own->facilities}};
    co_return Outcome{.body = told.dump()};
}

inline boost::asio::awaitable<Outcome> repeat_thing(Call&) {
    Outcome outcome;
    outcome.body = "{}";
    outcome.replayed = true;
    outcome.marker = "shift_filled";
    co_return outcome;
}

inline boost::asio::awaitable<Outcome> import_things(Call& call) {
    if (!*call.input.body) co_return operations::refuse(call, call.input.body->error());
    co_return Outcome{.body = std::to_string((*call.input.body)->GetStringLength())};
}

inline boost::asio::awaitable<Outcome> give_token(Call& call) {
    if (!*call.input.body) co_return operations::refuse(call, call.input.body->error());
    co_return Outcome{.body = R"({"grant":")" + std::string((**call.input.body)["grant_type"].GetString()) + "\"}"};
}

inline boost::asio::awaitable<Outcome> show_page(Call& call) {
    co_return operations::refuse(call, {core::Code::not_found, "No <" + call.input.path.text("token") + ">."});
}

inline boost::asio::awaitable<Outcome> tail_events(Call& call) {
    Outcome outcome;
    if (call.input.answer == MediaType::json) {
        outcome.body = R"({"data":[]})";
        co_return outcome;
    }
    outcome.stream.produce = [](net::Stream& out) -> boost::asio::awaitable<void> {
        co_await out.write("data: 1\n\n");
        while (out.state() == net::Stream::State::open) {
            co_await out.wait(net::Stream::Clock::now() + std::chrono::minutes(1));
        }
        co_await out.write("data: good-bye\n\n");
    };
    co_return outcome;
}

/// What read models that are behind do not have.
inline boost::asio::awaitable<Outcome> miss_thing(Call& call) {
    call.stale = call.input.path.id() == 1;
    co_return operations::refuse(call, {core::Code::not_found, "There is no thing."});
}

inline boost::asio::awaitable<Outcome> fail(Call&) { throw std::runtime_error("a secret of ours"); }
inline boost::asio::awaitable<Outcome> lose_log(Call&) { throw events::LogUnavailable("away"); }

/// More than counts for nobody.
inline boost::asio::awaitable<Outcome> give_much(Call&) { co_return Outcome{.body = std::string(kMuch, '1')}; }

inline core::Problem already_resolved() {
    return {core::Code::invalid_state_transition, "Already resolved.", R"({"reason":"invalid_id"})"};
}

inline Operation row(std::string_view name, operations::Handler handler, Effect effect = Effect::read) {
    Operation operation;
    operation.name = name;
    operation.effect = effect;
    operation.handler = handler;
    operation.answer = any_object;
    if (effect == Effect::write) operation.body = any_object;
    return operation;
}

inline Operation open(Operation operation) {
    operation.access = operations::Access::open;
    return operation;
}

inline std::vector<Operation> rows() {
    auto get_row = row("things.get", get_thing).needs("shifts.view").at(get, "/api/things/{id:int}");
    get_row.versioned = true;
    get_row.parameters.push_back({.name = "known"});
    return {
        std::move(get_row),
        row("things.create", create_thing, Effect::write).needs("shifts.create").at(post, "/api/things"),
        row("things.repeat", repeat_thing, Effect::write).needs("shifts.create").at(post, "/api/things/repeat"),
        row("things.import", import_things, Effect::write)
            .needs("shifts.create")
            .takes(MediaType::csv, 2 << 20)
            .at(post, "/api/things/import"),
        row("things.resolve", get_thing)
            .needs("shifts.view")
            .refuses_malformed_ids_with(already_resolved)
            .at(get, "/api/things/{id:int}/resolve"),
        open(row("token", give_token, Effect::write))
            .takes(MediaType::form)
            .refuses_as(ErrorForm::oauth)
            .for_any_origin()
            .at(post, "/oauth/token"),
        open(row("page", show_page))
            .gives({MediaType::html})
            .refuses_as(ErrorForm::page)
            .at(get, "/invite/{token:text}"),
        row("events", tail_events).gives({MediaType::json, MediaType::event_stream}).at(get, "/api/events"),
        row("much.get", give_much).needs("shifts.view").at(get, "/api/much"),
        row("much.make", give_much, Effect::write).needs("shifts.create").at(post, "/api/much"),
        open(row("much", give_much)).at(get, "/much"),
        row("mine", show_scope).needs("shifts.view").reaches_own_rows().at(get, "/api/mine"),
        row("missing.get", miss_thing).needs("shifts.view").at(get, "/api/missing/{id:int}"),
        row("broken", fail).at(get, "/api/broken"),
        row("away", lose_log).at(get, "/api/away"),
    };
}

inline std::string const* field(net::Reply const& reply, std::string_view name) {
    auto const found = std::ranges::find(reply.headers, name, &net::Header::first);
    return found == reply.headers.end() ? nullptr : &found->second;
}

inline std::string text(net::Reply const& reply, std::string_view name) {
    auto const* const value = field(reply, name);
    return value == nullptr ? "" : *value;
}

inline nlohmann::json error_of(net::Reply const& reply) { return nlohmann::json::parse(reply.body).at("error"); }
inline std::string code_of(net::Reply const& reply) { return error_of(reply).at("code"); }

/// Those routes, and the documents that the service has in any case.
inline std::vector<Route> with_documents(std::vector<Route> routes) {
    std::ranges::copy(document_routes(), std::back_inserter(routes));
    return routes;
}

class DispatchTest : public testing::Test {
   protected:
    DispatchTest() {
        config_.base_url = "https://api.test";
        config_.mcp_url = "https://mcp.test";
        config_.organization_requests = 1;
        config_.credential_streams = 2;
        config_.streams = 3;
        restart();
    }

    /// Takes the configuration as it is now.
    void restart(KeyLimits* key_limits = nullptr) {
        dispatcher_.emplace(DispatcherParts{.config = config_,
                                            .services = services_,
                                            .authenticate = authenticate,
                                            .idempotency_secret = "secret",
                                            .key_limits = key_limits,
                                            .hooks = {[this](auto const& facts) {
                                                std::lock_guard const lock(mutex_);
                                                facts_.push_back(facts);
                                            }},
                                            .router = router_},
                            metrics_);
    }

    /// "Bearer <id> <scope>…"; of 6 and 7 a person of the role staff, the one with a staff record.
    static boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>> authenticate(Presented presented) {
        auto const header = presented.authorization;
        if (!header) co_return core::refuse(core::Code::unauthenticated, "The request has no credential.");
        std::istringstream words{std::string(*header)};
        auto caller = std::make_shared<Caller>();
        std::string word;
        words >> word >> caller->credential_id;
        caller->organization = 1;
        while (words >> word) caller->scopes.push_back(word);
        caller->permissions = operations::permissions_of_key(caller->scopes, false);
        caller->own_permissions = caller->permissions;
        if (caller->credential_id == 5) caller->facilities = {9};
        if (caller->credential_id == 6) caller->facilities = {8, 9};
        if (caller->credential_id == 6 || caller->credential_id == 7) {
            using events::Reach;
            caller->credential_type = events::ActorType::user;
            caller->permissions = events::permissions_of_role(events::Role::staff, false);
            caller->own_permissions = events::permissions_of_role(events::Role::staff, false, Reach::own_rows);
            if (caller->credential_id == 6) caller->user.staffId = core::Nullable<core::Id>(481);
        }
        co_return caller;
    }

    net::Reply ask(net::Request const& request) { return tests::await(dispatcher_->answer(request)); }
    static net::Request request(net::Method method, std::string target, std::vector<net::Header> headers = {},
                                std::string body = {}) {
        net::Request made;
        made.method = method;
        made.method_name = to_string(method);
        made.target = std::move(target);
        made.headers = std::move(headers);
        made.body = std::move(body);
        return made;
    }
    static net::Header reader() { return {"Authorization", "Bearer 4 shifts:read"}; }
    static net::Header writer() { return {"Authorization", "Bearer 4 shifts:write"}; }
    net::Reply post_thing(std::vector<net::Header> headers, std::string body = "{}") {
        headers.push_back(writer());
        headers.emplace_back("Content-Type", "application/json");
        return ask(request(post, "/api/things", std::move(headers), std::move(body)));
    }

    core::Config config_;
    core::Metrics metrics_;
    // The write side as it is, of a log that nobody asks here: no row of the test's submits a command.
    tests::MemoryLog log_;
    tests::MemoryKeyring keyring_;
    events::Encoder encoder_{"urn:test", keyring_};
    core::CheckedClock clock_;
    core::Database database_{{.connection = {.url = "postgresql://127.0.0.1:1/none"}, .threads = 1}};
    commands::Processor processor_{log_, encoder_, keyring_, database_, clock_, "test"};
    projections::Progress progress_{1, {}};
    operations::LastWrites last_writes_{[](int) -> boost::asio::awaitable<std::int64_t> { co_return -1; }};
    operations::Tenants tenants_{database_};
    workers::SecretStore secrets_{database_, std::string(32, 'k')};
    net::ByteBudget replies_{{.authenticated = kReplyBytes, .anonymous = 64 << 10, .anonymous_address = 32 << 10}};
    operations::Services services_{database_, database_, processor_, progress_, last_writes_,
                                   tenants_,  secrets_,  "cursors",  replies_,  4096};
    std::vector<Operation> const rows_ = rows();
    Router const router_{with_documents(routes_of(rows_))};
    std::mutex mutex_;
    std::vector<operations::Facts> facts_;  // that the hook was told
    std::optional<Dispatcher> dispatcher_;
};

}  // namespace workforce::api
