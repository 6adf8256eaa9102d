// Rows one after another, each as a command of its own.
#include "commands/import.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "commands/facility.hpp"
#include "commands/shift_staffing.hpp"
#include "core/faults.hpp"

namespace workforce::commands {
namespace {

constexpr std::size_t kMostRowErrors = 10;  // that a row tells, so that an answer does not grow with what was sent

std::string name_of(Code code) { return std::string(core::info(code).name); }

std::vector<ImportError> errors_of(core::Problem const& problem) {
    std::vector<ImportError> errors;
    for (auto& fault : core::fields_of(problem)) {
        if (errors.size() == kMostRowErrors) break;
        errors.push_back(
            {name_of(problem.code), std::move(fault.field), std::move(fault.rule), std::move(fault.message)});
    }
    if (errors.empty()) errors.push_back({name_of(problem.code), {}, {}, problem.message});
    return errors;
}

/// A row that is decided: what it is about, whether that is new, and what the command leads to.
struct DecidedRow {
    ImportStatus status = ImportStatus::created;
    Id id = 0;
    std::vector<NewEvent> events;
};

template <class Command>
Result<DecidedRow> decide_create(View const& view, Command const& command, Context const& context) {
    return decide(view, command, context).map([&](Decision decision) {
        return DecidedRow{ImportStatus::created, context.new_ids.front(), std::move(decision.events)};
    });
}

DecidedRow updated_row(Id id, Decision decision) { return {ImportStatus::updated, id, std::move(decision.events)}; }

/// Why the row changes nothing that is there, or nothing.
template <class Import>
std::optional<core::Problem> fault_of_update(Import const& import, typename Import::Line const& line) {
    return import.lacks_update ? import.lacks_update : line.update_fault;
}

Result<DecidedRow> decide_row(View const& view, ImportStaff const& import, ImportStaff::Line const& line,
                              Context const& context) {
    auto const* const known = line.key.empty() ? nullptr : view.first_by<events::StaffByEmail>(line.key);
    if (known != nullptr && in_scope(*known, context)) {
        if (auto fault = fault_of_update(import, line)) return tl::unexpected(*std::move(fault));
        auto update = line.update;
        update.id = known->id;
        return decide(view, update, context).map([&](Decision decision) {
            return updated_row(update.id, std::move(decision));
        });
    }
    if (line.create_fault) return tl::unexpected(*line.create_fault);
    auto create = line.create;
    if (create.facilityIds.empty() && import.facilityId) create.facilityIds = {*import.facilityId};
    return decide_create(view, create, context);
}

/// The shift that the row is of, or null where there is none yet. Errors: DUPLICATE_RESOURCE where it may be several.
Result<events::Shift const*> matched_shift(View const& view, ImportShifts::Line const& line, Context const& context) {
    std::vector<events::Shift const*> found;
    if (line.key.empty()) return nullptr;
    for (auto const* record : view.by<events::ShiftsByExternalId>(line.key)) {
        if (!record->deleted && context.reaches(record->shift.facilityId)) found.push_back(&record->shift);
    }
    if (found.empty()) return nullptr;
    auto const is_elsewhere = [&](events::Shift const* shift) { return shift->facilityId != line.update.facilityId; };
    auto here = found;
    if (found.size() > 1) std::erase_if(here, is_elsewhere);
    if (here.size() == 1) return here.front();
    std::vector<Id> ids;
    std::ranges::transform(found, std::back_inserter(ids), &events::Shift::id);
    ids.resize(std::min(ids.size(), kMostRowErrors));
    return refuse(Code::duplicate_resource, fmt::format("{} shifts have the externalId: {}{}.", found.size(),
                                                        fmt::join(ids, ", "), ids.size() < found.size() ? ", …" : ""));
}

Result<DecidedRow> decide_row(View const& view, ImportShifts const& import, ImportShifts::Line const& line,
                              Context const& context, StaffingPlan& plan) {
    auto const known = matched_shift(view, line, context);
    if (!known) return tl::unexpected(known.error());
    if (*known == nullptr) {
        if (line.create_fault) return tl::unexpected(*line.create_fault);
        return decide_create(view, line.create, context);
    }
    if (auto fault = fault_of_update(import, line)) return tl::unexpected(*std::move(fault));
    auto update = line.update;
    update.id = (*known)->id;
    return decide_within(view, update, context, plan).map([&](Decision decision) {
        return updated_row(update.id, std::move(decision));
    });
}

/// Decides all lines, of which `decide_line(line, context)` decides one. All that they lack is looked up at once.
template <class Import, class DecideLine>
Result<Decision> decide_lines(View const& view, Import const& import, Context const& context, DecideLine decide_line) {
    if (import.facilityId) {
        if (auto facility = facility_in_scope(view, *import.facilityId, context); !facility) {
            return tl::unexpected(facility.error());
        }
    }
    Decision all;
    Requirements required(view);
    auto of_one = context;
    for (std::size_t i = 0; i < import.lines.size(); ++i) {
        auto const& line = import.lines[i];
        of_one.new_ids = {import.dry_run ? Id{0} : context.new_ids.at(i)};
        required.ask([&] {
            auto row = line.fault ? Result<DecidedRow>(tl::unexpected(*line.fault)) : decide_line(line, of_one);
            if (!row) {
                all.imported.push_back({line.line, ImportStatus::failed, {}, errors_of(row.error())});
                return;
            }
            bool const unmade = import.dry_run && row->status == ImportStatus::created;
            all.imported.push_back(
                {line.line, row->status, unmade ? core::Nullable<Id>() : core::Nullable<Id>(row->id), {}});
            if (!import.dry_run) std::ranges::move(row->events, std::back_inserter(all.events));
        });
    }
    required.require();
    return all;
}

}  // namespace

Result<Decision> decide(View const& view, ImportStaff const& command, Context const& context) {
    return decide_lines(view, command, context, [&](ImportStaff::Line const& line, Context const& of_one) {
        return decide_row(view, command, line, of_one);
    });
}
ImportedRows answer(View const&, ImportStaff const&, Decision const& decision) { return {decision.imported}; }

Result<Decision> decide(View const& view, ImportShifts const& command, Context const& context) {
    StaffingPlan plan;
    return decide_lines(view, command, context, [&](ImportShifts::Line const& line, Context const& of_one) {
        return decide_row(view, command, line, of_one, plan);
    });
}
ImportedRows answer(View const&, ImportShifts const&, Decision const& decision) { return {decision.imported}; }

}  // namespace workforce::commands
