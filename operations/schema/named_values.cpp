// Scopes and types of webhooks, of which there are as many as their tables have.
#include "operations/schema/named_values.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "core/scopes.hpp"
#include "events/webhook_types.hpp"

namespace workforce::operations {
namespace {

void write_names(core::JsonWriter& w, std::string_view type, std::vector<std::string> const& names) {
    w.member("type", "string");
    describe_type(w, type);
    w.key("enum");
    core::write_json(w, names);
}

void define_scope(core::JsonWriter& w, Components&) {
    std::vector<std::string> names;
    std::set<std::string> all_of_one;
    for (auto const& scope : core::scope_catalogue()) {
        names.emplace_back(scope.name);
        all_of_one.emplace(std::string(scope.name.substr(0, scope.name.find(':') + 1)) + '*');
    }
    names.insert(names.end(), all_of_one.begin(), all_of_one.end());
    write_names(w, "Scope", names);
}

void define_webhook_type(core::JsonWriter& w, Components&) {
    std::vector<std::string> names;
    for (auto const& type : events::webhook_types()) names.emplace_back(type.name);
    names.emplace_back(events::kEveryType);
    names.emplace_back(events::kTestType);
    write_names(w, "WebhookType", names);
}

void write_list(core::JsonWriter& w, Components& components, std::string const& name, Components::Definition define) {
    w.member("type", "array");
    w.member("maxItems", core::JsonType<std::vector<core::ShortText>>::kMaxItems);
    w.key("items");
    w.begin_object();
    components.refer(w, name, define);
    w.end_object();
}

void named_scopes(core::JsonWriter& w, Side, Components& components) {
    write_list(w, components, "Scope", define_scope);
}
void named_webhook_types(core::JsonWriter& w, Side, Components& components) {
    write_list(w, components, "WebhookEventType", define_webhook_type);
}

constexpr std::array kNamedValues{
    NamedValues{"ApiKeyDetails", "scopes", named_scopes},
    NamedValues{"ApiKeyChanges", "scopes", named_scopes},
    NamedValues{"WebhookDetails", "events", named_webhook_types},
    NamedValues{"WebhookChanges", "events", named_webhook_types},
    NamedValues{"ReplayWebhook", "eventTypes", named_webhook_types},
};

}  // namespace

NamedValues const* named_values(std::string_view declaring, std::string_view member) {
    auto const found = std::ranges::find_if(
        kNamedValues, [&](NamedValues const& each) { return each.declaring == declaring && each.member == member; });
    return found == kNamedValues.end() ? nullptr : &*found;
}

}  // namespace workforce::operations
