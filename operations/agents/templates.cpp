// Finding what templates name, and putting it in their place.
#include "operations/agents/templates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/json_path.hpp"
#include "core/json_values.hpp"
#include "core/local_time.hpp"
#include "core/nesting.hpp"

namespace workforce::operations {
namespace {

using core::JsonValue;

constexpr std::string_view kOpening = "{{";
constexpr std::string_view kClosing = "}}";
constexpr std::array<std::string_view, 6> kRoots{"input", "event", "steps", "item", "index", "now"};

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

/// "steps.open.result.data" as "open" and "result.data"; nothing for any other path.
std::optional<std::pair<std::string_view, std::string_view>> split_step(std::string_view path) {
    constexpr std::string_view kSteps = "steps.";
    constexpr std::string_view kResult = "result";
    if (!path.starts_with(kSteps)) return std::nullopt;
    path.remove_prefix(kSteps.size());
    auto const dot = path.find('.');
    if (dot == std::string_view::npos) return std::nullopt;
    auto const rest = path.substr(dot + 1);
    auto const after = rest.substr(0, kResult.size()) == kResult ? rest.substr(kResult.size()) : "?";
    if (!after.empty() && after.front() != '.' && after.front() != '[') return std::nullopt;
    return std::pair(path.substr(0, dot), rest);
}

/// The path's first name.
std::string_view first_name(std::string_view path) { return path.substr(0, path.find_first_of(".[")); }

/// Calls f(text) for what stands between templates and g(path) for each; f is called first and last. Returns whether
/// each template that begins also ends.
template <class F, class G>
bool for_each_part(std::string_view text, F f, G g) {
    for (;;) {
        auto const begin = text.find(kOpening);
        f(text.substr(0, begin));
        if (begin == std::string_view::npos) return true;
        auto const end = text.find(kClosing, begin);
        if (end == std::string_view::npos) return false;
        g(trimmed(text.substr(begin + kOpening.size(), end - begin - kOpening.size())));
        text.remove_prefix(end + kClosing.size());
    }
}

/// Calls f(text) for each text of the value, members' names apart.
template <class F>
void for_each_text(JsonValue const& value, F const& f) {
    if (value.IsString()) return f(core::text_of(value));
    if (value.IsArray()) {
        for (auto const& item : value.GetArray()) for_each_text(item, f);
    } else if (value.IsObject()) {
        for (auto const& member : value.GetObject()) for_each_text(member.value, f);
    }
}

/// Fills templates as it writes. Stops at what can't be filled.
class Filler {
   public:
    explicit Filler(TemplateScope& scope) : scope_(scope) {}

    void write(JsonValue const& value) {
        if (fault_) return;
        if (value.IsString()) return write_text(core::text_of(value));
        if (value.IsArray()) {
            w_.begin_array();
            for (auto const& item : value.GetArray()) write(item);
            if (fault_) return;  // what was begun within stays open
            w_.end_array();
        } else if (value.IsObject()) {
            w_.begin_object();
            for (auto const& member : value.GetObject()) {
                if (fault_) return;
                w_.key(core::text_of(member.name));
                write(member.value);
            }
            if (fault_) return;
            w_.end_object();
        } else {
            w_.raw(core::json_of(value));
        }
        check_size(0);
    }

    tl::expected<std::string, TemplateFault> take() {
        if (fault_) return tl::unexpected(*std::move(fault_));
        return w_.take();
    }

   private:
    void write_text(std::string_view text) {
        if (text.find(kOpening) == std::string_view::npos) return w_.string(text);
        if (auto const json = whole(text)) return w_.raw(*json);
        std::string filled;
        bool const closed = for_each_part(
            text, [&](std::string_view plain) { add(filled, plain); },
            [&](std::string_view path) {
                auto const json = value_at(path);
                if (!json) return;
                auto const value = core::parse_json(*json);
                add(filled, value && value->IsString() ? core::text_of(*value) : std::string_view(*json));
            });
        if (!closed) fail(fmt::format("The template in '{}' does not end.", text.substr(0, 100)));
        if (!fault_) w_.string(filled);
    }

    /// The JSON of what the one template is that the whole text is; nothing where it is more, or less.
    std::optional<std::string> whole(std::string_view text) {
        if (!text.starts_with(kOpening) || !text.ends_with(kClosing)) return std::nullopt;
        auto const inner = text.substr(kOpening.size(), text.size() - kOpening.size() - kClosing.size());
        if (inner.find(kOpening) != std::string_view::npos || inner.find(kClosing) != std::string_view::npos) {
            return std::nullopt;
        }
        auto json = value_at(trimmed(inner));
        return json ? std::move(json) : "null";
    }

    std::optional<std::string> value_at(std::string_view path) {
        if (fault_) return std::nullopt;
        auto const found = scope_.find(path);
        if (scope_.exhausted()) {
            fault_ = TemplateFault{true, "The templates lead through too many values."};
            return std::nullopt;
        }
        if (found && path.find("[*]") != std::string_view::npos) return array_of(*found);
        if (!found || found->empty()) {
            fail(fmt::format("The template {{{{{}}}}} names nothing that the run has.", path.substr(0, 200)));
            return std::nullopt;
        }
        auto json = core::json_of(*found->front());
        check_size(json.size());
        return fault_ ? std::nullopt : std::optional(std::move(json));
    }

    std::optional<std::string> array_of(std::vector<JsonValue const*> const& values) {
        std::string json = "[";
        for (auto const* value : values) {
            if (json.size() > 1) json += ',';
            json.append(core::json_of(*value));
            check_size(json.size());
            if (fault_) return std::nullopt;
        }
        return json + "]";
    }

    void add(std::string& filled, std::string_view text) {
        check_size(filled.size() + text.size());
        if (!fault_) filled.append(text);
    }
    void check_size(std::size_t more) {
        if (w_.text().size() + more <= events::kLongestRunField || fault_) return;
        fault_ = TemplateFault{true, "What the templates name comes to more than 256 KiB."};
    }
    void fail(std::string message) {
        if (!fault_) fault_ = TemplateFault{false, std::move(message)};
    }

    TemplateScope& scope_;
    core::JsonWriter w_;
    std::optional<TemplateFault> fault_;
};

}  // namespace

TemplateScope::TemplateScope(events::AgentRunRecord const& run, core::Timestamp now, std::string_view timezone)
    : run_(run) {
    auto const local = core::local_time(now, timezone);
    core::JsonWriter w;
    w.begin_object();
    w.member("date", to_string(local.date));
    w.member("time", to_string(local.time));
    w.end_object();
    now_.Parse(w.text().data(), w.text().size());
}

void TemplateScope::set_item(JsonValue const* item, std::size_t index) {
    item_ = item;
    if (item == nullptr) {
        index_.SetNull();
    } else {
        index_.SetUint64(index);
    }
}

JsonValue const& TemplateScope::parsed(std::string const& name, std::string const& json) {
    auto const [found, added] = documents_.try_emplace(name);
    if (added) found->second.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
    return found->second;
}

JsonValue const* TemplateScope::result_of(std::string_view step) {
    auto const* const found = events::find_step(run_, step);
    bool const has = found && (found->status == events::RunStepStatus::ok ||
                               (found->status == events::RunStepStatus::error && found->items));
    return has ? &parsed("steps." + found->id, found->result.text) : nullptr;
}

JsonValue const* TemplateScope::root(std::string_view name) {
    if (name == "input") return &parsed("input", run_.input.text);
    if (name == "event" && run_.internals.event.value) return &parsed("event", run_.internals.event.value->text);
    if (name == "item") return item_;
    if (name == "index" && item_ != nullptr) return &index_;
    if (name == "now") return &now_;
    return nullptr;
}

std::optional<std::vector<JsonValue const*>> TemplateScope::find(std::string_view path) {
    auto const step = split_step(path);
    auto const parsed_path = core::JsonPath::parse(step ? step->second : path);
    if (!parsed_path || budget_ == 0) return std::nullopt;
    --budget_;
    auto const* const value = step ? result_of(step->first) : root(parsed_path->root());
    std::vector<JsonValue const*> found;
    if (value != nullptr) parsed_path->find_within(*value, found, budget_);
    return found;
}

tl::expected<std::string, TemplateFault> fill_templates(std::string const& json, TemplateScope& scope) {
    if (json.find(kOpening) == std::string::npos) return json;
    rapidjson::Document document;
    document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
    Filler filler(scope);
    filler.write(document);
    auto filled = filler.take();
    if (filled && core::is_nested_deeper(*filled, core::kMostNesting)) {
        return tl::unexpected(TemplateFault{
            true, fmt::format("What the templates name is nested more than {} levels deep.", core::kMostNesting)});
    }
    return filled;
}

std::string fault_of_path(std::string_view path, NamesInReach const& names) {
    if (!core::JsonPath::parse(path)) return fmt::format("has '{}', which is no path", path.substr(0, 200));
    auto const name = first_name(path);
    if (std::ranges::find(kRoots, name) == kRoots.end()) {
        return fmt::format("names '{}', where only input, event, steps, item, index and now are known",
                           name.substr(0, 100));
    }
    if ((name == "item" || name == "index") && !names.items) {
        return fmt::format("names '{}', which only the arguments of a step with forEach have", name);
    }
    if (name == "now" && path != "now.date" && path != "now.time") return "names of now neither date nor time";
    if (name != "steps") return {};
    auto const step = split_step(path);
    if (!step) return "names of steps something else than steps.<id>.result";
    if (!names.any_step && std::ranges::find(names.steps, step->first) == names.steps.end()) {
        return fmt::format("names the step '{}', which is none before it", step->first);
    }
    return {};
}

std::string fault_of_templates(std::string const& json, NamesInReach const& names) {
    rapidjson::Document document;
    document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
    std::string fault;
    for_each_text(document, [&](std::string_view text) {
        bool const closed = for_each_part(
            text, [](std::string_view) {},
            [&](std::string_view path) {
                if (!fault.empty()) return;
                bool const nested = path.find(kOpening) != std::string_view::npos;
                fault = nested ? "has a template within a template" : fault_of_path(path, names);
            });
        if (!closed && fault.empty()) fault = "has a template that does not end";
    });
    return fault;
}

}  // namespace workforce::operations
