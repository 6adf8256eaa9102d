// What rows of the table are made of: schemas, examples and parameters follow from the types of a query or
// command.
#pragma once

#include "operations/commands.hpp"
#include "operations/operation.hpp"
#include "operations/reads.hpp"
#include "operations/schema/api_example.hpp"
#include "operations/schema/api_schema.hpp"
#include "operations/target.hpp"

namespace workforce::operations {

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
    core::Nullable<std::string> nextCursor{};
};
BOOST_DESCRIBE_STRUCT(Pagination, (), (limit, hasMore, nextCursor))

/// What a list was taken from.
struct ListScope {
    std::optional<Id> facilityId{};
    std::optional<Id> orgUnitId{};
    std::optional<bool> global{};
};
BOOST_DESCRIBE_STRUCT(ListScope, (), (facilityId, orgUnitId, global))

/// A page of a list of T, as its handler writes it from stored documents.
template <class T>
struct Page {
    std::vector<T> data;
    Pagination pagination;
    ListScope scope;
    BOOST_DESCRIBE_CLASS(Page, (), (data, pagination, scope), (), ())
};

/// The schema of a list of T, a component of its own.
template <class T>
void page_of(core::JsonWriter& w, Components& components) {
    components.refer(w, schema_name(type_name<T>()) + "Page", [](core::JsonWriter& own, Components& others) {
        define_object(own, Side::answer, others, kApiFields<Page<T>>);
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
std::vector<Parameter> parameters_of() {
    std::vector<Parameter> all;
    boost::mp11::mp_for_each<core::Members<Query>>([&](auto d) {
        using Member = std::remove_cvref_t<decltype(std::declval<Query>().*d.pointer)>;
        constexpr auto kName = core::wire_name(d.name);
        all.push_back({.name = kName,
                       .required = !core::kIsOptional<Member>,
                       .is_list = kIsList<Member>,
                       .schema = &request_of<Shown<Query, decltype(d)>>,
                       .description = description_of(kDeclaring<decltype(d)>, kName, kNote<Member>)});
    });
    return all;
}

/// A read without parameters of its own.
template <class Answer>
Operation query(std::string_view name, std::string_view summary, Handler handler) {
    Operation row;
    row.name = name;
    row.summary = summary;
    row.answer = &answer_of<Answer>;
    row.answer_example = &example<Answer, Side::answer>;
    row.handler = handler;
    return row;
}

/// A read with parameters.
template <class Answer, class Query>
Operation query_with(std::string_view name, std::string_view summary, Handler handler) {
    auto row = query<Answer>(name, summary, handler);
    row.parameters = parameters_of<Query>();
    return row;
}

/// The list of a read model. `Model` is the function that gives it.
template <auto Model>
Operation list(std::string_view name, std::string_view summary) {
    using Resource = typename ModelOf<Model>::Resource;
    auto row = query_with<Resource, ListQuery<typename ModelOf<Model>::Filter>>(name, summary, list_resources<Model>);
    row.answer = &page_of<Resource>;
    row.answer_example = &page_example<Resource>;
    row.reads = {Model().spec().name, core::enum_name(events::Kind::facility)};  // it may be asked for one facility's
    for (auto& parameter : row.parameters) {
        if (parameter.name == "sort") parameter.values = Model().sort_names();
    }
    return row;
}

/// One resource of a read model by its id.
template <auto Model>
Operation one(std::string_view name, std::string_view summary) {
    auto row = query_with<typename ModelOf<Model>::Resource, TargetQuery>(name, summary, get_resource<Model>);
    row.reads = {Model().spec().name};
    row.versioned = true;
    if constexpr (requires { typename ModelOf<Model>::State; }) {
        row.shown = events::kKindOfState<typename ModelOf<Model>::State>;
    }
    return row;
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

/// A command whose input is the command's fields.
template <class Command>
Operation command(std::string_view name, std::string_view summary) {
    Operation row;
    row.name = name;
    row.summary = summary;
    row.effect = Effect::write;
    row.parameters = parameters_of<TargetQuery>();
    row.versioned = true;
    if constexpr (boost::mp11::mp_size<core::Members<Command>>::value > 0) {
        row.body = &request_of<Command>;
        row.body_example = &example<Command, Side::request>;
    }
    row.body_required = has_required_member<Command>();
    if constexpr (std::same_as<typename Command::Answer, commands::Nothing>) {
        row.success = 204;
        row.versioned = false;
    } else {
        row.answer = &answer_of<typename Command::Answer>;
        row.answer_example = &example<typename Command::Answer, Side::answer>;
    }
    row.handler = run_command<Command>;
    row.check_input = check_command<Command>;
    return row;
}

}  // namespace workforce::operations
