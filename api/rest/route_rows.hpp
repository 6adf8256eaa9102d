// What rows of the route table are made of: schemas, examples and parameters follow from the types of a query or
// command.
#pragma once

#include "api/rest/api_example.hpp"
#include "api/rest/api_schema.hpp"
#include "api/rest/command_route.hpp"
#include "api/rest/route.hpp"

namespace workforce::api {

template <class T>
void request_of(core::JsonWriter& w, Components& components) {
    ApiSchema<T>::write(w, Side::request, components);
}
template <class T>
void answer_of(core::JsonWriter& w, Components& components) {
    ApiSchema<T>::write(w, Side::answer, components);
}
template <class T, Side Which>
void example(core::JsonWriter& w) {
    ApiExample<T>::write(w, Which, T{});
}

/// Where the next page of a list begins.
struct Pagination {
    std::int32_t limit = 50;
    bool hasMore = false;
    core::Nullable<std::string> nextCursor;
};
BOOST_DESCRIBE_STRUCT(Pagination, (), (limit, hasMore, nextCursor))

/// What a list was taken from.
struct ListScope {
    std::optional<Id> facilityId;
    std::optional<Id> orgUnitId;
    std::optional<bool> global;
};
BOOST_DESCRIBE_STRUCT(ListScope, (), (facilityId, orgUnitId, global))

/// The schema of a list of T, a component of its own.
template <class T>
void page_of(core::JsonWriter& w, Components& components) {
    components.refer(w, type_name<T>() + "Page", [](core::JsonWriter& own, Components& others) {
        own.member("type", "object");
        own.key("properties");
        own.begin_object();
        own.key("data");
        write_object<std::vector<T>>(own, Side::answer, others);
        own.key("pagination");
        write_object<Pagination>(own, Side::answer, others);
        own.key("scope");
        write_object<ListScope>(own, Side::answer, others);
        own.end_object();
        own.key("required");
        own.raw(R"(["data","pagination","scope"])");
    });
}
template <class T>
void page_example(core::JsonWriter& w) {
    w.begin_object();
    w.key("data");
    ApiExample<std::vector<T>>::write(w, Side::answer, {});
    w.key("pagination");
    core::write_json(w, Pagination{});
    w.key("scope");
    w.raw(R"({"orgUnitId":1})");
    w.end_object();
}

template <class T>
constexpr bool kIsList = false;
template <class T>
constexpr bool kIsList<std::optional<std::vector<T>>> = true;

template <class Query>
std::vector<QueryParameter> parameters_of() {
    std::vector<QueryParameter> all;
    boost::mp11::mp_for_each<core::Members<Query>>([&](auto d) {
        using Member = std::remove_cvref_t<decltype(std::declval<Query>().*d.pointer)>;
        all.push_back({core::wire_name(d.name), !core::kIsOptional<Member>, kIsList<Member>,
                       &request_of<Shown<Query, decltype(d)>>});
    });
    return all;
}

/// What a row says of itself.
struct About {
    net::Method method;
    std::string_view path;
    std::string_view name;
    std::string_view permission;
    std::string_view summary;
};

inline Route route_of(About const& about) {
    Route route;
    route.method = about.method;
    route.path = about.path;
    route.name = about.name;
    route.permission = about.permission;
    route.summary = about.summary;
    route.access = about.permission.empty() ? Access::authenticated : Access::permission;
    return route;
}

/// A query without parameters of its own.
template <class Answer>
Route query(About about, boost::asio::awaitable<net::Reply> (*handler)(Call&)) {
    auto route = route_of(about);
    route.answer = &answer_of<Answer>;
    route.answer_example = &example<Answer, Side::answer>;
    route.handler = handler;
    return route;
}

/// A query with parameters.
template <class Answer, class Query>
Route query_with(About about, boost::asio::awaitable<net::Reply> (*handler)(Call&)) {
    auto route = query<Answer>(about, handler);
    route.query = parameters_of<Query>();
    if constexpr (requires { Query::kLimit; }) {
        for (auto& parameter : route.query) {
            if (parameter.name == "limit") parameter.description = Query::kLimit;
        }
    }
    return route;
}

/// A list, which `sorts` says how to sort.
template <class Row, class Query>
Route list(About about, boost::asio::awaitable<net::Reply> (*handler)(Call&), std::vector<std::string> const& sorts) {
    auto route = query_with<Row, Query>(about, handler);
    route.answer = &page_of<Row>;
    route.answer_example = &page_example<Row>;
    for (auto& parameter : route.query) {
        if (parameter.name == "sort") parameter.values = sorts;
    }
    return route;
}

/// One resource by its id.
template <class Answer>
Route one(About about, boost::asio::awaitable<net::Reply> (*handler)(Call&)) {
    auto route = query<Answer>(about, handler);
    route.versioned = true;
    return route;
}

template <class T>
constexpr bool has_required_member() {
    bool any = false;
    boost::mp11::mp_for_each<core::Members<T>>([&](auto d) {
        using Member = std::remove_cvref_t<decltype(std::declval<T>().*d.pointer)>;
        any = any || core::is_required<T, Member>(core::wire_name(d.name));
    });
    return any;
}

/// A command whose body is the command's fields.
template <class Command>
Route command(About about, CommandOptions options) {
    auto route = route_of(about);
    route.success = options.success;
    route.versioned = true;
    if constexpr (boost::mp11::mp_size<core::Members<Command>>::value > 0) {
        route.body = &request_of<Command>;
        route.body_example = &example<Command, Side::request>;
    }
    route.body_required = has_required_member<Command>();
    route.answer = &answer_of<typename Command::Answer>;
    route.answer_example = &example<typename Command::Answer, Side::answer>;
    route.handler = command_handler<Command>(options);
    return route;
}

constexpr CommandOptions creates(events::Kind kind, std::string_view location) {
    return {kind, std::nullopt, 201, location};
}
constexpr CommandOptions on(events::Kind kind) { return {std::nullopt, kind, 200, {}}; }

}  // namespace workforce::api
