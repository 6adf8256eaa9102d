// Attributes of a record, as text and as an envelope.
#include "events/envelope_codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <vector>

#include "events/codec.hpp"

namespace workforce::events {
namespace {

using core::JsonValue;
using core::JsonWriter;

/// 64-bit numbers are decimal strings: CloudEvents integers have 32 bits.
void number(JsonWriter& w, std::string_view name, std::int64_t value) { w.member(name, std::to_string(value)); }

void optional_number(JsonWriter& w, std::string_view name, std::int64_t value) {
    if (value != 0) number(w, name, value);
}
void optional_text(JsonWriter& w, std::string_view name, std::string const& value) {
    if (!value.empty()) w.member(name, value);
}

std::string joined(std::vector<Id> const& ids) {
    std::string text;
    for (Id const id : ids) text += (text.empty() ? "" : ",") + std::to_string(id);
    return text;
}

/// The text of an attribute. Errors: DamagedEvent.
std::string_view string_of(JsonValue const& value, std::string_view name) {
    if (!value.IsString()) throw DamagedEvent(fmt::format("attribute {} is no string", name));
    return {value.GetString(), value.GetStringLength()};
}

/// Lengths first, which tell most names apart.
constexpr bool shorter_first(std::string_view a, std::string_view b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

/// Attributes that an envelope is read from, in the order of shorter_first().
constexpr auto kEnvelopeAttributes = [] {
    std::array all = std::to_array<std::string_view>(
        {"specversion",   "id",          "type",    "dataschema", "time",      "subject",     "orgid",
         "facilityid",    "facilityids", "sandbox", "seq",        "actortype", "actorid",     "actoruser",
         "credentialid",  "clientid",    "channel", "verb",       "requestid", "causationid", "runid",
         "correlationid", "depth",       "idemkey", "idemhash",   "epoch",     "position",    "prevhash",
         "cmdindex",      "cmdcount",    "outcome", "credtype",   "tool",      "dedupekey"});
    std::ranges::sort(all, shorter_first);
    return all;
}();

/// One of these.
struct AttributeName {
    // NOLINTNEXTLINE(google-explicit-constructor): written as a text, and looked up when this is compiled
    consteval AttributeName(char const* name)
        : text(name),
          place(static_cast<std::size_t>(std::ranges::find(kEnvelopeAttributes, std::string_view(name)) -
                                         kEnvelopeAttributes.begin())) {
        if (place == kEnvelopeAttributes.size()) throw std::logic_error("no attribute has that name");
    }
    std::string_view text;
    std::size_t place;
};

/// Reads attributes of a record, each the first of its name; the first one missing or malformed is what DamagedEvent
/// names. Finds all in one pass over the members.
class Attributes {
   public:
    explicit Attributes(JsonValue const& object) {
        for (auto const& member : object.GetObject()) {
            std::string_view const name(member.name.GetString(), member.name.GetStringLength());
            auto const found = std::ranges::lower_bound(kEnvelopeAttributes, name, shorter_first);
            if (found == kEnvelopeAttributes.end() || *found != name) continue;
            auto& value = values_.at(static_cast<std::size_t>(found - kEnvelopeAttributes.begin()));
            if (value == nullptr) value = &member.value;
        }
    }

    [[nodiscard]] std::string_view text(AttributeName name) const {
        auto const* value = find(name);
        return value == nullptr ? std::string_view() : string_of(*value, name.text);
    }
    [[nodiscard]] std::int64_t number(AttributeName name) const {
        auto const value = text(name);
        if (value.empty()) return 0;
        std::int64_t parsed = 0;
        auto const [end, fault] = std::from_chars(value.data(), value.data() + value.size(), parsed);
        if (fault != std::errc{} || end != value.data() + value.size()) {
            throw DamagedEvent(fmt::format("attribute {} is no number", name.text));
        }
        return parsed;
    }
    /// Numbers with commas between them.
    [[nodiscard]] std::vector<std::int64_t> numbers(AttributeName name) const {
        auto const listed = text(name);
        std::vector<std::int64_t> parsed;
        char const* next = listed.data();
        for (char const* const last = next + listed.size(); next != last;) {
            auto const [end, fault] = std::from_chars(next, last, parsed.emplace_back());
            bool const more = fault == std::errc{} && end != last && *end == ',' && end + 1 != last;
            if (fault != std::errc{} || (end != last && !more)) {
                throw DamagedEvent(fmt::format("attribute {} is no list of numbers", name.text));
            }
            next = more ? end + 1 : end;
        }
        return parsed;
    }
    [[nodiscard]] std::int32_t small(AttributeName name) const {
        auto const* value = find(name);
        if (value == nullptr) return 0;
        if (!value->IsInt()) throw DamagedEvent(fmt::format("attribute {} is no integer", name.text));
        return value->GetInt();
    }
    [[nodiscard]] bool flag(AttributeName name) const {
        auto const* value = find(name);
        return value != nullptr && value->IsTrue();
    }

   private:
    [[nodiscard]] JsonValue const* find(AttributeName name) const { return values_.at(name.place); }

    std::array<JsonValue const*, kEnvelopeAttributes.size()> values_{};
};

}  // namespace

void write_attributes(JsonWriter& w, Envelope const& meta, std::string const& source, std::string_view type,
                      std::int32_t version, std::int32_t revision) {
    w.member("specversion", "1.0");
    w.member("id", meta.id);
    w.member("source", source);
    w.member("type", type);
    w.member("time", core::to_string(meta.time));
    w.member("subject", to_string(meta.subject));
    w.member("dataschema", data_schema(type, version));
    w.member("datacontenttype", "application/json");
    optional_number(w, "orgid", meta.organization);
    optional_number(w, "facilityid", meta.facility);
    optional_text(w, "facilityids", joined(meta.facilities));
    if (meta.sandbox) w.member("sandbox", true);
    optional_number(w, "seq", meta.seq);
    w.member("actortype", core::enum_name(meta.actor.type));
    optional_number(w, "actorid", meta.actor.id);
    optional_number(w, "actoruser", meta.actor.user);
    optional_number(w, "credentialid", meta.credential);
    optional_text(w, "clientid", meta.client_id);
    optional_text(w, "channel", meta.channel);
    optional_text(w, "verb", meta.verb);
    optional_text(w, "requestid", meta.request_id);
    optional_text(w, "causationid", meta.causation_id);
    optional_text(w, "runid", meta.run_id);
    optional_text(w, "correlationid", meta.correlation_id);
    if (meta.depth != 0) w.member("depth", meta.depth);
    optional_text(w, "idemkey", meta.idempotency_key);
    optional_text(w, "idemhash", meta.idempotency_hash);
    if (revision >= 2) {
        optional_text(w, "outcome", meta.outcome);
        optional_text(w, "credtype", meta.credential_type);
        optional_text(w, "tool", meta.tool);
        optional_text(w, "dedupekey", meta.dedupe_key);
    }
    number(w, "epoch", meta.epoch);
    number(w, "position", meta.position);
    w.member("prevhash", meta.previous_hash);
    w.member("cmdindex", meta.command_index);
    w.member("cmdcount", meta.command_count);
}

std::string_view attribute_text(core::JsonValue const& record, char const* name) {
    auto const found = record.FindMember(name);
    return found == record.MemberEnd() ? std::string_view() : string_of(found->value, name);
}

Envelope read_attributes(JsonValue const& object) {
    Attributes const a(object);
    if (a.text("specversion") != "1.0") throw DamagedEvent("specversion is not 1.0");
    Envelope meta;
    meta.id = a.text("id");
    meta.type = a.text("type");
    auto const schema = a.text("dataschema");
    auto const colon = schema.rfind(':');
    auto const version = colon == std::string_view::npos ? std::string_view() : schema.substr(colon + 1);
    auto const [end, fault] = std::from_chars(version.data(), version.data() + version.size(), meta.version);
    if (fault != std::errc{} || end != version.data() + version.size()) {
        throw DamagedEvent("attribute dataschema is malformed");
    }
    auto const time = core::parse_timestamp(a.text("time"));
    if (!time) throw DamagedEvent("attribute time is malformed");
    meta.time = *time;
    auto const subject = parse_aggregate(a.text("subject"));
    if (!subject) throw UnknownEvent("subject " + std::string(a.text("subject")) + " is of an unknown kind");
    meta.subject = *subject;
    meta.organization = a.number("orgid");
    meta.facility = a.number("facilityid");
    meta.facilities = a.numbers("facilityids");
    meta.sandbox = a.flag("sandbox");
    meta.seq = a.number("seq");
    auto const actor = core::parse_enum<ActorType>(a.text("actortype"));
    if (!actor) throw DamagedEvent("attribute actortype is malformed");
    meta.actor = {*actor, a.number("actorid"), a.number("actoruser")};
    meta.credential = a.number("credentialid");
    meta.client_id = a.text("clientid");
    meta.channel = a.text("channel");
    meta.verb = a.text("verb");
    meta.request_id = a.text("requestid");
    meta.causation_id = a.text("causationid");
    meta.run_id = a.text("runid");
    meta.correlation_id = a.text("correlationid");
    meta.depth = a.small("depth");
    meta.idempotency_key = a.text("idemkey");
    meta.idempotency_hash = a.text("idemhash");
    meta.outcome = a.text("outcome");
    meta.credential_type = a.text("credtype");
    meta.tool = a.text("tool");
    meta.dedupe_key = a.text("dedupekey");
    meta.epoch = a.number("epoch");
    meta.position = a.number("position");
    meta.previous_hash = a.text("prevhash");
    if (meta.id.empty() || meta.previous_hash.size() != 64 || a.text("position").empty() || a.text("epoch").empty()) {
        throw DamagedEvent("lacks id, epoch, position or prevhash");
    }
    meta.command_index = a.small("cmdindex");
    meta.command_count = a.small("cmdcount");
    return meta;
}

}  // namespace workforce::events
