// How events of agents fold: the one definition, for the write side's memory and for read models.
#include "events/agent.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {

void evolve(AgentRecord& agent, AgentEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](AgentCreated const& e) {
                              static_cast<AgentDetails&>(agent) = e;
                              if (meta.actor.user != 0) agent.createdBy = meta.actor.user;
                          },
                          [&](AgentUpdated const& e) { merge(agent, static_cast<AgentChanges const&>(e)); },
                          [&](AgentDeactivated const&) { agent.isActive = false; },
                          [&](AgentReactivated const&) { agent.isActive = true; },
                          [&](AgentDeleted const&) {
                              agent.isActive = false;
                              agent.deleted = true;
                          }},
               event);
    stamp(agent, meta);
}

template struct DataCodec<AgentEvent>;

}  // namespace workforce::events
