// Folds answers into read.answer.
#include "core/crypto.hpp"
#include "projections/answers/answers.hpp"
#include "projections/engine/row_arrays.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

constexpr core::Statement kInsertAnswers{"answers_insert", sql::answers_insert};

/// Stateless: each row is one event's.
class AnswerProjection final : public Projection {
   public:
    void apply(core::Connection& connection, int partition, std::span<events::Event const> events) override {
        ArrayColumn organization, sandbox, id, key, answered;
        bool any = false;
        for (auto const& [meta, data] : events) {
            if (meta.subject.kind != events::Kind::command) continue;
            if (meta.idempotency_key.empty()) continue;
            any = true;
            organization.add(meta.organization);
            sandbox.add(meta.sandbox);
            id.add(meta.position * kPartitionsInId + partition);
            key.add(std::string_view(answer_key(meta.idempotency_key)));
            answered.add(meta.time);
        }
        if (!any) return;
        std::array<core::Parameter, 5> const rows{organization.take(), sandbox.take(), id.take(), key.take(),
                                                  answered.take()};
        connection.execute_prepared(kInsertAnswers, rows);
    }

    void forget() override {}
};

}  // namespace

std::string answer_key(std::string_view idempotency_key) {
    auto const digest = core::sha256(idempotency_key);
    return core::hex_encode(core::bytes(digest)).substr(0, 32);
}

ProjectionType answer_projection() {
    return {.name = "answer",
            .revision = 1,
            .table = "answer",
            .reach = std::chrono::hours(25),
            .make = [](RowMemory&) -> std::unique_ptr<Projection> { return std::make_unique<AnswerProjection>(); }};
}

}  // namespace workforce::projections
