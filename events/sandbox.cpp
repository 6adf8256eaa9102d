// How events of sandboxes fold: the one definition, for the write side's memory and for read models.
#include "events/sandbox.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {

void evolve(Sandbox& sandbox, SandboxEvent const& event, Envelope const& meta) {
    static_cast<SandboxDetails&>(sandbox) = std::get<SandboxReset>(event);
    stamp(sandbox, meta);
}

template struct DataCodec<SandboxEvent>;

}  // namespace workforce::events
