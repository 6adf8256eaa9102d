// The JSON of events' data, by aggregate: declared here, and compiled once each where an aggregate's source says
// `template struct DataCodec<…>`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/json.hpp"
#include "events/event.hpp"

namespace workforce::events {

/// One type of event as the codec needs it.
struct DataType {
    std::string_view type;
    std::int32_t version = 1;
    bool erases = false;     ///< it erases the person who is its subject
    bool names_key = false;  ///< its member `sealedFor` says whose key seals it; else its subject's does
    /// Reads the data; what does not fit is the reader's errors.
    AnyEvent (*read)(core::JsonValue const& value, core::JsonReader& reader) = nullptr;
    /// Writes the members of its JSON Schema.
    void (*schema)(core::JsonWriter& writer) = nullptr;
};

/// The codec of one aggregate's events. Defined in events/define_data_codec.hpp.
template <class Group>
struct DataCodec {
    /// Writes the data; personal fields go through the writer's sealer.
    static void write(core::JsonWriter& writer, Group const& group);
    /// What `sealedFor` says; empty for types that have none.
    static std::string_view sealed_for(Group const& group);
    /// Its types, in the variant's order.
    static std::span<DataType const> types();
};

}  // namespace workforce::events
