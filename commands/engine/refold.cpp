// Rows that lack an event are told from the log, all in one pass.
#include "commands/engine/refold.hpp"

#include <map>
#include <utility>

#include "events/catalogue.hpp"
#include "events/codec.hpp"
#include "events/subject_records.hpp"

namespace workforce::commands {
namespace {

std::vector<std::string> lacking(Found& found) {
    std::vector<std::string> subjects;
    events::for_each_kind<events::StatefulKinds>([&](events::Kind kind, auto constant) {
        for (auto const& row : found.of<events::StateOf<decltype(constant)>>()) {
            if (row.lacks_event) subjects.push_back(events::to_string({kind, resource_of(row.value).id}));
        }
    });
    return subjects;
}

std::map<Id, OrganizationState> fold(std::vector<events::Event> const& events) {
    std::map<Id, OrganizationState> states;
    for (auto const& event : events) {
        auto& state = states[event.meta.organization];
        if (event.meta.seq != state.version(event.meta.subject) + 1) {
            throw events::DamagedEvent("position " + std::to_string(event.meta.position) + ": " +
                                       to_string(event.meta.subject) + " lacks what came before");
        }
        state.apply(event);
    }
    return states;
}

}  // namespace

std::size_t refold_lacking(Found& found, events::EventLog& log, events::Keyring& keyring, int partition,
                           std::int64_t last, std::function<bool()> const& go_on) {
    auto const subjects = lacking(found);
    if (subjects.empty()) return 0;
    auto const records =
        events::records_of(log, partition, subjects, last, [&](std::int64_t /*records*/) { return go_on(); });
    auto states = fold(events::decode_all(records, keyring));
    events::for_each_kind<events::StatefulKinds>([&](events::Kind, auto constant) {
        using State = events::StateOf<decltype(constant)>;
        std::erase_if(found.of<State>(), [&](auto& row) {
            if (!row.lacks_event) return false;
            auto& folded = states[organization_of(row.value)].template rows<State>();
            auto const at = folded.find(resource_of(row.value).id);
            if (at == folded.end()) return true;
            row = std::move(at->second);
            return false;
        });
    });
    return subjects.size();
}

}  // namespace workforce::commands
