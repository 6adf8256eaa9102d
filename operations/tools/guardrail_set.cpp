// What each policy asks is looked at from the cheapest on. Paths and zones are looked up once a call, however many
// policies name them.
#include "operations/tools/guardrail_set.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <tuple>
#include <utility>

#include "core/glob.hpp"
#include "core/json_values.hpp"
#include "core/time.hpp"
#include "core/utf8.hpp"

namespace workforce::operations {
namespace {

using events::Guardrail;

bool have_common(std::span<Id const> some, std::span<Id const> others) {
    return std::ranges::any_of(some, [&](Id id) { return std::ranges::find(others, id) != others.end(); });
}

void add_facilities(core::JsonValue const& object, std::vector<Id>& facilities) {
    auto const add = [&](core::JsonValue const& id) {
        if (id.IsInt64()) facilities.push_back(id.GetInt64());
    };
    if (auto const* one = core::find_member(&object, "facilityId")) add(*one);
    auto const* several = core::find_member(&object, "facilityIds");
    if (several == nullptr || !several->IsArray()) return;
    for (auto const& each : several->GetArray()) add(each);
}

/// A number that misses a hundredth by so little is read as that one.
double hundredths_of(double number) {
    auto const near = std::round(number * 100) / 100;
    return std::abs(near - number) <= 1e-6 ? near : number;
}

/// Without blanks around it, whatever its case and composition; of a moment how it reads in UTC.
std::string text_as_read(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    auto const begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return {};
    text = text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
    auto const moment = core::parse_timestamp(text);
    return core::fold_case(moment ? core::to_string(*moment) : text);
}

/// The value as those read it who carry calls out, so that no spelling of it passes a policy.
core::JsonValue as_read(core::JsonValue const& value, rapidjson::Document::AllocatorType& allocator) {
    if (value.IsDouble()) return core::JsonValue(hundredths_of(value.GetDouble()));
    if (value.IsString()) {
        auto const text = text_as_read(core::text_of(value));
        return {text.data(), static_cast<rapidjson::SizeType>(text.size()), allocator};
    }
    if (!value.IsArray()) return {value, allocator};
    core::JsonValue list(rapidjson::kArrayType);
    for (auto const& each : value.GetArray()) list.PushBack(as_read(each, allocator), allocator);
    return list;
}

}  // namespace

std::vector<Id> named_facilities(core::JsonValue const& arguments) {
    std::vector<Id> facilities;
    if (!arguments.IsObject()) return facilities;
    add_facilities(arguments, facilities);
    for (auto const& member : arguments.GetObject()) {
        if (!member.value.IsArray()) continue;
        for (auto const& item : member.value.GetArray()) add_facilities(item, facilities);
    }
    return facilities;
}

/// One look at a call: what was found of it so far.
class GuardrailSet::Look {
   public:
    Look(GuardrailSet const& set, GuardedCall const& call, GuardrailWork* work) : set_(set), call_(call), work_(work) {}

    /// From now on these are the arguments.
    void turn_to(core::JsonValue const& arguments) {
        arguments_ = &arguments;
        found_.clear();
    }

    bool meets(Policy const& policy) {
        if (work_ != nullptr) ++work_->policies;
        if (!policy.channels[static_cast<std::size_t>(call_.channel)]) return false;
        if (policy.roles.any() && !(call_.role && policy.roles[static_cast<std::size_t>(*call_.role)])) return false;
        if (!policy.agents.empty() && std::ranges::find(policy.agents, call_.agent) == policy.agents.end())
            return false;
        bool const placed = !policy.facilities.empty() && !call_.facilities.empty();
        if (placed && !have_common(policy.facilities, call_.facilities)) return false;
        if (policy.window && !contains(set_.windows_[*policy.window])) return false;
        return std::ranges::all_of(policy.tests, [&](Test const& test) { return meets(test); });
    }

   private:
    bool contains(events::WeeklyWindow const& window) {
        auto const& zone = window.timezone.value;
        auto const known = std::ranges::find(readings_, zone, &std::pair<std::string_view, core::LocalTime>::first);
        if (known != readings_.end()) return events::contains(window, known->second);
        return events::contains(window, readings_.emplace_back(zone, core::local_time(call_.now, zone)).second);
    }

    bool meets(Test const& test) {
        auto const values = values_at(test.path);
        if (test.op != events::ConditionOp::matches) return events::meets(test.op, test.value, values);
        return std::ranges::any_of(values, [&](core::JsonValue const* value) {
            if (!value->IsString()) return false;
            if (value->GetStringLength() > events::kLongestMatched) return true;
            return core::matches_glob(core::text_of(test.value), core::text_of(*value), steps_).value_or(true);
        });
    }

    std::span<core::JsonValue const* const> values_at(std::uint32_t path) {
        if (found_.empty()) found_.resize(set_.paths_.size());
        auto& found = found_[path];
        if (!found) {
            if (work_ != nullptr) ++work_->paths;
            set_.paths_[path].find_within(*arguments_, found.emplace());
            if (found->empty()) find_only_item(path, *found);
            for (auto const*& value : *found) {
                if (!value->IsString() && !value->IsDouble()) continue;
                value = &read_.emplace_back(as_read(*value, memory_.GetAllocator()));
            }
        }
        return *found;
    }

    /// A filter by several values takes one alone as a text.
    void find_only_item(std::uint32_t path, std::vector<core::JsonValue const*>& found) {
        auto const& list = set_.lists_[path];
        if (!list) return;
        list->find_within(*arguments_, found);
        std::erase_if(found, [](core::JsonValue const* value) { return !value->IsString(); });
    }

    GuardrailSet const& set_;
    GuardedCall const& call_;
    GuardrailWork* const work_;
    core::JsonValue const* arguments_ = &call_.arguments;
    std::size_t steps_ = kMostSteps;
    rapidjson::Document memory_;        // whose allocator the values' texts are of
    std::deque<core::JsonValue> read_;  // values as they are read
    std::vector<std::pair<std::string_view, core::LocalTime>> readings_;
    std::vector<std::optional<std::vector<core::JsonValue const*>>> found_;
};

GuardrailSet::GuardrailSet(std::span<Guardrail const> policies, std::span<std::string_view const> tools) {
    std::vector<Guardrail const*> enabled;
    for (auto const& policy : policies) {
        if (policy.isEnabled) enabled.push_back(&policy);
    }
    std::ranges::sort(enabled, {}, [](Guardrail const* policy) {
        return std::tuple(policy->effect, -policy->priority.value, policy->id);
    });
    policies_.reserve(enabled.size());
    for (auto const* policy : enabled) {
        auto const place = static_cast<std::uint32_t>(policies_.size());
        add(*policy);
        for (auto const tool : tools) {
            bool const named = std::ranges::any_of(
                policy->tools, [&](auto const& glob) { return core::matches_glob(glob.value, tool); });
            if (named) by_tool_[std::string(tool)].push_back(place);
        }
    }
}

void GuardrailSet::add(Guardrail const& guardrail) {
    auto& policy = policies_.emplace_back();
    policy.effect = guardrail.effect;
    policy.id = guardrail.id;
    policy.name = guardrail.name.value;
    policy.facilities = guardrail.facilityIds;
    policy.agents = guardrail.agentIds;
    for (auto const channel : guardrail.channels) policy.channels.set(static_cast<std::size_t>(channel));
    for (auto const role : guardrail.roles) policy.roles.set(static_cast<std::size_t>(role));
    if (guardrail.window.value) {
        policy.window = windows_.size();
        windows_.push_back(*guardrail.window.value);
    }
    for (auto const& condition : guardrail.conditions) {
        auto const value = core::parse_json(condition.value.text).value();
        policy.tests.push_back({path_of(condition.path.value), condition.op, as_read(value, values_.GetAllocator())});
    }
}

std::uint32_t GuardrailSet::path_of(std::string_view text) {
    auto path = core::JsonPath::parse(text).value();
    auto const known = std::ranges::find(paths_, path);
    auto const place = static_cast<std::uint32_t>(known - paths_.begin());
    if (known != paths_.end()) return place;
    paths_.push_back(std::move(path));
    constexpr std::string_view kItems = "[*]";
    bool const of_items = text.ends_with(kItems);
    lists_.push_back(of_items ? core::JsonPath::parse(text.substr(0, text.size() - kItems.size())) : std::nullopt);
    return place;
}

std::optional<GuardrailMatch> GuardrailSet::find_one(Look& look, std::span<std::uint32_t const> places,
                                                     bool blocks_only) const {
    for (auto const place : places) {
        auto const& policy = policies_[place];
        if (blocks_only && policy.effect != events::GuardrailEffect::block) break;
        if (!look.meets(policy)) continue;
        return GuardrailMatch{policy.effect, policy.id, policy.name, !policy.facilities.empty(), place};
    }
    return std::nullopt;
}

std::optional<GuardrailMatch> GuardrailSet::find(GuardedCall const& call, bool blocks_only, GuardrailWork* work) const {
    auto const named = by_tool_.find(std::string(call.tool));
    if (named == by_tool_.end()) return std::nullopt;
    Look look(*this, call, work);
    std::span<std::uint32_t const> places = named->second;
    auto found = find_one(look, places, blocks_only);
    for (auto const* item : call.items) {
        look.turn_to(*item);
        auto const other = find_one(look, places, blocks_only);
        if (other && (!found || other->place < found->place)) found = other;
    }
    return found;
}

}  // namespace workforce::operations
