// Filters of event triggers: one that is taken holds exactly where each of its members holds alone.
#include "core/json_values.hpp"
#include "events/trigger_types.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {
namespace {

/// The filter with that member alone.
rapidjson::Document only(core::JsonValue const& name, core::JsonValue const& value) {
    rapidjson::Document filter(rapidjson::kObjectType);
    filter.AddMember(core::JsonValue(name, filter.GetAllocator()), core::JsonValue(value, filter.GetAllocator()),
                     filter.GetAllocator());
    return filter;
}

}  // namespace

void fuzz(std::string_view input) {
    auto const types = events::trigger_event_types();
    auto const type = types[take_byte(input) % types.size()];
    auto const filter = core::parse_json(take_until(input, '\n'));
    auto const data = core::parse_json(input);
    if (!filter) return;
    auto const faults = events::faults_of_filter(type, *filter);
    for (auto const& fault : faults) {
        require(fault.field.starts_with("filter") && !fault.rule.empty() && !fault.message.empty(),
                "a fault names its field");
    }
    if (!faults.empty() || !data || !data->IsObject()) return;
    bool each = true;
    for (auto const& member : filter->GetObject()) {
        auto const alone = only(member.name, member.value);
        require(events::faults_of_filter(type, alone).empty(), "a part of what is taken is taken");
        each = each && events::passes_filter(alone, *data);
    }
    require(events::passes_filter(*filter, *data) == each, "a filter is all of its members");
}

}  // namespace workforce::tests
