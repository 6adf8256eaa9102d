// A read model as one declaration: a table of resources with its columns and what fills them, its filters and its
// sorts. Its statements and its projection follow from that.
//
// Every table has organization_id, is_sandbox, id, version, lacks_event and doc, and erased where an event erases the
// resource's person.
#pragma once

#include <algorithm>
#include <boost/mp11.hpp>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/kind_traits.hpp"
#include "projections/engine/column_values.hpp"
#include "projections/engine/document_projection.hpp"
#include "projections/engine/statements.hpp"
#include "projections/engine/stored_state.hpp"

namespace workforce::projections {

/// What the statements of a read model are made of. Texts are constants of the program.
struct ReadModelSpec {
    struct Column {
        std::string_view name;
        std::string_view type;
    };
    /// Of a filtered list. `$member` stands for the parameter that the filter's member of that name makes.
    struct Condition {
        std::string_view sql;
        std::string_view member{};  ///< whose parameter lets everything pass when it is NULL; empty: none
        std::string_view type{};    ///< of that parameter
    };

    std::string_view name;   ///< in checkpoints and statements
    std::string_view table;  ///< in schema `read`
    std::string_view noun;   ///< in messages
    int revision = 1;
    bool has_erased = false;
    std::string_view further{};                 ///< as further_columns() has it
    std::vector<Column> columns{};              ///< besides those that every table has
    std::vector<std::string_view> documents{};  ///< columns of JSON besides `doc`
    std::string_view document{};                ///< of the resource, as queries show it; empty: `doc` as it is
    std::string_view beside{};                  ///< members of what is shown that are not of the state
    std::string_view seen_at = "$facilities::bigint[] IS NULL OR true";
    std::string_view own{};  ///< which rows are a person's own; empty: none, and nobody who sees these alone may ask
    std::string_view shown{};
    std::vector<Condition> conditions{};
    std::vector<SortKey> sorts{};
};

/// The texts that a spec gives; those of find and list with the marks that ScopedStatement and ListStatements take.
std::string load_text(ReadModelSpec const& spec);
std::string upsert_text(ReadModelSpec const& spec);
std::string find_text(ReadModelSpec const& spec);
std::string list_text(ReadModelSpec const& spec);
/// The conditions that narrow find and list to a person's own rows, as ScopedStatement and ListStatements take them;
/// empty where no rows are declared to be somebody's.
std::string find_own_text(ReadModelSpec const& spec);
std::string list_own_text(ReadModelSpec const& spec);

/// A read model without the types of its resources. Made once, lives as long as the program.
class AnyReadModel {
   public:
    AnyReadModel(AnyReadModel const&) = delete;
    AnyReadModel& operator=(AnyReadModel const&) = delete;
    virtual ~AnyReadModel() = default;

    [[nodiscard]] ReadModelSpec const& spec() const { return spec_; }
    /// ($1 organizations, $2 sandboxes, $3 ids) → id, version and what state_of() reads.
    [[nodiscard]] core::Statement load() const { return {load_name_, load_text_}; }
    /// An array a column, then the documents.
    [[nodiscard]] core::Statement upsert() const { return {upsert_name_, upsert_text_}; }
    /// As find_document() takes it.
    [[nodiscard]] ScopedStatement const& by_id() const { return by_id_; }
    [[nodiscard]] ListStatements const& lists() const { return lists_; }
    /// All that `sort` of its list may be: each key, and each with '-' before it.
    [[nodiscard]] std::vector<std::string> sort_names() const;

    /// The resource, unless it lies outside the scope or is not shown. Errors, as of all queries:
    /// core::DatabaseUnavailable, core::DatabaseBusy.
    [[nodiscard]] boost::asio::awaitable<std::optional<Document>> find(core::Database& database, Scope const& scope,
                                                                       Id id) const {
        return find_document(database, by_id_, scope, id);
    }

    [[nodiscard]] virtual std::unique_ptr<Projection> make_projection(RowMemory& memory) const = 0;

   protected:
    explicit AnyReadModel(ReadModelSpec spec);

   private:
    ReadModelSpec const spec_;
    std::string const load_name_, load_text_, upsert_name_, upsert_text_;
    ScopedStatement const by_id_;
    ListStatements const lists_;
};

/// Of a read model that nobody lists.
struct NoFilter {};

/// For a filter over text that is stored case-folded, as columns named *_key are.
inline constexpr auto folded = [](auto const& text) { return text ? core::fold_case(text->value) : std::string(); };

/// A read model that is being declared. Functions are lambdas without captures, so that a row costs a plain call for
/// each column. SQL calls the table `t`.
template <class State, class Filter>
struct Declaration {
    ReadModelSpec spec;
    std::vector<void (*)(ArrayColumn&, State const&)> fills{};
    std::vector<std::string (*)(State const&)> documents{};
    std::vector<core::Parameter (*)(Filter const&)> parameters{};
    State (*twin)(State const&) = nullptr;

    /// To be counted up when rows of the same events come to look different. 1 where it is not said.
    Declaration revision(int number) && {
        spec.revision = number;
        return std::move(*this);
    }
    /// What messages call one resource, where that is not the read model's name.
    Declaration called(std::string_view noun) && {
        spec.noun = noun;
        return std::move(*this);
    }
    /// A column with what fills it out of the state. The column's type follows from the value's.
    template <class Fill>
    Declaration column(std::string_view name, Fill /*fill*/) && {
        spec.columns.push_back({name, sql_type<std::remove_cvref_t<std::invoke_result_t<Fill, State const&>>>()});
        fills.push_back([](ArrayColumn& column, State const& state) { add_value(column, Fill{}(state)); });
        return std::move(*this);
    }
    /// A column of JSON text with the value that it is made of.
    template <class Part>
    Declaration json(std::string_view name, Part /*part*/) && {
        spec.documents.push_back(name);
        documents.push_back([](State const& state) { return core::to_json(Part{}(state)); });
        return std::move(*this);
    }
    /// The resource as queries show it, where other rows tell some of it: an expression that gives JSON text.
    Declaration shown_as(std::string_view sql) && {
        spec.document = sql;
        return std::move(*this);
    }
    /// What is shown of a row besides its resource: an expression that gives a JSON object as text, whose members
    /// are added.
    Declaration beside(std::string_view sql) && {
        spec.beside = sql;
        return std::move(*this);
    }
    /// Which facilities see a row: a condition over `$facilities`, those that the caller is bound to. Where it is not
    /// said, all do.
    Declaration seen_at(std::string_view sql) && {
        spec.seen_at = sql;
        return std::move(*this);
    }
    /// Which rows are a person's own, of those whose role reaches no others: a condition over `$staff`, their staff
    /// record or 0, and `$facilities`, where they work, NULL for everywhere. Where it is not said, such a person gets
    /// nothing of the read model.
    Declaration own_if(std::string_view sql) && {
        spec.own = sql;
        return std::move(*this);
    }
    /// Rows that queries show; where it is not said, all.
    Declaration shown_if(std::string_view sql) && {
        spec.shown = sql;
        return std::move(*this);
    }
    /// Each live row has a twin in the sandbox: of the resource that this makes of it.
    Declaration in_sandbox(State (*make)(State const&)) && {
        twin = make;
        return std::move(*this);
    }

    /// What a member of the filter narrows the list to: a condition over the parameter of its name, `$status`. `as`
    /// makes the parameter's value of the member's. The list's conditions stand in the order of these calls.
    template <auto Member, class As = std::identity>
    Declaration filter(std::string_view sql, As /*as*/ = {}) && {
        using Value = std::remove_cvref_t<std::invoke_result_t<As, decltype(std::declval<Filter const&>().*Member)>>;
        spec.conditions.push_back({sql, name_of<Member>(), sql_type<Value>()});
        parameters.push_back([](Filter const& filter) { return filter_parameter(As{}(filter.*Member)); });
        return std::move(*this);
    }
    /// A further condition of filtered lists, over parameters that may be NULL: what filters say in an index's terms.
    Declaration where(std::string_view sql) && {
        spec.conditions.push_back({sql});
        return std::move(*this);
    }
    /// The column `search` with the text that `q` is looked for in.
    template <class Text>
    Declaration search(Text text) && {
        return std::move(*this).column("search", text).template filter<&Filter::q>("strpos(t.search, $q) > 0", folded);
    }
    /// The columns of when it was made and last changed, which `updatedSince` goes by.
    Declaration stamped() && {
        return std::move(*this)
            .column("created_at", [](State const& state) { return resource_of(state).createdAt; })
            .column("updated_at", [](State const& state) { return resource_of(state).updatedAt; })
            .template filter<&Filter::updatedSince>("t.updated_at >= $updatedSince");
    }
    /// What callers may sort the list by, in the order of the column's values. The first is the default.
    Declaration sort(std::string_view key, std::string_view column) && {
        for (auto const& each : spec.columns) {
            if (each.name == column) spec.sorts.push_back({key, column, each.type});
        }
        if (spec.sorts.empty() || spec.sorts.back().name != key) throw std::logic_error("no column to sort by");
        return std::move(*this);
    }

   private:
    template <auto Member>
    static std::string_view name_of() {
        std::string_view name;
        boost::mp11::mp_for_each<core::Members<Filter>>([&](auto d) {
            if constexpr (std::same_as<std::remove_const_t<decltype(d.pointer)>, decltype(Member)>) {
                if (d.pointer == Member) name = core::wire_name(d.name);
            }
        });
        return name;
    }
};

/// The read model of the aggregates with the state S; F has the parameters of its list, R is what queries show.
template <class S, class F = NoFilter, class R = ResourceOf<S>>
class ReadModel final : public AnyReadModel {
   public:
    using State = S;
    using Events = typename events::Aggregate<events::kKindOfState<S>>::Events;
    using Filter = F;
    using Resource = R;

    /// Begins the declaration of a table's rows; `table` where it is not called as the read model is.
    static Declaration<S, F> declare(std::string_view name, std::string_view table = {}) {
        return {{.name = name,
                 .table = table.empty() ? name : table,
                 .noun = name,
                 .has_erased = kErases,
                 .further = further_columns<State>()}};
    }
    ReadModel(Declaration<S, F> declared)  // NOLINT(google-explicit-constructor): `model = declare(…)…;`
        : AnyReadModel(std::move(declared.spec)),
          fills_(std::move(declared.fills)),
          documents_(std::move(declared.documents)),
          parameters_(std::move(declared.parameters)),
          twin_(declared.twin) {
        if constexpr (!std::same_as<Filter, NoFilter>) {
            boost::mp11::mp_for_each<core::Members<Filter>>([&](auto d) {
                auto const rules =
                    std::ranges::count(spec().conditions, core::wire_name(d.name), &ReadModelSpec::Condition::member);
                if (rules == 1) return;
                throw std::logic_error(fmt::format("read model {}: {} has {} rules", spec().name, d.name, rules));
            });
        }
    }

    /// The parameters of lists() that filters are, in their order.
    [[nodiscard]] std::vector<core::Parameter> filters(Filter const& filter) const {
        std::vector<core::Parameter> all;
        all.reserve(parameters_.size());
        for (auto const make : parameters_) all.push_back(make(filter));
        return all;
    }

    /// The parameters of upsert(): the rows, and their twins.
    [[nodiscard]] std::vector<core::Parameter> write(std::span<Row<State> const* const> rows) const {
        std::vector<ArrayColumn> columns(5 + (kErases ? 1 : 0) + fills_.size());
        std::vector<JsonColumn> documents(1 + documents_.size());
        for (auto const* row : rows) {
            add(*row, columns, documents);
            if (!twin_ || row->sandbox) continue;
            add({row->id, row->organization, true, row->version, twin_(row->state), row->erased, row->lacks_event},
                columns, documents);
        }
        std::vector<core::Parameter> parameters;
        for (auto& column : columns) parameters.push_back(column.take());
        for (auto& column : documents) parameters.push_back(column.take());
        return parameters;
    }

    [[nodiscard]] std::unique_ptr<Projection> make_projection(RowMemory& memory) const override {
        return std::make_unique<DocumentProjection<ReadModel>>(*this, memory);
    }

   private:
    static constexpr bool kErases = events::kIsPerson<events::kKindOfState<S>>;

    void add(Row<State> const& row, std::vector<ArrayColumn>& columns, std::vector<JsonColumn>& documents) const {
        auto column = columns.begin();
        (column++)->add(row.organization);
        (column++)->add(row.sandbox);
        (column++)->add(row.id);
        (column++)->add(row.version);
        (column++)->add(row.lacks_event);
        if (kErases) (column++)->add(row.erased);
        for (auto const fill : fills_) fill(*column++, row.state);
        auto document = documents.begin();
        (document++)->add(core::to_json(resource_of(row.state)));
        for (auto const make : documents_) (document++)->add(make(row.state));
    }

    std::vector<void (*)(ArrayColumn&, State const&)> const fills_;
    std::vector<std::string (*)(State const&)> const documents_;
    std::vector<core::Parameter (*)(Filter const&)> const parameters_;
    State (*const twin_)(State const&);
};

/// The read model as the registry lists it. `Model` is the function that gives it.
template <auto Model>
ProjectionType projection_of() {
    auto const& spec = Model().spec();
    return {.name = spec.name,
            .revision = spec.revision,
            .table = spec.table,
            .make = [](RowMemory& memory) { return Model().make_projection(memory); },
            .model = &Model()};
}

}  // namespace workforce::projections
