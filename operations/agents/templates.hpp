// Templates of plans (domain 6.5): `{{steps.open.result.data[0].id}}` in the texts of arguments. Pure.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/faults.hpp"
#include "core/time.hpp"
#include "events/agent_run.hpp"

namespace workforce::operations {

/// What templates of a run can name: `input`, `event`, `steps.<id>.result`, `item`, `index`, `now.date` and `now.time`.
/// Each is parsed when it is first asked for. Not thread-safe.
class TemplateScope {
   public:
    /// The run outlives this. `now` is told in that time zone.
    TemplateScope(events::AgentRunRecord const& run, core::Timestamp now, std::string_view timezone);

    /// What `item` and `index` are from then on; nothing: there are none.
    void set_item(core::JsonValue const* item, std::size_t index);

    /// The values that the path leads to; nothing for what is no path of a template. Views into this, until set_item().
    [[nodiscard]] std::optional<std::vector<core::JsonValue const*>> find(std::string_view path);

    /// Whether paths led through so many values that no more is looked for; then some may be missing.
    [[nodiscard]] bool exhausted() const { return budget_ == 0; }

   private:
    static constexpr std::size_t kMostValues = 400'000;

    core::JsonValue const* root(std::string_view name);
    core::JsonValue const* result_of(std::string_view step);
    core::JsonValue const& parsed(std::string const& name, std::string const& json);

    events::AgentRunRecord const& run_;
    rapidjson::Document now_;
    std::map<std::string, rapidjson::Document, std::less<>> documents_;
    core::JsonValue const* item_ = nullptr;
    rapidjson::Value index_;
    std::size_t budget_ = kMostValues;
};

/// Why a template can't be filled.
struct TemplateFault {
    bool too_large = false;  ///< or too deep; else a path leads nowhere
    std::string message;
};

/// The JSON with its templates filled: a text that is one template becomes the value that it names, of `[*]` the array
/// of all; others take texts as they are, and other values as JSON. It has 256 KiB and core::kMostNesting levels at
/// most, as what comes from outside, so that events and documents can hold it.
tl::expected<std::string, TemplateFault> fill_templates(std::string const& json, TemplateScope& scope);

/// What a template may name besides what every run has.
struct NamesInReach {
    std::vector<std::string> steps;  ///< whose results are there
    bool items = false;              ///< `item` and `index`: the step has a forEach
    bool any_step = false;           ///< which steps there are is not known
};

/// What is wrong with the templates of a JSON text by themselves: what is no path, and what is out of reach. For
/// people; empty: nothing.
std::string fault_of_templates(std::string const& json, NamesInReach const& names);
/// The same of a path outside of a template.
std::string fault_of_path(std::string_view path, NamesInReach const& names);

}  // namespace workforce::operations
