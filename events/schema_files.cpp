// Schemas of records: the envelope by a table, the data by the event's own declaration.
#include "events/schema_files.hpp"

#include "core/pretty_json.hpp"
#include "events/codec.hpp"

namespace workforce::events {
namespace {

using core::JsonWriter;

constexpr std::string_view kPositive = R"({"type":"string","pattern":"^[1-9][0-9]{0,18}$"})";
constexpr std::string_view kFromZero = R"({"type":"string","pattern":"^(0|[1-9][0-9]{0,18})$"})";
constexpr std::string_view kText = R"({"type":"string","minLength":1})";
constexpr std::string_view kCountSchema = R"({"type":"integer","minimum":1})";

/// Whose records have the attribute without exception.
enum class Needed : std::uint8_t { always, for_aggregates, for_answers, never };

struct EnvelopeAttribute {
    std::string_view name;
    Needed needed;
    std::string_view schema;
};

/// The attributes whose schema is the same for all types, in the encoder's order. 64-bit numbers are decimal strings.
constexpr EnvelopeAttribute kAttributes[] = {
    {"specversion", Needed::always, R"({"const":"1.0"})"},
    {"id", Needed::always,
     R"({"type":"string","pattern":"^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"})"},
    {"source", Needed::always, R"({"type":"string","pattern":"^urn:workforce:."})"},
    {"time", Needed::always,
     R"({"type":"string","pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$"})"},
    {"datacontenttype", Needed::always, R"({"const":"application/json"})"},
    {"orgid", Needed::always, kPositive},
    {"facilityid", Needed::never, kPositive},
    {"facilityids", Needed::never, R"({"type":"string","pattern":"^[1-9][0-9]{0,18}(,[1-9][0-9]{0,18})*$"})"},
    {"sandbox", Needed::never, R"({"const":true})"},
    {"seq", Needed::for_aggregates, kPositive},
    {"actorid", Needed::never, kPositive},
    {"actoruser", Needed::never, kPositive},
    {"credentialid", Needed::never, kPositive},
    {"clientid", Needed::never, kText},
    {"channel", Needed::never, R"({"enum":["rest","mcp","agent","session"]})"},
    {"verb", Needed::never, R"({"type":"string","pattern":"^[a-z_]+\\.[a-z_]+$"})"},
    {"requestid", Needed::never, kText},
    {"causationid", Needed::never, kText},
    {"runid", Needed::never, kText},
    {"correlationid", Needed::never, kText},
    {"depth", Needed::never, kCountSchema},
    {"idemkey", Needed::for_answers, kText},
    {"idemhash", Needed::for_answers, kText},
    {"epoch", Needed::always, kPositive},
    {"position", Needed::always, kFromZero},
    {"prevhash", Needed::always, R"({"type":"string","pattern":"^[0-9a-f]{64}$"})"},
    {"cmdindex", Needed::always, kCountSchema},
    {"cmdcount", Needed::always, kCountSchema},
};

/// `{"const": value}` under the name.
void constant(JsonWriter& w, std::string_view name, std::string_view value) {
    w.key(name);
    w.begin_object();
    w.member("const", value);
    w.end_object();
}

/// Subjects lead with the aggregate's kind, and so do types.
void subject(JsonWriter& w, std::string_view kind, bool answer) {
    if (answer) return constant(w, "subject", kind);
    w.key("subject");
    w.begin_object();
    w.member("type", "string");
    w.member("pattern", "^" + std::string(kind) + "/[1-9][0-9]{0,18}$");
    w.end_object();
}

std::string record_schema(EventType const& event) {
    auto const kind = event.type.substr(0, event.type.find('.'));
    bool const answer = kind == core::enum_name(Kind::command);
    JsonWriter w;
    w.begin_object();
    w.member("$schema", "http://json-schema.org/draft-07/schema#");
    w.member("$id", "urn:workforce:record:" + std::string(event.type) + ":" + std::to_string(event.version));
    w.member("title", event.type);
    w.member("type", "object");
    w.key("properties");
    w.begin_object();
    for (auto const& attribute : kAttributes) {
        w.key(attribute.name);
        w.raw(attribute.schema);
    }
    constant(w, "type", event.type);
    constant(w, "dataschema", data_schema(event.type, event.version));
    subject(w, kind, answer);
    w.key("actortype");
    w.begin_object();
    core::JsonType<ActorType>::schema(w);
    w.end_object();
    w.key("data");
    w.raw(event.schema);
    w.end_object();
    w.key("required");
    w.begin_array();
    for (auto const& attribute : kAttributes) {
        bool const needed = attribute.needed == Needed::always ||
                            (attribute.needed == Needed::for_aggregates && !answer) ||
                            (attribute.needed == Needed::for_answers && answer);
        if (needed) w.string(attribute.name);
    }
    for (auto const* name : {"type", "dataschema", "subject", "actortype", "data"}) w.string(name);
    w.end_array();
    w.end_object();
    return w.take();
}

/// Indented, with the members in their order.
std::string pretty(std::string const& json) {
    rapidjson::Document document;
    document.Parse(json.data(), json.size());
    if (auto& data = document["properties"]["data"]; data.IsObject()) {
        // They speak of the data as a document of its own, which it is not here.
        for (auto const* name : {"$schema", "$id", "title"}) data.RemoveMember(name);
    }
    return core::pretty_json(document);
}

}  // namespace

std::vector<GeneratedFile> event_schema_files() {
    std::vector<GeneratedFile> files;
    for (auto const& event : event_types()) {
        files.push_back(
            {"schemas/events/" + std::string(event.type) + ".v" + std::to_string(event.version) + ".schema.json",
             pretty(record_schema(event))});
    }
    return files;
}

}  // namespace workforce::events
