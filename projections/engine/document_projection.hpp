// The projection of resources: one row an aggregate, holding the resource as its events fold it.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/sql_values.hpp"
#include "projections/engine/projection.hpp"
#include "projections/engine/recent_rows.hpp"
#include "projections/engine/row_arrays.hpp"
#include "projections/engine/stored_state.hpp"

namespace workforce::projections {

/// Folds a batch in memory between one load of the rows that it goes on from and one write of those that it touched.
///
/// Model is a ReadModel.
template <class Model>
class DocumentProjection final : public Projection {
   public:
    using State = typename Model::State;

    /// The model and the memory outlive it.
    DocumentProjection(Model const& model, RowMemory& memory) : model_(model), rows_(memory) {}

    void apply(core::Connection& connection, int /*partition*/, std::span<events::Event const> events) override {
        rows_.begin_batch();
        auto const steps = collect(events);
        if (steps.empty()) return;
        load(connection, steps);
        std::vector<Row<State> const*> touched;
        for (auto const& step : steps) fold(step, touched);
        for (auto const& step : steps) {
            if (step.first) rows_.weigh(*step.row);
        }
        connection.execute_prepared(model_.upsert(), model_.write(touched));
    }

    void forget() override { rows_.clear(); }

   private:
    struct Step {
        events::Envelope const* meta;
        typename Model::Events const* event;
        Row<State>* row;
        bool first;  ///< of this aggregate in this batch
    };

    std::vector<Step> collect(std::span<events::Event const> events) {
        std::vector<Step> steps;
        std::unordered_map<Row<State>*, bool> seen;
        for (auto const& event : events) {
            auto const* mine = events::get_if<typename Model::Events>(event.data);
            if (!mine) continue;
            auto& row = rows_.get(event.meta.subject.id);
            steps.push_back({&event.meta, mine, &row, seen.emplace(&row, true).second});
        }
        return steps;
    }

    /// Makes the row of each aggregate stand where the batch begins: what is remembered serves only if it ends just
    /// before the batch, whatever other processes did meanwhile.
    void load(core::Connection& connection, std::vector<Step> const& steps) {
        std::unordered_map<core::Id, Row<State>*> missing;
        ArrayColumn organizations, sandboxes, ids;
        for (auto const& [meta, event, row, first] : steps) {
            if (!first || (row->version != 0 && row->version == meta->seq - 1)) continue;
            *row = Row<State>{.id = meta->subject.id,
                              .organization = organization_of(*meta),
                              .sandbox = meta->sandbox,
                              .bytes = row->bytes};
            if (meta->seq == 1) continue;
            organizations.add(row->organization);
            sandboxes.add(row->sandbox);
            ids.add(row->id);
            missing.emplace(row->id, row);
        }
        if (missing.empty()) return;
        std::array<core::Parameter, 3> const keys{organizations.take(), sandboxes.take(), ids.take()};
        for (auto const& found : connection.execute_prepared(model_.load(), keys)) {
            auto& row = *missing.at(core::read<core::Id>(found[0]));
            row.version = core::read<std::int64_t>(found[1]);
            row.state = state_of<State>(found);
        }
    }

    void fold(Step const& step, std::vector<Row<State> const*>& touched) {
        auto const& meta = *step.meta;
        auto& row = *step.row;
        // A gap is what skipping a poison event leaves: the row goes on, marked for good. An aggregate without a
        // beginning, or twice the same event, is a fault.
        if (meta.seq <= row.version || (row.version == 0 && meta.seq != 1)) {
            throw std::runtime_error(fmt::format("{} {} has version {} where event {} expects its predecessor",
                                                 core::enum_name(meta.subject.kind), meta.subject.id, row.version,
                                                 meta.seq));
        }
        evolve(row.state, *step.event, meta);
        row.lacks_event = row.lacks_event || meta.seq != row.version + 1;
        row.version = meta.seq;
        row.erased = row.erased || std::visit([]<class E>(E const&) { return events::Erasing<E>; }, *step.event);
        if (step.first) touched.push_back(&row);
    }

    /// Organizations are rows of themselves.
    static core::Id organization_of(events::Envelope const& meta) {
        return meta.subject.kind == events::Kind::organization ? meta.subject.id : meta.organization;
    }

    Model const& model_;
    RecentRows<State> rows_;
};

}  // namespace workforce::projections
