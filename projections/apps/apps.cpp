// The declarations of read.app and read.app_execution.
#include "projections/apps/apps.hpp"

namespace workforce::projections {
namespace {

/// Of AppExecutionContent.
constexpr std::string_view kExecutionContent =
    R"(('{"status":"' || t.status || '","arguments":' || t.arguments || ',"result":' || t.result)"
    R"( || ',"error":' || coalesce(to_json(t.error)::text, 'null') || '}'))";

constexpr std::string_view kSeenWithWhole = "t.facility_id IS NULL OR t.facility_id = ANY ($facilities)";

}  // namespace

AppRows const& app_connections() {
    static AppRows const model = AppRows::declare("app")
                                     .called("app connection")
                                     .seen_at(kSeenWithWhole)
                                     .shown_if("NOT t.deleted")
                                     .column("facility_id", [](auto const& app) { return app.facilityId; })
                                     .column("deleted", [](auto const& app) { return app.deleted; })
                                     .column("app", [](auto const& app) { return app.app; })
                                     .column("status", [](auto const& app) { return app.status; })
                                     .json("internals", [](auto const& app) { return app.internals; })
                                     .filter<&AppFilter::status>("t.status = ANY ($status)")
                                     .stamped()
                                     .sort("createdAt", "created_at");
    return model;
}

AppExecutionRows const& app_executions() {
    static AppExecutionRows const model(
        Declaration<events::AppExecution, AppExecutionFilter>{
            .spec = {.name = "app_execution", .table = "app_execution", .noun = "execution"}}
            .revision(2)
            .beside(kExecutionContent)
            .seen_at(kSeenWithWhole)
            .column("created_at", [](auto const& execution) { return execution.createdAt; })
            .filter<&AppExecutionFilter::connectionId>("t.connection_id = $connectionId")
            .filter<&AppExecutionFilter::app>("t.app = $app",
                                              [](auto const& app) { return app ? app->value : std::string(); })
            .filter<&AppExecutionFilter::status>("t.status = ANY ($status)")
            .sort("createdAt", "created_at"));
    return model;
}

std::vector<core::Parameter> AppExecutionRows::filters(Filter const& filter) const {
    std::vector<core::Parameter> all;
    for (auto const make : parameters_) all.push_back(make(filter));
    return all;
}

ProjectionType app_execution_projection() {
    auto type = projection_of<app_executions>();
    type.kinds = {events::Kind::app};
    return type;
}

}  // namespace workforce::projections
