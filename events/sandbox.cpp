// How events of sandboxes fold: the one definition, for the write side's memory and for read models.
#include "events/sandbox.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::core {

void JsonType<events::SandboxCounts>::write(JsonWriter& w, events::SandboxCounts const& v) {
    w.begin_object();
    for (auto const& [kind, rows] : v.value) w.member(kind, rows);
    w.end_object();
}

void JsonType<events::SandboxCounts>::read(JsonValue const& v, events::SandboxCounts& out, JsonReader& r) {
    if (!v.IsObject()) return r.fail("type", "must be an object");
    out.value.clear();
    for (auto const& member : v.GetObject()) {
        std::string_view const kind(member.name.GetString(), member.name.GetStringLength());
        PathGuard const at(r.path(), kind);
        std::int64_t rows = 0;
        JsonType<std::int64_t>::read(member.value, rows, r);
        if (rows != 0) out.value.emplace(kind, rows);
    }
}

void JsonType<events::SandboxCounts>::schema(JsonWriter& w) {
    w.member("type", "object");
    w.key("additionalProperties");
    w.begin_object();
    JsonType<std::int64_t>::schema(w);
    w.end_object();
}

}  // namespace workforce::core

namespace workforce::events {

SandboxCounts::SandboxCounts(std::initializer_list<std::pair<Kind, std::int64_t>> counts) {
    for (auto const& [kind, rows] : counts) add(kind, rows);
}

void SandboxCounts::add(Kind kind, std::int64_t rows) {
    if (rows != 0) value[std::string(core::enum_name(kind))] += rows;
}

std::int64_t SandboxCounts::of(Kind kind) const {
    auto const found = value.find(core::enum_name(kind));
    return found == value.end() ? 0 : found->second;
}

SandboxCounts operator+(SandboxCounts one, SandboxCounts const& other) {
    for (auto const& [kind, rows] : other.value) one.value[kind] += rows;
    return one;
}

void evolve(Sandbox& sandbox, SandboxEvent const& event, Envelope const& meta) {
    static_cast<SandboxDetails&>(sandbox) = std::get<SandboxReset>(event);
    stamp(sandbox, meta);
}

template struct DataCodec<SandboxEvent>;

}  // namespace workforce::events
