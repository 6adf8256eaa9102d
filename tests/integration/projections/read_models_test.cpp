// Every statement that read models are declared into, against the migrated schema: a column of a wrong name or type
// fails.
#include "projections/engine/read_model.hpp"

#include "projections/apps/apps.hpp"
#include "projections/engine/checkpoints.hpp"
#include "projections/payroll_payments/payroll_payments.hpp"
#include "projections/registry.hpp"
#include "tests/integration/projections/fixture.hpp"
#include "tests/support/await.hpp"

namespace workforce::tests {
namespace {

using projections::AnyReadModel;
using projections::Scope;

/// Some value of an SQL type.
std::string value_of(std::string_view type) {
    static std::map<std::string_view, std::string> const values{
        {"boolean", "t"},       {"smallint", "1"},
        {"bigint", "1"},        {"text", "x"},
        {"date", "2026-07-24"}, {"smallint[]", "{1}"},
        {"bigint[]", "{1}"},    {"text[]", "{x}"},
        {"boolean[]", "{t}"},   {"timestamptz", "2026-07-24T06:00:00Z"},
    };
    return values.at(type);
}

class ReadModelsTest : public ProjectionsTest {
   protected:
    static void write(core::Connection& connection, AnyReadModel const& model) {
        auto const& spec = model.spec();
        std::vector<core::Parameter> const keys(3, "{}");
        EXPECT_EQ(connection.execute_prepared(model.load(), keys).size(), 0);
        std::vector<core::Parameter> rows(5 + (spec.has_erased ? 1u : 0u) + spec.columns.size(), "{}");
        rows.insert(rows.end(), 1 + spec.documents.size(), "");
        EXPECT_EQ(connection.execute_prepared(model.upsert(), rows).affected_rows(), 0);
    }

    /// In each shape. Returns how many there were.
    std::size_t list(AnyReadModel const& model, Scope const& scope) {
        auto const& spec = model.spec();
        std::vector<core::Parameter> filters;
        for (auto const& condition : spec.conditions) {
            if (!condition.member.empty()) filters.emplace_back(value_of(condition.type));
        }
        std::size_t shapes = 0;
        for (auto const& sort : model.sort_names()) {
            std::string_view key = sort;
            if (key.starts_with('-')) key.remove_prefix(1);
            auto const found =
                std::find_if(spec.sorts.begin(), spec.sorts.end(), [&](auto const& each) { return each.name == key; });
            std::vector<std::string> const after{value_of(found->type), "1"};
            for (bool const resumed : {false, true}) {
                for (bool const filtered : {false, true}) {
                    projections::PageRequest request{.sort = sort};
                    if (resumed) request.after = after;
                    auto const page = await(model.lists().run(
                        reader_, scope, request, filtered ? filters : std::vector<core::Parameter>(filters.size())));
                    EXPECT_TRUE(page && page->rows == "[]") << spec.name << " by " << sort;
                    ++shapes;
                }
            }
        }
        return shapes;
    }

    core::Database reader_{reader_options()};
};

TEST_F(ReadModelsTest, StatementsFitTheSchema) {
    core::Connection writer(
        projections::aimed_at({.url = database_.url(), .role = "workforce_projector"}, projections::Tables::live));
    std::size_t models = 0;
    std::size_t shapes = 0;
    std::size_t narrowed = 0;  // to own rows
    for (auto const& type : projections::registry()) {
        if (!type.model) continue;
        ++models;
        SCOPED_TRACE(type.name);
        // Rows of payments and of executions have statements of their own, which tests of these run.
        bool const by_hand =
            type.model == &projections::payroll_payments() || type.model == &projections::app_executions();
        if (!by_hand) write(writer, *type.model);
        for (Scope const& scope : {Scope{.organization = 7}, Scope{.organization = 7, .facilities = {1}},
                                   Scope{.organization = 7, .facilities = {1, 2}}, Scope{.operator_access = true}}) {
            EXPECT_FALSE(await(type.model->find(reader_, scope, 1)));
            shapes += list(*type.model, scope);
            auto own = scope;
            own.own = projections::OwnRows{1, scope.facilities};
            if (type.model->spec().own.empty()) {
                EXPECT_THROW(await(type.model->find(reader_, own, 1)), std::logic_error);
                continue;
            }
            ++narrowed;
            EXPECT_FALSE(await(type.model->find(reader_, own, 1)));
            list(*type.model, own);
        }
    }
    EXPECT_GE(models, 6u);
    EXPECT_GE(narrowed, 2u * 4u);
    EXPECT_GE(shapes, 8u * 2u * 4u * 4u) << "eight sorts, each way, with and without filters and a page before";
}

}  // namespace
}  // namespace workforce::tests
