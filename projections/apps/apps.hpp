// Connections to apps and what was done through them, as queries see them.
#pragma once

#include "events/app.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

struct AppFilter : ChangeFilter {
    std::optional<std::vector<events::AppStatus>> status{};
};
BOOST_DESCRIBE_STRUCT(AppFilter, (ChangeFilter), (status))

using AppRows = ReadModel<events::AppRecord, AppFilter>;

/// read.app. Callers who are bound to facilities see connections of these, and those of the organization as a whole.
AppRows const& app_connections();

/// What a list of executions is narrowed to.
struct AppExecutionFilter {
    std::optional<Id> connectionId{};
    std::optional<core::ShortText> app{};
    std::optional<std::vector<events::AppExecutionStatus>> status{};
};
BOOST_DESCRIBE_STRUCT(AppExecutionFilter, (), (connectionId, app, status))

/// read.app_execution: rows that events of connections make; what they were about lies in columns of its own. Who sees
/// a connection sees what was done through it.
class AppExecutionRows final : public AnyReadModel {
   public:
    using Filter = AppExecutionFilter;
    using Resource = events::AppExecution;

    explicit AppExecutionRows(Declaration<events::AppExecution, AppExecutionFilter> declared)
        : AnyReadModel(std::move(declared.spec)), parameters_(std::move(declared.parameters)) {}

    /// The parameters of lists() that filters are, in their order.
    [[nodiscard]] std::vector<core::Parameter> filters(Filter const& filter) const;
    [[nodiscard]] std::unique_ptr<Projection> make_projection(RowMemory& memory) const override;

   private:
    std::vector<core::Parameter (*)(Filter const&)> const parameters_;
};
AppExecutionRows const& app_executions();

/// The projection that keeps them.
ProjectionType app_execution_projection();

}  // namespace workforce::projections
