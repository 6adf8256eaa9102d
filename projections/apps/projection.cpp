// Folds events of connections into read.app_execution.
#include <array>

#include "projections/apps/apps.hpp"
#include "projections/engine/row_arrays.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

using events::AppExecutionStatus;

constexpr core::Statement kInsertExecutions{"app_execution_insert", sql::apps_insert_executions};
constexpr core::Statement kForgetExecutions{"app_execution_forget", sql::apps_forget_executions};
constexpr core::Statement kDeleteExecutions{"app_execution_delete", sql::apps_delete_executions};

/// The executions of a batch, written at once.
struct ExecutionColumns {
    ArrayColumn organization, sandbox, id, version, connection, facility, app, action, status, created, error;
    JsonColumn doc, arguments, result;
    bool empty = true;
};

class ExecutionProjection final : public Projection {
   public:
    void apply(core::Connection& connection, int /*partition*/, std::span<events::Event const> batch) override {
        for (auto const& event : batch) {
            auto const* group = events::get_if<events::AppEvent>(event.data);
            if (!group) continue;
            std::visit([&](auto const& data) { fold(connection, event.meta, data); }, *group);
        }
        flush(connection);
    }

    void forget() override { columns_ = {}; }

   private:
    template <class E>
    void fold(core::Connection& /*connection*/, events::Envelope const& /*meta*/, E const& /*event*/) {}

    void fold(core::Connection& /*connection*/, events::Envelope const& meta, events::AppExecuted const& executed) {
        add(meta, executed, AppExecutionStatus::succeeded);
        columns_.result.add(executed.result.value.text);
        columns_.error.add_null();
    }
    void fold(core::Connection& /*connection*/, events::Envelope const& meta,
              events::AppExecutionFailed const& failed) {
        add(meta, failed, AppExecutionStatus::failed);
        columns_.result.add("null");
        columns_.error.add(std::string_view(failed.error.value.value));
    }
    void fold(core::Connection& connection, events::Envelope const& meta, events::AppErased const& /*event*/) {
        change(connection, meta, kForgetExecutions);
    }
    void fold(core::Connection& connection, events::Envelope const& meta, events::AppDeleted const& /*event*/) {
        change(connection, meta, kDeleteExecutions);
    }

    /// All but what came of it.
    void add(events::Envelope const& meta, events::AppActionAsked const& asked, AppExecutionStatus status) {
        events::AppExecutionFacts facts;
        facts.id = asked.executionId;
        facts.organizationId = meta.organization;
        facts.connectionId = meta.subject.id;
        if (meta.facility != 0) facts.facilityId = meta.facility;
        facts.app = asked.app;
        facts.action = asked.action;
        facts.durationMs = asked.durationMs;
        facts.runId.value = core::parse_integer(meta.run_id);
        facts.approvalId = asked.approvalId;
        facts.requestId = meta.request_id;
        facts.createdAt = meta.time;
        columns_.empty = false;
        columns_.organization.add(meta.organization);
        columns_.sandbox.add(meta.sandbox);
        columns_.id.add(asked.executionId);
        columns_.version.add(meta.seq);
        columns_.connection.add(meta.subject.id);
        columns_.facility.add(facts.facilityId);
        columns_.app.add(std::string_view(asked.app.value));
        columns_.action.add(std::string_view(asked.action.value));
        columns_.status.add(core::enum_name(status));
        columns_.created.add(meta.time);
        columns_.doc.add(core::to_json(facts));
        columns_.arguments.add(asked.arguments.value.text);
    }

    /// Does something to all executions of a connection.
    void change(core::Connection& connection, events::Envelope const& meta, core::Statement const& statement) {
        flush(connection);
        connection.execute(statement, meta.organization, meta.sandbox, meta.subject.id);
    }

    void flush(core::Connection& connection) {
        if (columns_.empty) return;
        auto& c = columns_;
        std::array<core::Parameter, 14> const rows{
            c.organization.take(), c.sandbox.take(),   c.id.take(),     c.version.take(), c.connection.take(),
            c.facility.take(),     c.app.take(),       c.action.take(), c.status.take(),  c.created.take(),
            c.doc.take(),          c.arguments.take(), c.result.take(), c.error.take()};
        connection.execute_prepared(kInsertExecutions, rows);
        columns_ = {};
    }

    ExecutionColumns columns_;
};

}  // namespace

std::unique_ptr<Projection> AppExecutionRows::make_projection(RowMemory& /*memory*/) const {
    return std::make_unique<ExecutionProjection>();
}

}  // namespace workforce::projections
