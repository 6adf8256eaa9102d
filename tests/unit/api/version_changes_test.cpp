// Requests, answers, replays, lists and refusals in every version, of a registry with changes.
#include "api/version_changes.hpp"

#include "dispatch_fixture.hpp"

namespace workforce::api {
namespace {

using nlohmann::json;

// Today a person is {"id", "name": {"given"}}; before 2026-07-24 it was {"id", "givenName"}, and before 2026-07-22
// {"id", "firstName"}.
constexpr std::string_view kFirst = "2026-05-10";
constexpr std::string_view kSecond = "2026-07-22";
constexpr std::string_view kThird = "2026-07-23";
constexpr std::string_view kToday = "2026-07-24";

std::string given_in(std::string_view version, std::string const& given) {
    json person{{"id", 1}};
    if (version == kToday) {
        person["name"] = {{"given", given}};
    } else {
        person[version == kFirst ? "firstName" : "givenName"] = given;
    }
    return person.dump();
}

json refusal_in(std::string_view version, json error) {
    if (version < kToday) {
        error["hint"] = error["suggestion"];
        error.erase("suggestion");
    }
    return error;
}

void rename(rapidjson::Value& object, char const* from, char const* to, rapidjson::Document& document) {
    auto const found = object.FindMember(from);
    if (found == object.MemberEnd()) return;
    rapidjson::Value value(std::move(found->value));
    object.RemoveMember(found);
    object.AddMember(rapidjson::Value(to, document.GetAllocator()), value, document.GetAllocator());
}

template <class Edit>
void each_person(rapidjson::Document& document, Edit edit) {
    if (!document.HasMember("data")) return edit(document);
    for (auto& person : document["data"].GetArray()) edit(person);
}

std::vector<std::string_view> people() { return {"people.get", "people.list", "people.create", "people.update"}; }

VersionChange first_name_became_given_name() {
    VersionChange change{.version = kSecond, .note = "firstName is called givenName.", .verbs = people()};
    change.parameters = [](operations::QueryMap& parameters) {
        if (auto found = parameters.extract("firstName")) {
            found.key() = "givenName";
            parameters.insert(std::move(found));
        }
    };
    change.body = [](rapidjson::Document& body) { rename(body, "firstName", "givenName", body); };
    change.answer = [](rapidjson::Document& answer) {
        each_person(answer, [&](auto& person) { rename(person, "givenName", "firstName", answer); });
    };
    return change;
}

VersionChange given_name_moved_into_name() {
    VersionChange change{.version = kToday, .note = "givenName is name.given.", .verbs = people()};
    change.body = [](rapidjson::Document& body) {
        if (!body.HasMember("givenName")) return;
        rapidjson::Value name(rapidjson::kObjectType);
        name.AddMember("given", body["givenName"], body.GetAllocator());
        body.RemoveMember("givenName");
        body.AddMember("name", name, body.GetAllocator());
    };
    change.answer = [](rapidjson::Document& answer) {
        each_person(answer, [&](auto& person) {
            rapidjson::Value given(person["name"]["given"], answer.GetAllocator());
            person.RemoveMember("name");
            person.AddMember("givenName", given, answer.GetAllocator());
        });
    };
    return change;
}

VersionChange hints_became_suggestions() {
    VersionChange change{.version = kToday, .note = "error.hint is called error.suggestion."};
    change.refusal = [](rapidjson::Document& envelope) { rename(envelope["error"], "suggestion", "hint", envelope); };
    return change;
}

boost::asio::awaitable<Outcome> get_person(Call& call) {
    if (call.input.path.id() == 404) co_return operations::refuse(call, {core::Code::not_found, "No such person."});
    if (call.input.path.id() == 503) throw events::LogUnavailable("away");
    co_return Outcome{.body = given_in(kToday, "Ada")};
}

boost::asio::awaitable<Outcome> list_people(Call& call) {
    auto const filter = call.input.parameters.find("givenName");
    auto const given = filter == call.input.parameters.end() ? "Ada" : filter->second;
    auto const row = json::parse(given_in(kToday, given));
    co_return Outcome{.body = json{{"data", {row, row}}}.dump()};
}

/// Takes today's form alone. A request with an idempotency key is answered as one that is told again.
boost::asio::awaitable<Outcome> save_person(Call& call) {
    auto const& body = *call.input.body;
    if (!body) co_return operations::refuse(call, body.error());
    if (!body->IsObject() || !body->HasMember("name")) {
        co_return operations::refuse(call, core::validation_problem({{"name", "required", "is missing"}}));
    }
    std::string const given = (*body)["name"]["given"].GetString();
    Outcome outcome;
    if (given == "Twin") {
        outcome = operations::refuse(call, {core::Code::duplicate_resource, "There is one."});
        outcome.refused.reset();
    } else {
        outcome = {.status = 201, .body = given_in(kToday, given)};
    }
    outcome.replayed = call.meta.idempotency.has_value();
    co_return outcome;
}

std::vector<Operation> people_rows() {
    auto listed = row("people.list", list_people).at(get, "/api/people");
    listed.parameters.push_back({.name = "givenName"});
    return {
        row("people.get", get_person).at(get, "/api/people/{id:int}"),
        std::move(listed),
        row("people.create", save_person, Effect::write).at(post, "/api/people"),
        row("people.update", save_person, Effect::write).also_put("people.replace").at(patch, "/api/people/{id:int}"),
        row("others.get", get_person).at(get, "/api/others/{id:int}"),
        row("events", tail_events).gives({MediaType::json, MediaType::event_stream}).at(get, "/api/events"),
        row("people.import", import_things, Effect::write).takes(MediaType::csv).at(post, "/api/people/import")};
}

core::Timestamp in_2030() { return *core::parse_timestamp("2030-01-01T00:00:00.000Z"); }

class VersionChangesTest : public DispatchTest {
   protected:
    VersionChangesTest() { restart(); }

    void restart() {
        dispatcher_.emplace(DispatcherParts{.config = config_,
                                            .services = services_,
                                            .authenticate = authenticate,
                                            .idempotency_secret = "secret",
                                            .router = people_,
                                            .changes = changes_,
                                            .now = in_2030},
                            metrics_);
    }

    static net::Header pinned(std::string_view version) { return {"Service-Version", std::string(version)}; }
    net::Reply read(std::string target, std::string_view version) {
        return ask(request(get, std::move(target), {reader(), pinned(version)}));
    }
    net::Reply save(net::Method method, std::string target, std::string_view version, std::string body,
                    std::vector<net::Header> more = {}) {
        more.insert(more.end(), {writer(), pinned(version), {"Content-Type", "application/json"}});
        return ask(request(method, std::move(target), std::move(more), std::move(body)));
    }

    std::vector<Operation> const people_table_ = people_rows();
    Router const people_{routes_of(people_table_)};
    std::vector<VersionChange> const changes_{first_name_became_given_name(), given_name_moved_into_name(),
                                              hints_became_suggestions()};
};

TEST_F(VersionChangesTest, AnswersHaveTheFormOfTheVersion) {
    for (auto const version : {kFirst, kSecond, kThird, kToday}) {
        EXPECT_EQ(json::parse(read("/api/people/1", version).body), json::parse(given_in(version, "Ada"))) << version;
        auto const row = json::parse(given_in(version, "Ada"));
        EXPECT_EQ(json::parse(read("/api/people", version).body)["data"], json::array({row, row})) << version;
    }
    auto const unpinned = ask(request(get, "/api/people/1", {reader()}));
    EXPECT_EQ(unpinned.body, given_in(kToday, "Ada"));
    EXPECT_EQ(read("/api/others/1", kFirst).body, given_in(kToday, "Ada")) << "no change is about it";
}

TEST_F(VersionChangesTest, RequestsAreTakenInTheFormOfTheVersion) {
    for (auto const version : {kFirst, kSecond, kThird, kToday}) {
        auto const sent = given_in(version, "Bo");
        for (auto const& reply : {save(post, "/api/people", version, sent), save(patch, "/api/people/1", version, sent),
                                  save(put, "/api/people/1", version, sent)}) {
            EXPECT_EQ(reply.status, 201U) << reply.body;
            EXPECT_EQ(json::parse(reply.body), json::parse(sent)) << version;
        }
    }
    EXPECT_EQ(save(post, "/api/people", kToday, given_in(kFirst, "Bo")).status, 400U) << "it is no input of today";
    EXPECT_EQ(save(post, "/api/people", kFirst, "[]").status, 400U) << "nor is what no version takes";
    EXPECT_EQ(save(post, "/api/people", kFirst, "{").status, 400U);
}

TEST_F(VersionChangesTest, ParametersHaveTheNamesOfTheVersion) {
    auto const old = read("/api/people?firstName=Cy", kFirst);
    EXPECT_EQ(json::parse(old.body)["data"][0]["firstName"], "Cy");
    EXPECT_EQ(field(old, "Service-Warnings"), nullptr);
    auto const now = read("/api/people?firstName=Cy", kToday);
    EXPECT_EQ(json::parse(now.body)["data"][0]["name"]["given"], "Ada");
    EXPECT_EQ(text(now, "Service-Warnings"), "ignored parameters: firstName");
}

TEST_F(VersionChangesTest, WhatIsToldAgainHasTheFormOfTheVersionThatAsksNow) {
    net::Header const key{"Idempotency-Key", "1"};
    for (auto const version : {kFirst, kThird, kToday}) {
        auto const done = save(post, "/api/people", version, given_in(version, "Bo"), {key});
        EXPECT_EQ(text(done, "Idempotency-Replayed"), "true");
        EXPECT_EQ(json::parse(done.body), json::parse(given_in(version, "Bo"))) << version;
        auto const refused = save(post, "/api/people", version, given_in(version, "Twin"), {key});
        EXPECT_EQ(refused.status, 409U);
        EXPECT_EQ(error_of(refused).contains("hint"), version != kToday) << version;
        EXPECT_EQ(error_of(refused).contains("suggestion"), version == kToday) << version;
    }
}

TEST_F(VersionChangesTest, RefusalsOfEveryKindHaveTheFormOfTheVersion) {
    auto const asked = [&](std::string_view version) {
        std::vector<net::Request> all;
        all.push_back(request(get, "/api/people/1", {pinned(version)}));              // 401
        all.push_back(request(get, "/api/people/404", {reader(), pinned(version)}));  // by the handler
        all.push_back(request(get, "/api/people/503", {reader(), pinned(version)}));  // thrown
        all.push_back(request(get, "/api/people/x", {reader(), pinned(version)}));    // by the route
        all.push_back(request(get, "/api/nothing", {reader(), pinned(version)}));     // no route
        all.push_back(request(del, "/api/people/1", {reader(), pinned(version)}));    // no method
        return all;
    };
    auto const today = asked(kToday);
    auto const old = asked(kSecond);
    for (std::size_t i = 0; i < today.size(); ++i) {
        auto const expected = ask(today[i]);
        auto const reply = ask(old[i]);
        EXPECT_GE(reply.status, 400U);
        EXPECT_EQ(reply.status, expected.status);
        EXPECT_EQ(error_of(reply), refusal_in(kSecond, error_of(expected))) << old[i].target;
        EXPECT_TRUE(error_of(reply).contains("hint"));
        EXPECT_EQ(text(reply, "Service-Version"), kSecond);
    }
}

TEST_F(VersionChangesTest, AVersionThatEndedIsRefusedInItsForm) {
    config_.version_deprecations = "2026-05-10 2026-12-01 2028-01-01, 2026-07-22 2029-05-01";
    restart();
    auto const ended = read("/api/people/1", kFirst);
    EXPECT_EQ(ended.status, 410U);
    EXPECT_EQ(code_of(ended), "VERSION_SUNSET");
    EXPECT_EQ(error_of(ended)["details"]["latest"], kToday);
    EXPECT_TRUE(error_of(ended).contains("hint"));
    EXPECT_EQ(text(ended, "Service-Version"), kFirst);
    EXPECT_EQ(text(ended, "Sunset"), "Sat, 01 Jan 2028 23:59:59 GMT");
    EXPECT_EQ(ask(request(get, "/api/people/1", {pinned(kFirst)})).status, 401U) << "the credential comes before it";
    auto const deprecated = read("/api/people/1", kSecond);
    EXPECT_EQ(deprecated.status, 200U);
    EXPECT_EQ(text(deprecated, "Deprecation"), "Tue, 01 May 2029 00:00:00 GMT");
    EXPECT_EQ(field(deprecated, "Sunset"), nullptr);
    EXPECT_EQ(text(deprecated, "Link"), "<https://api.test/.well-known/api-versions>; rel=\"deprecation\"");
    EXPECT_EQ(field(read("/api/people/1", kThird), "Deprecation"), nullptr);
    config_.version_deprecations = "2026-07-24 2026-12-01";
    EXPECT_THROW(restart(), std::runtime_error);
}

TEST_F(VersionChangesTest, AnotherProcessGetsTheInputOfToday) {
    Call call{services_, people_table_[2], nullptr, {}, {}};
    call.input.body.emplace(core::parse_json(given_in(kFirst, "Bo")));
    std::span<VersionChange const> const newer(changes_);
    upgrade(newer, "people.create", call.input);
    EXPECT_EQ(json::parse(upgraded_body(newer, call)), json::parse(given_in(kToday, "Bo")));
    EXPECT_EQ(upgraded_body({}, call), "") << "as it came";
    Call other{services_, people_table_[4], nullptr, {}, {}};
    EXPECT_EQ(upgraded_body(newer, other), "");
}

TEST_F(VersionChangesTest, ChangesFitTheRoutes) {
    auto const refused = [&](VersionChange const& change) {
        EXPECT_THROW(check_changes({&change, 1}, people_), std::logic_error);
    };
    auto const edit = [](rapidjson::Document&) {};
    refused({.version = kToday, .note = "x", .verbs = {"nobody.get"}});
    refused({.version = kToday, .note = "x", .answer = edit});
    refused({.version = kToday, .note = "x", .verbs = {"events"}, .answer = edit});
    refused({.version = kToday, .note = "x", .verbs = {"people.import"}, .body = edit});
    EXPECT_NO_THROW(check_changes(changes_, people_));
    EXPECT_NO_THROW(check_changes(version_changes(), rest_router()));
}

}  // namespace
}  // namespace workforce::api
