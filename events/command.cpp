// The codec of stored answers.
#include "events/command.hpp"

#include "events/define_data_codec.hpp"

namespace workforce::events {

template struct DataCodec<CommandEvent>;

}  // namespace workforce::events
