// How events of guardrails fold: the one definition, for the write side's memory and for read models.
#include "events/guardrail.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {

bool ToolGlobPolicy::check(std::string_view text) {
    constexpr std::string_view kTaken = "abcdefghijklmnopqrstuvwxyz0123456789_*?";
    return !text.empty() && text.size() <= 100 && text.find_first_not_of(kTaken) == std::string_view::npos;
}

void evolve(GuardrailRecord& record, GuardrailEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](GuardrailCreated const& e) {
                              static_cast<GuardrailDetails&>(record) = e;
                              if (meta.actor.user != 0) record.createdBy = meta.actor.user;
                          },
                          [&](GuardrailUpdated const& e) { merge(record, static_cast<GuardrailChanges const&>(e)); },
                          [&](GuardrailDeleted const&) { record.deleted = true; }},
               event);
    stamp(record, meta);
}

template struct DataCodec<GuardrailEvent>;

}  // namespace workforce::events
