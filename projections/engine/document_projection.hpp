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
#include "projections/engine/row_arrays.hpp"
#include "projections/engine/stored_state.hpp"

namespace workforce::projections {

/// A resource with what its row says of it besides.
template <class State>
struct Row {
    core::Id id = 0;
    core::Id organization = 0;
    bool sandbox = false;
    std::int64_t version = 0;  ///< seq of the last event folded; 0: none is
    State state{};
    bool erased = false;       ///< an event that was folded on this row erased the person
    bool lacks_event = false;  ///< an event before the last one was skipped, as far as this process folded them
};

/// Remembers aggregates in two generations: the older one is dropped whole when the younger is full, and what is used
/// moves to the younger. References stay valid until the next begin_batch().
template <class State>
class RecentRows {
   public:
    explicit RecentRows(std::size_t limit) : limit_(limit) {}

    void begin_batch() {
        if (young_.size() <= limit_) return;
        old_ = std::move(young_);
        young_.clear();
    }
    /// The aggregate's row, new with version 0 when it is not remembered.
    Row<State>& get(core::Id id) {
        auto const found = young_.find(id);
        if (found != young_.end()) return found->second;
        if (auto node = old_.extract(id)) return young_.insert(std::move(node)).position->second;
        return young_[id];
    }
    void clear() {
        young_.clear();
        old_.clear();
    }

   private:
    using Rows = std::unordered_map<core::Id, Row<State>>;
    std::size_t limit_;
    Rows young_;
    Rows old_;
};

/// Folds a batch in memory between one load of the rows that it goes on from and one write of those that it touched.
///
/// Model is a ReadModel.
template <class Model>
class DocumentProjection final : public Projection {
   public:
    using State = typename Model::State;

    /// The model outlives it.
    DocumentProjection(Model const& model, std::size_t cache) : model_(model), rows_(cache) {}

    void apply(core::Connection& connection, int /*partition*/, std::span<events::Event const> events) override {
        rows_.begin_batch();
        auto const steps = collect(events);
        if (steps.empty()) return;
        load(connection, steps);
        std::vector<Row<State> const*> touched;
        for (auto const& step : steps) fold(step, touched);
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
            *row = Row<State>{.id = meta->subject.id, .organization = organization_of(*meta), .sandbox = meta->sandbox};
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
